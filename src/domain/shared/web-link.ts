import { type AtFault, DomainError } from './domain-error.js';

const webLink = /^https?:\/\/[^\s\p{Cc}/?#][^\s\p{Cc}]*$/iu;

/** Readers may follow it as a link: an absolute URL of http or https. Throws `attribute/invalid`, at `where`. */
export function checkWebLink(url: string, label: string, where: AtFault): void {
  if (!webLink.test(url))
    throw new DomainError('attribute/invalid', `${label} must be an https:// or http:// URL`, where);
}
