import { isIP } from 'node:net';
import type { Request } from 'express';

/** Some proxies forward an address with its port. */
const withoutPort = (text: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;

/**
 * Where a request comes from; undefined once its connection is gone. What proxies forward is text, and some forward
 * whatever they are sent: what is no address is not taken for one.
 */
export const clientAddressOf = (request: Request): string | undefined => {
  const address = withoutPort(request.ip ?? '');
  return isIP(address) === 0 ? request.socket.remoteAddress : address;
};
