import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

/** Terminates TLS in front of a service that starts later, as an operator's proxy does. */
export class TlsProxy {
  private target: string | undefined;

  private constructor(
    private readonly server: Server,
    /** The certificate of the proxy, which signs itself. */
    readonly certificate: string,
  ) {}

  /** Listens on a free port, with a key of its own in the directory. */
  static async start(directory: string): Promise<TlsProxy> {
    const [key, certificate] = [join(directory, 'proxy.key'), join(directory, 'proxy.crt')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
    await promisify(execFile)('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', certificate, ...names]);
    const server = createServer({ key: await readFile(key), cert: await readFile(certificate) });
    // It closes no idle connection, and keeps none to the service: a request could be sent as it is closed.
    server.keepAliveTimeout = 0;
    const proxy = new TlsProxy(server, certificate);
    server.on('request', async (incoming, outgoing) => {
      const { method, headers } = incoming;
      const forwarded = request(`${proxy.target}${incoming.url}`, { method, headers, agent: false });
      forwarded.on('error', () => outgoing.destroy());
      forwarded.once('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        pipeline(answer, outgoing).catch(() => outgoing.destroy());
      });
      await pipeline(incoming, forwarded).catch(() => outgoing.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  forwardTo(url: string): void {
    this.target = url;
  }

  get host(): string {
    return `localhost:${(this.server.address() as AddressInfo).port}`;
  }

  async end(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
