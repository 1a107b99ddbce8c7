import { DomainError } from '../../../../domain/index.js';
import { stale } from './statements.js';

/** The beginnings of what SQLite calls it when it is not the statement's fault, but the disk's or another process's. */
const unavailable = /^SQLITE_(IOERR|BUSY|CANTOPEN|READONLY|PROTOCOL)/;

/** Passes the result on, and words for callers what the file or its disk cannot do at the moment. */
export const sayingWhatFails = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    const { code = '' } = error as { readonly code?: string };
    if (code === 'SQLITE_FULL') {
      throw new DomainError('service/storage-full', "the database's disk is full", {}, error);
    }
    // As on Postgres, where another transaction may have removed what a row refers to.
    if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') throw stale('what the change refers to is gone');
    if (unavailable.test(code)) {
      throw new DomainError('service/unavailable', 'the database is unavailable', {}, error);
    }
    throw error;
  });
