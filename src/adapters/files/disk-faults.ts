import { DomainError } from '../../domain/index.js';

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
