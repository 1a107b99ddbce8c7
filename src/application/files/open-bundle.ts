import { type Bundle, type DomainError, isDomainError, notFound } from '../../domain/index.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';

/**
 * Starts reading a bundle: once it resolves, the bytes remain available to the reader, who must iterate to the end or
 * end the iteration. Throws `missing` if there is no bundle, or if its bytes were discarded after the lookup.
 */
export async function openBundle(
  store: BundleStore,
  bundle: Pick<Bundle, 'key' | 'bytes'> | null | undefined,
  missing: DomainError = notFound(),
): Promise<AsyncIterable<Uint8Array>> {
  const bytes = bundle ? await store.read(bundle.key, undefined, bundle.bytes) : undefined;
  if (bytes === undefined) throw missing;
  const chunks = bytes[Symbol.asyncIterator]();
  let first: Promise<IteratorResult<Uint8Array>> | undefined = chunks.next();
  await first.catch((error: unknown) => {
    throw isDomainError(error) && error.code === 'resource/not-found' ? missing : error;
  });
  const next = () => {
    const chunk = first ?? chunks.next();
    first = undefined;
    return chunk;
  };
  const end = async (): Promise<IteratorResult<Uint8Array>> =>
    (await chunks.return?.()) ?? { done: true, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}
