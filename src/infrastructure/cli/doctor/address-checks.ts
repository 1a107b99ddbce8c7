import { createServer } from 'node:net';
import { isLoopback } from '../../config.js';
import { type Check, failed, ok, warning } from './finding.js';

export const address: Check = {
  name: 'address',
  mend: 'see PUBLIC_URL, HOST and PORT',
  look: async (config) => {
    const { PUBLIC_URL: url, HOST: host } = config;
    if (url === undefined) return [ok(`served at http://${host}:${config.PORT}, to this machine alone`)];
    const { protocol, hostname, search, hash } = new URL(url);
    const local = isLoopback(hostname);
    return [
      search + hash === ''
        ? ok(`clients are told ${url}`)
        : failed(`PUBLIC_URL has more than a path: ${search}${hash}`, 'leave out what begins with ? or #'),
      protocol === 'http:' &&
        !local &&
        warning('PUBLIC_URL begins with http: tokens are sent unencrypted', 'put TLS in front, and write https'),
      local &&
        !isLoopback(host) &&
        warning('PUBLIC_URL names this machine only, and HOST lets others in', 'write the name that clients use'),
    ];
  },
};

export const port: Check = {
  name: 'port',
  mend: 'see HOST and PORT',
  look: async ({ HOST: host, PORT: port }) => {
    if (port === 0) return [ok('a free one is taken at each start')];
    const at = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const fault = await listening(host, port);
    if (fault === undefined) return [ok(`${at} is free`)];
    if (fault !== 'EADDRINUSE') {
      const mend = fault === 'EACCES' ? 'take a port above 1023' : 'give HOST an address of this machine';
      return [failed(`${at} cannot be listened on: ${fault}`, mend)];
    }
    const answer = await fetch(`http://${at.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]')}/healthz`, {
      signal: AbortSignal.timeout(3_000),
    }).catch(() => undefined);
    return answer?.ok
      ? [ok(`a service answers at ${at}`)]
      : [failed(`${at} is taken, and not by a Gatehouse that is well`, 'stop what listens there, or set another PORT')];
  },
};

/** Why it cannot be listened there; undefined when it can. */
const listening = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
