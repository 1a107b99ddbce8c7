import { isIPv4 } from 'node:net';

const longestUrl = 2048;
const longestRef = 512;

const hostName = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/**
 * Characters with a meaning in a path to some servers only: encoded forms, and what follows a semicolon, which makes
 * `..` of `..;`.
 */
const trick = /[\\;]|%(?:2e|2f|3b|5c|25|[01][0-9a-f]|7f)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
const blankOrControl = /[\s\x00-\x1f\x7f-\x9f]/;

/**
 * The address in the one form that is checked, compared and asked; or the sentence of what is wrong with it. Says nothing
 * of where the host leads.
 */
export function readCloneUrl(text: string): URL | string {
  if (text.length > longestUrl) return `the clone URL is longer than ${longestUrl} characters`;
  if (blankOrControl.test(text)) return 'the clone URL contains spaces or control characters';
  // Programs differ in how they read "https:host" and "https:/host".
  if (!/^https?:\/\/[^/]/i.test(text)) return 'the clone URL must begin with https:// or http://';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'the clone URL is not a URL';
  if (url.username !== '' || url.password !== '' || /^[^/]+\/\/[^/]*@/.test(text)) {
    return 'the clone URL must not contain a user name or password; use a credential instead';
  }
  if (/[?#]/.test(text)) return 'the clone URL must not have a query or a fragment';
  const bracketed = url.hostname.startsWith('[');
  // A host that ends in a number was made an IPv4 address by the parser, or refused.
  if (!bracketed && !isIPv4(url.hostname) && !hostName.test(url.hostname)) {
    return 'the clone URL has an invalid host name';
  }
  if (url.port === '0') return 'the clone URL has an invalid port';
  const segments = text.split('/').slice(3);
  const inner = segments.at(-1) === '' ? segments.slice(0, -1) : segments;
  if (trick.test(text) || inner.some((segment) => /^\.{0,2}$/.test(segment))) {
    return 'the path of the clone URL contains ".", "..", ";", "\\", an empty segment, or an encoded form of these';
  }
  return url;
}

/** The host without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

export const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80');

/** Whether the host is named in the list, as it is or with the port. */
export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  const names = [url.hostname, hostOf(url), `${url.hostname}:${portOf(url)}`];
  return allowedHosts.some((allowed) => names.includes(allowed.toLowerCase()));
}

/** Whether `url` is what `prefix` names or lies below it. */
export function liesBelow(url: URL, prefix: URL): boolean {
  const path = (of: URL) => `${of.pathname.replace(/\/$/, '')}/`;
  return url.origin === prefix.origin && path(url).startsWith(path(prefix));
}

/** A name git takes for nothing but a full ref: no option, no pattern, no refspec, no revision. */
export const isFullRef = (ref: string): boolean =>
  ref.length <= longestRef &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is kept out.
  /^refs(?:\/[^\x00-\x20\x7f/~^:?*[\\]+){2,}$/.test(ref) &&
  !/\/\.|\.\.|\.(?:\/|$)|\.lock(?:\/|$)|@\{|\/-/.test(ref);

/** Whether git takes the path, after a commit and a colon, for a directory below the root. */
export const isDirectory = (path: string): boolean =>
  !/\p{Cc}/u.test(path) && path.split('/').every((segment) => !/^\.{0,2}$/.test(segment));

export const isCommitSha = (sha: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha);
