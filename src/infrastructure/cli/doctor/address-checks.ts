import { createServer } from 'node:net';
import { isLoopback } from '../../config.js';
import { type Check, failed, ok, warning } from './finding.js';

export const address: Check = {
  name: 'address',
  mend: 'check PUBLIC_URL, HOST and PORT',
  run: async (config) => {
    const { PUBLIC_URL: url, HOST: host } = config;
    if (url === undefined) return [ok(`served at http://${host}:${config.PORT}, to this machine only`)];
    const { protocol, hostname, search, hash } = new URL(url);
    const local = isLoopback(hostname);
    return [
      search + hash === ''
        ? ok(`clients use ${url}`)
        : failed(`PUBLIC_URL has a query or a fragment: ${search}${hash}`, 'remove everything from ? or # on'),
      protocol === 'http:' &&
        !local &&
        warning('PUBLIC_URL uses http: tokens are sent unencrypted', 'put a TLS proxy in front, and use https'),
      local &&
        !isLoopback(host) &&
        warning(
          'PUBLIC_URL is a loopback URL, but HOST accepts connections from other machines',
          'use the host name that clients use',
        ),
    ];
  },
};

export const port: Check = {
  name: 'port',
  mend: 'check HOST and PORT',
  run: async ({ HOST: host, PORT: port }) => {
    if (port === 0) return [ok('each start picks a free port')];
    const at = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const fault = await listening(host, port);
    if (fault === undefined) return [ok(`${at} is free`)];
    if (fault !== 'EADDRINUSE') {
      const mend = fault === 'EACCES' ? 'choose a port above 1023' : 'set HOST to an address of this machine';
      return [failed(`cannot listen on ${at}: ${fault}`, mend)];
    }
    const answer = await fetch(`http://${at.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]')}/healthz`, {
      signal: AbortSignal.timeout(3_000),
    }).catch(() => undefined);
    return answer?.ok
      ? [ok(`a Gatehouse service is running at ${at}`)]
      : [failed(`${at} is in use by another program`, 'stop that program, or set PORT to a free port')];
  },
};

/** The reason the port cannot be listened on; undefined if it can. */
const listening = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
