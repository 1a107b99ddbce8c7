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

/** A temporary condition of the disk as an error for callers; any other error unchanged. `what` could not be stored. */
export function diskFault(error: unknown, what: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new DomainError('service/storage-full', `no space left to store ${what}`, {}, error);
    case 'EIO':
    case 'EROFS':
    case 'EMFILE':
    case 'ENFILE':
      return new DomainError('service/unavailable', `${what} cannot be stored right now`, {}, error);
    default:
      return error;
  }
}
