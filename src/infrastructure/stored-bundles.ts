import { createHash } from 'node:crypto';
import type { BundleStore, StoredFile, UnitOfWork } from '../application/index.js';
import type { BundleKey } from '../domain/index.js';

interface Finding {
  readonly what: 'missing' | 'other bytes' | 'unreadable';
  /** The message of the failed read. */
  readonly why?: string;
}

export type Fault = StoredFile & Finding;

const atOnce = 500;

/** Every file the database refers to, page by page, while it may change. */
export async function* storedBytes(unitOfWork: UnitOfWork): AsyncGenerator<StoredFile> {
  const page = (after?: BundleKey) => unitOfWork.read((tx) => tx.storedFiles.page(atOnce, after));
  for (let part = await page(); part.length > 0; part = await page(part.at(-1)?.key)) yield* part;
}

/**
 * Reads every file the database refers to and returns the faults; undefined if there are none. Files discarded in the
 * meantime are skipped.
 */
export async function faultOf(
  stored: StoredFile,
  unitOfWork: UnitOfWork,
  store: Pick<BundleStore, 'read'>,
): Promise<Fault | undefined> {
  const found = await lookAt(stored, store);
  if (found === undefined) return undefined;
  const needed = await unitOfWork.read((tx) => tx.storedFiles.refersTo(stored.key));
  return needed ? { ...stored, ...found } : undefined;
}

async function lookAt(stored: StoredFile, store: Pick<BundleStore, 'read'>): Promise<Finding | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const chunks = await store.read(stored.key);
    if (chunks === undefined) return { what: 'missing' };
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    const { message, cause } = error as Error;
    return { what: 'unreadable', why: cause === undefined ? message : `${message}: ${cause}` };
  }
  const { known } = stored;
  const same = known === null || (known.bytes === bytes && known.sha256 === hash.digest('hex'));
  return same ? undefined : { what: 'other bytes' };
}
