import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Accepts every connection on loopback, and never sends a byte. */
export class SilentServer {
  private readonly open = new Set<Socket>();
  private max = 0;

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.open.add(socket);
      this.max = Math.max(this.max, this.open.size);
      socket.on('error', () => undefined);
      socket.on('close', () => this.open.delete(socket));
      // Otherwise the end of the other side goes unnoticed.
      socket.resume();
    });
  }

  static async start(): Promise<SilentServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SilentServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** The connections that wait for an answer now. */
  get waiting(): number {
    return this.open.size;
  }

  /** The most that ever waited at the same time. */
  get maxWaiting(): number {
    return this.max;
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
