import { connect as connectPlainly } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { hostOf, portOf } from './repository-url.js';

/**
 * Resolves once one of the addresses takes a connection, with TLS where the URL has it, or once all refused, of which git
 * gives the reason. Git itself waits minutes for a host that does neither.
 */
export async function reachable(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<void> {
  const hosts = addresses.length > 0 ? addresses : [hostOf(url)];
  await Promise.any(hosts.map((host) => connected(url, host, signal))).catch(() => undefined);
}

function connected(url: URL, host: string, signal: AbortSignal): Promise<void> {
  const port = Number(portOf(url));
  const secure = url.protocol === 'https:';
  // Git checks the certificate.
  const socket = secure
    ? connectSecurely({ host, port, servername: hostOf(url), rejectUnauthorized: false })
    : connectPlainly({ host, port });
  return new Promise<void>((resolve, reject) => {
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    socket.once(secure ? 'secureConnect' : 'connect', () => resolve());
    socket.once('error', reject);
    socket.once('close', () => {
      signal.removeEventListener('abort', stop);
      reject(new Error('closed'));
    });
    if (signal.aborted) stop();
  }).finally(() => socket.destroy());
}
