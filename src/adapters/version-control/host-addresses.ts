import { lookup as lookupName } from 'node:dns/promises';
import { isIP } from 'node:net';
import { fetchFailed } from './fetch-faults.js';
import { isPublicAddress } from './public-addresses.js';
import { hostOf, isAllowedHost } from './repository-url.js';

export type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;

const everyAddress: Lookup = (host) => lookupName(host, { all: true });

/**
 * The host's addresses, looked up once: git connects to these without another lookup. None for a host that is an
 * address. One private address among several is enough to refuse them all, because git may connect to any of them.
 */
export async function addressesOf(
  url: URL,
  allowedHosts: readonly string[],
  lookup: Lookup = everyAddress,
): Promise<readonly string[]> {
  const host = hostOf(url);
  const literal = isIP(host) !== 0;
  const addresses = literal ? [host] : await lookedUp(host, lookup);
  if (addresses.length === 0) throw fetchFailed(`the host ${host} does not resolve to an address`);
  if (!isAllowedHost(url, allowedHosts) && !addresses.every(isPublicAddress)) {
    const what = literal ? `${host} is a private address` : `${host} resolves to a private address`;
    throw fetchFailed(`${what}; add it to VCS_ALLOWED_HOSTS to allow it`);
  }
  return literal ? [] : addresses;
}

async function lookedUp(host: string, lookup: Lookup): Promise<readonly string[]> {
  const found = await lookup(host).catch(() => []);
  // Only an address may be written into a setting of git.
  return found.map(({ address }) => address).filter((address) => isIP(address) !== 0 && !address.includes('%'));
}
