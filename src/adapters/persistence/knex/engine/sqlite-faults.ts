import { DomainError } from '../../../../domain/index.js';
import { stale } from './statements.js';

/** SQLite's primary codes that are caused by the file, its disk or another process, by the sentence that callers receive. */
const unavailable: Readonly<Record<string, readonly string[]>> = {
  'the database is locked by another process': ['BUSY', 'LOCKED', 'PROTOCOL'],
  'the database is read-only': ['READONLY'],
  "the database's file cannot be read or written": ['CANTOPEN', 'IOERR', 'PERM'],
  'the database has no memory': ['NOMEM'],
};

const sentences = new Map(
  Object.entries(unavailable).flatMap(([sentence, codes]) => codes.map((code) => [code, sentence])),
);

/** Extended codes, such as `SQLITE_IOERR_READ`, begin with a primary one. */
const sentenceOf = (code: string): string | undefined => sentences.get(/^SQLITE_([A-Z]+)/.exec(code)?.[1] ?? '');

/** Passes the result on, and rejects with a refusal for callers while the file or its disk fails. */
export const withMappedFaults = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    const { code = '' } = error as { readonly code?: string };
    if (code === 'SQLITE_FULL') {
      throw new DomainError('service/storage-full', "the database's disk is full", {}, error);
    }
    // As on Postgres, where another transaction may have removed what a row refers to.
    if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') throw stale('what the change refers to is gone');
    const sentence = sentenceOf(code);
    if (sentence !== undefined) throw new DomainError('service/unavailable', sentence, {}, error);
    throw error;
  });
