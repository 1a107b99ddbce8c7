import { createHash } from 'node:crypto';
import type { BundleStore, UnitOfWork } from '../application/index.js';
import type { Bundle, BundleKey, ConfigurationVersionId, RunId } from '../domain/index.js';

/** Bytes the database says are stored. What a run fetched for itself goes by its key alone. */
export interface StoredBytes extends Partial<Omit<Bundle, 'key'>> {
  readonly of: ConfigurationVersionId | RunId;
  readonly key: BundleKey;
}

interface Finding {
  readonly what: 'missing' | 'other bytes' | 'unreadable';
  /** In the words of whoever could not read it. */
  readonly why?: string;
}

export type Fault = StoredBytes & Finding;

const atOnce = 500;

/** Everything the database refers to, a part at a time, while it may change. */
export async function* storedBytes(unitOfWork: UnitOfWork): AsyncGenerator<StoredBytes> {
  const versions = (after?: ConfigurationVersionId) =>
    unitOfWork.read((tx) => tx.configurationVersions.storedBundles(atOnce, after));
  for (let part = await versions(); part.length > 0; part = await versions(part.at(-1)?.id)) {
    for (const { id, bundle } of part) yield { of: id, ...bundle };
  }
  const runs = (after?: RunId) => unitOfWork.read((tx) => tx.runs.storedFiles(atOnce, after));
  for (let part = await runs(); part.length > 0; part = await runs(part.at(-1)?.id)) {
    for (const { id, key } of part) yield { of: id, key };
  }
}

/**
 * Reads all the database refers to, and answers what is amiss with it; undefined when nothing is. What was given up in
 * the meantime is none of its business.
 */
export async function faultOf(
  stored: StoredBytes,
  unitOfWork: UnitOfWork,
  store: Pick<BundleStore, 'read'>,
): Promise<Fault | undefined> {
  const found = await lookAt(stored, store);
  if (found === undefined) return undefined;
  const { key } = stored;
  const needed = await unitOfWork.read(
    async (tx) => (await tx.configurationVersions.refersTo(key)) || (await tx.runs.refersTo(key)),
  );
  return needed ? { ...stored, ...found } : undefined;
}

async function lookAt(stored: StoredBytes, store: Pick<BundleStore, 'read'>): Promise<Finding | undefined> {
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
  const same = bytes === (stored.bytes ?? bytes) && [undefined, hash.digest('hex')].includes(stored.sha256);
  return same ? undefined : { what: 'other bytes' };
}
