import { type CompletedPart, S3Client } from '@aws-sdk/client-s3';
import type { BundleFound, BundleStore, ByteRange } from '../../application/ports/outside/bundle-store.js';
import type { BundleKey } from '../../domain/index.js';
import { goneSince } from './bundle-faults.js';
import { checkKey, isKey } from './bundle-key.js';
import { S3Bucket, type S3Timeouts } from './s3-bucket.js';
import { faultOf } from './s3-faults.js';

export interface S3BundleStoreOptions {
  readonly client: S3Client;
  readonly bucket: string;
  /** The lifetime of a URL of `temporaryUrl`; without it there are no such URLs. */
  readonly urlSeconds?: number;
  readonly timeouts?: S3Timeouts;
  /** Larger bundles are uploaded in parts of this size; stores commonly refuse smaller ones. */
  readonly partBytes?: number;
}

const usualPartBytes = 5 * 1024 * 1024;

/** An `endpoint` is addressed in path style, which every compatible store supports; without one, Amazon S3 is used. */
export const s3Client = (options: { readonly endpoint: string | undefined; readonly region: string }): S3Client =>
  new S3Client({
    region: options.region,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint, forcePathStyle: true }),
    // Not every store supports newer checksums, or `Expect: 100-continue`.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // Retries are counted here: whether a request may be retried depends on its effect.
    maxAttempts: 1,
    // Readers hold their connection while they read, and must not keep others from getting one.
    requestHandler: {
      connectionTimeout: 5_000,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
      httpsAgent: { maxSockets: Number.POSITIVE_INFINITY },
    },
  });

/**
 * Bundles are stored under `bundles/`. A mark, an object under `unsettled/`, is written before anything else of an
 * attempt and removed after everything else is, or once a version refers to the bundle. An object that the sweep does
 * not find therefore has no mark and needs none. The bucket belongs to one installation.
 *
 * Age follows the store's clock, which the client knows to within two seconds from the date of each response.
 */
export class S3BundleStore implements BundleStore {
  private readonly bucket: S3Bucket;

  constructor(private readonly options: S3BundleStoreOptions) {
    this.bucket = new S3Bucket(options.client, options.bucket, options.timeouts);
  }

  /** Undefined when the bucket can be used; otherwise the reason, and whether the store itself reported it. */
  async fault(): Promise<{ readonly sentence: string; readonly definite: boolean } | undefined> {
    try {
      await this.bucket.head();
      return undefined;
    } catch (error) {
      const { message: sentence, status = 0, noCredentials } = faultOf(error);
      return { sentence, definite: noCredentials || (status >= 300 && status < 500 && ![408, 429].includes(status)) };
    }
  }

  /** Holds two parts at a time, whatever the size: one being filled and one being sent. */
  async write(key: BundleKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const bundle = bundleOf(key);
    if (await this.bucket.holds(bundle)) throw new Error(`bundle ${key} is written already`);
    await this.bucket.put(markOf(key), new Uint8Array());
    const begunAt = this.bucket.now();
    const parts = inParts(bytes, this.options.partBytes ?? usualPartBytes);
    const sent: CompletedPart[] = [];
    let uploadId: string | undefined;
    let sending: Promise<unknown> = Promise.resolve();
    let inDoubt = false;
    const doubt = () => {
      inDoubt = true;
    };
    try {
      for (let ended = false; !ended; ) {
        const part = await parts.next().catch(async (error: unknown) => {
          // Only if every request was answered: an unanswered one may still take effect, so the sweep removes those.
          await sending.then(() => (inDoubt ? undefined : this.discard(key))).catch(() => undefined);
          throw error;
        });
        if (part.done) break;
        ended = part.value.last;
        if (ended && uploadId === undefined) return await this.bucket.put(bundle, part.value.bytes, begunAt);
        uploadId ??= await this.bucket.beginUpload(bundle, begunAt);
        await sending;
        sending = this.bucket
          .sendPart(bundle, uploadId, sent.length + 1, part.value.bytes, doubt)
          .then((part) => sent.push(part));
        sending.catch(() => undefined);
      }
      await sending;
      await this.bucket.completeUpload(bundle, uploadId as string, sent, begunAt);
    } finally {
      await parts.return(undefined);
    }
  }

  async keep(key: BundleKey): Promise<void> {
    await this.bucket.remove(markOf(key));
  }

  /** The mark goes last: while anything is left, the sweep finds the attempt again. */
  async discard(key: BundleKey): Promise<void> {
    const bundle = bundleOf(key);
    await this.bucket.abortUploads(bundle);
    await this.bucket.remove(bundle);
    await this.bucket.remove(markOf(key));
  }

  async read(key: BundleKey, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    const bundle = bundleOf(key);
    return (await this.bucket.holds(bundle)) ? this.bucket.read(bundle, range, () => goneSince(key)) : undefined;
  }

  async temporaryUrl(key: BundleKey): Promise<string | undefined> {
    const { urlSeconds } = this.options;
    return urlSeconds === undefined ? undefined : this.bucket.urlOf(bundleOf(key), urlSeconds);
  }

  async unsettled(olderThanSeconds: number): Promise<readonly BundleKey[]> {
    const keys: BundleKey[] = [];
    for await (const { key, ageSeconds } of this.below(marks)) if (ageSeconds >= olderThanSeconds) keys.push(key);
    return keys;
  }

  all(): AsyncIterable<BundleFound> {
    return this.below(bundles);
  }

  private async *below(prefix: string): AsyncGenerator<BundleFound> {
    let next: string | undefined;
    do {
      const page = await this.bucket.list(prefix, next);
      const now = Date.parse(this.bucket.now());
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        const key = Key.slice(prefix.length);
        if (!isKey(key) || LastModified === undefined) continue;
        yield { key, bytes: Size, ageSeconds: (now - LastModified.getTime()) / 1000 };
      }
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }
}

const marks = 'unsettled/';
const markOf = (key: BundleKey): string => marks + checkKey(key);
const bundles = 'bundles/';
const bundleOf = (key: BundleKey): string => bundles + checkKey(key);

/** Cuts a stream into parts. A part's bytes are valid until the part after the next is read. */
async function* inParts(
  bytes: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly last: boolean }> {
  let filling: Buffer = Buffer.allocUnsafe(partBytes);
  let other: Buffer | undefined;
  let filled = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      if (filled === partBytes) {
        yield { bytes: filling, last: false };
        [filling, other] = [other ?? Buffer.allocUnsafe(partBytes), filling];
        filled = 0;
      }
      const taken = chunk.subarray(at, at + partBytes - filled);
      filling.set(taken, filled);
      filled += taken.length;
      at += taken.length;
    }
  }
  yield { bytes: filling.subarray(0, filled), last: true };
}
