/**
 * A capability URL as an address of the origin that this page came from: `PUBLIC_URL` may be another one, which the
 * content security policy forbids.
 */
export function ownAddress(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return pathname.slice(Math.max(0, pathname.indexOf('/v1/'))) + search;
}
