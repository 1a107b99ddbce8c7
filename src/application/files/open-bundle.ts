import { type Bundle, type DomainError, isDomainError, notFound } from '../../domain/index.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';

/**
 * The bytes of a bundle, begun: once it answers they stay there for the reader, who must iterate or end the iteration.
 * Throws `missing` where there is no bundle, or its bytes went away since it was looked up.
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
