import { invalidAttribute } from './domain-error.js';
import { checkWebLink } from './web-link.js';

export const maxCalledUrl = 2048;

/** The form of a URL that the service calls. Throws `attribute/invalid`. The address itself is checked at each call. */
export function checkCalledUrl(url: string): void {
  const invalid = (sentence: string) => invalidAttribute('url', sentence);
  if (url.length > maxCalledUrl) throw invalid(`Url is too long (the maximum is ${maxCalledUrl})`);
  checkWebLink(url, 'Url', { attribute: 'url' });
  if (/^https?:\/\/[^/?#]*@/i.test(url)) throw invalid('Url must not contain a user name or password');
  if (url.includes('#')) throw invalid('Url must not have a fragment');
}
