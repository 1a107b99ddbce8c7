import { type BundleKey, DomainError } from '../../domain/index.js';

export const malformed = (sentence: string): DomainError => new DomainError('bundle/malformed', sentence);

/** `limit` is the name of the setting. */
export const overLimit = (sentence: string, limit: string, allowed: number): DomainError =>
  new DomainError('bundle/over-limit', `${sentence} than ${limit} allows (${allowed})`);

/** The fault of bytes that were there when they were looked for. */
export const goneSince = (key: BundleKey): DomainError =>
  new DomainError('resource/not-found', `bundle ${key} was discarded before it was read`);

const longestShown = 200;

/** A name out of an archive, fit to be put into a sentence. */
export const quoted = (name: string): string =>
  JSON.stringify(name.length > longestShown ? `${name.slice(0, longestShown)}…` : name);
