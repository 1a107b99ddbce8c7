import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { refuseOldAttempt } from '../../application/files/attempt-age.js';
import type { BundleFound, BundleStore, ByteRange } from '../../application/ports/outside/bundle-store.js';
import { type BundleKey, DomainError, type Instant } from '../../domain/index.js';
import { goneSince } from './bundle-faults.js';
import { checkKey, isKey } from './bundle-key.js';

export interface S3BundleStoreOptions {
  readonly client: S3Client;
  readonly bucket: string;
  /** How long a URL of `temporaryUrl` lives; without it there are none. */
  readonly urlSeconds?: number;
  readonly patience?: S3Patience;
  /** Larger bundles are sent in parts of this size; stores take no smaller ones than the usual. */
  readonly partBytes?: number;
}

/** How long one try may take, in milliseconds. There are three at most. */
export interface S3Patience {
  /** Of a request without a bundle's bytes; of the beginning of a download, and of each silence within one. */
  readonly answer: number;
  /** Of a request with bytes in it. */
  readonly transfer: number;
  /** Before another try; some of it is left to chance, so that many do not try at once. */
  readonly pause: number;
}

const usualPatience: S3Patience = { answer: 20_000, transfer: 60_000, pause: 200 };

const usualPartBytes = 5 * 1024 * 1024;

/** What stores take at most. */
const longestUrlSeconds = 7 * 86_400;

/** An `endpoint` is spoken to in path style, which every such store understands; without one it is Amazon's. */
export const s3Client = (options: { readonly endpoint: string | undefined; readonly region: string }): S3Client =>
  new S3Client({
    region: options.region,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint, forcePathStyle: true }),
    // Checksums of newer kinds, and announcing a body before it is sent, are not understood everywhere.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // Tries are counted here: whether one may be repeated depends on what it does.
    maxAttempts: 1,
    // Readers hold their connection for as long as they read, and must not keep others from getting one.
    requestHandler: {
      connectionTimeout: 5_000,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
      httpsAgent: { maxSockets: Number.POSITIVE_INFINITY },
    },
  });

/**
 * Bundles stand below `bundles/`. An attempt is marked by an object below `unsettled/` from before anything else of it
 * is there until after nothing else is, or until a version refers to it: what the sweep does not find has no mark, and
 * needs none. The bucket belongs to one installation.
 *
 * Age is told by the store's clock: the client knows it, within two seconds, by the date of each answer.
 */
export class S3BundleStore implements BundleStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly patience: S3Patience;

  constructor(private readonly options: S3BundleStoreOptions) {
    this.client = options.client;
    this.bucket = options.bucket;
    this.patience = options.patience ?? usualPatience;
  }

  /** Undefined when the bucket can be used; otherwise why not, and whether the store said so itself. */
  async fault(): Promise<{ readonly sentence: string; readonly definite: boolean } | undefined> {
    try {
      await this.ask('HeadBucket', () => this.client.send(new HeadBucketCommand(this.named()), this.within('answer')));
      return undefined;
    } catch (error) {
      const cause = (error as DomainError).cause as StoreFault;
      const status = cause.status ?? 0;
      return {
        sentence: cause.message,
        definite: cause.noCredentials || (status >= 300 && status < 500 && ![408, 429].includes(status)),
      };
    }
  }

  /** Holds two parts at a time, whatever the size: one that fills, and one that is sent. */
  async write(key: BundleKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const bundle = bundleOf(key);
    if (await this.holds(bundle)) throw new Error(`bundle ${key} is written already`);
    await this.put(markOf(key), new Uint8Array());
    const begunAt = this.now();
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
          // Only where the store answered everything: what it left open may yet take effect, and is left to the sweep.
          await sending.then(() => (inDoubt ? undefined : this.discard(key))).catch(() => undefined);
          throw error;
        });
        if (part.done) break;
        ended = part.value.last;
        if (ended && uploadId === undefined) return await this.put(bundle, part.value.bytes, begunAt);
        uploadId ??= await this.beginUpload(bundle, begunAt);
        await sending;
        const number = sent.length + 1;
        const place: CompletedPart = { PartNumber: number };
        sent.push(place);
        sending = this.sendPart(bundle, uploadId, number, part.value.bytes, doubt).then((etag) => {
          place.ETag = etag;
        });
        sending.catch(() => undefined);
      }
      await sending;
      await this.complete(bundle, uploadId, sent, begunAt);
    } finally {
      await parts.return(undefined);
    }
  }

  async keep(key: BundleKey): Promise<void> {
    await this.remove(markOf(key));
  }

  /** The mark goes last: while anything is left, the attempt is found again. */
  async discard(key: BundleKey): Promise<void> {
    const bundle = bundleOf(key);
    for (const uploadId of await this.openUploads(bundle)) await this.abort(bundle, uploadId);
    await this.remove(bundle);
    await this.remove(markOf(key));
  }

  async read(key: BundleKey, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    return (await this.holds(bundleOf(key))) ? this.chunks(key, range) : undefined;
  }

  async temporaryUrl(key: BundleKey): Promise<string | undefined> {
    const { urlSeconds } = this.options;
    const reading = new GetObjectCommand({
      ...this.named(bundleOf(key)),
      ResponseContentType: 'application/octet-stream',
      ResponseContentDisposition: 'attachment; filename="configuration.tar.gz"',
    });
    if (urlSeconds === undefined) return undefined;
    const expiresIn = Math.min(urlSeconds, longestUrlSeconds);
    return this.ask('presigning', () => getSignedUrl(this.client, reading, { expiresIn }));
  }

  async unsettled(olderThanSeconds: number): Promise<readonly BundleKey[]> {
    const keys: BundleKey[] = [];
    for await (const { key, ageSeconds } of this.below(marks)) if (ageSeconds >= olderThanSeconds) keys.push(key);
    return keys;
  }

  all(): AsyncIterable<BundleFound> {
    return this.below(bundles);
  }

  private async *below(Prefix: string): AsyncGenerator<BundleFound> {
    let ContinuationToken: string | undefined;
    do {
      const page = await this.ask('ListObjectsV2', () =>
        this.client.send(
          new ListObjectsV2Command({ ...this.named(), Prefix, ContinuationToken }),
          this.within('answer'),
        ),
      );
      const now = Date.parse(this.now());
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        const key = Key.slice(Prefix.length);
        if (!isKey(key) || LastModified === undefined) continue;
        yield { key, bytes: Size, ageSeconds: (now - LastModified.getTime()) / 1000 };
      }
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  private async holds(name: string): Promise<boolean> {
    const found = await this.ask('HeadObject', () =>
      this.client.send(new HeadObjectCommand(this.named(name)), this.within('answer')).catch(unlessMissing),
    );
    return found !== undefined;
  }

  private async *chunks(key: BundleKey, range: ByteRange | undefined): AsyncGenerator<Uint8Array> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const answer = await this.ask('GetObject', () =>
      this.client
        .send(new GetObjectCommand({ ...this.named(bundleOf(key)), Range }), { requestTimeout: this.patience.answer })
        .catch((error) => (statusOf(error) === 416 ? 'nothing' : unlessMissing(error))),
    );
    if (answer === 'nothing') return;
    if (answer === undefined) throw goneSince(key);
    const body = answer.Body as Readable;
    const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    try {
      for (;;) {
        const silence = setTimeout(
          () => body.destroy(new Error('it fell silent in the middle of a bundle')),
          this.patience.answer,
        );
        const next = await chunks.next().finally(() => clearTimeout(silence));
        if (next.done) return;
        yield next.value;
      }
    } catch (error) {
      throw unavailable('GetObject', error);
    } finally {
      body.destroy();
    }
  }

  private async put(name: string, bytes: Uint8Array, once?: Instant): Promise<void> {
    const command = { ...this.named(name), Body: bytes, ContentType: 'application/octet-stream' };
    await this.ask('PutObject', () => this.client.send(new PutObjectCommand(command), this.within('transfer')), {
      once,
    });
  }

  private async beginUpload(name: string, once: Instant): Promise<string> {
    const command = { ...this.named(name), ContentType: 'application/octet-stream' };
    const { UploadId } = await this.ask(
      'CreateMultipartUpload',
      () => this.client.send(new CreateMultipartUploadCommand(command), this.within('answer')),
      { once },
    );
    return UploadId as string;
  }

  private async sendPart(
    name: string,
    UploadId: string,
    PartNumber: number,
    Body: Uint8Array,
    onDoubt: () => void,
  ): Promise<string> {
    const command = { ...this.named(name), UploadId, PartNumber, Body };
    const { ETag } = await this.ask(
      'UploadPart',
      () => this.client.send(new UploadPartCommand(command), this.within('transfer')),
      { onDoubt },
    );
    return ETag as string;
  }

  private async complete(
    name: string,
    UploadId: string | undefined,
    Parts: CompletedPart[],
    once: Instant,
  ): Promise<void> {
    const command = { ...this.named(name), UploadId, MultipartUpload: { Parts } };
    await this.ask(
      'CompleteMultipartUpload',
      () => this.client.send(new CompleteMultipartUploadCommand(command), this.within('transfer')),
      { once },
    );
  }

  private async abort(name: string, UploadId: string): Promise<void> {
    await this.ask('AbortMultipartUpload', () =>
      this.client
        .send(new AbortMultipartUploadCommand({ ...this.named(name), UploadId }), this.within('answer'))
        .catch(unlessMissing),
    );
  }

  private async remove(name: string): Promise<void> {
    await this.ask('DeleteObject', () =>
      this.client.send(new DeleteObjectCommand(this.named(name)), this.within('answer')).catch(unlessMissing),
    );
  }

  private async openUploads(name: string): Promise<readonly string[]> {
    const ids: string[] = [];
    let markers: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } | undefined;
    do {
      const page = await this.ask('ListMultipartUploads', () =>
        this.client.send(
          new ListMultipartUploadsCommand({ ...this.named(), Prefix: name, ...markers }),
          this.within('answer'),
        ),
      );
      for (const { Key, UploadId } of page.Uploads ?? []) {
        if (Key === name && UploadId !== undefined) ids.push(UploadId);
      }
      const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      markers = IsTruncated ? { KeyMarker, UploadIdMarker } : undefined;
    } while (markers !== undefined);
    return ids;
  }

  /**
   * Tries up to three times. `once` is when the attempt was begun of which something would appear that does not go away
   * by itself. That is asked for once only, unless the store says that it did not do it: of a try without an answer
   * nobody knows whether it takes effect yet. And not at all once the sweep may have passed, and the mark be gone.
   */
  private async ask<Answer>(
    operation: string,
    send: () => Promise<Answer>,
    { once, onDoubt }: { readonly once?: Instant | undefined; readonly onDoubt?: () => void } = {},
  ): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      if (once !== undefined) refuseOldAttempt(once, this.now());
      try {
        return await send();
      } catch (error) {
        const open = isOpen(error);
        if (open) onDoubt?.();
        if (tries === 3 || !(refusedForNow(error) || (open && once === undefined))) throw unavailable(operation, error);
        await pause(this.patience.pause * tries * (0.5 + Math.random()));
      }
    }
  }

  private now(): Instant {
    return new Date(Date.now() + this.client.config.systemClockOffset).toISOString();
  }

  /** Bounds one try, the reading of its answer included. */
  private within(kind: 'answer' | 'transfer'): { readonly abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.timeout(this.patience[kind]) };
  }

  private named(): { readonly Bucket: string };
  private named(name: string): { readonly Bucket: string; readonly Key: string };
  private named(Key?: string): object {
    return { Bucket: this.bucket, ...(Key === undefined ? {} : { Key }) };
  }
}

const marks = 'unsettled/';
const markOf = (key: BundleKey): string => marks + checkKey(key);
const bundles = 'bundles/';
const bundleOf = (key: BundleKey): string => bundles + checkKey(key);

/** What the store said, or why it said nothing, without what it may repeat of the request. */
class StoreFault extends Error {
  override readonly name = 'StoreFault';

  constructor(
    operation: string,
    error: unknown,
    readonly status = statusOf(error),
    readonly noCredentials = lacksCredentials(error),
  ) {
    const { name, message } = error as Error;
    // An answer to a HEAD has no words in it.
    const words = name.startsWith('Unknown') || name === String(status) ? [] : [`${name}: ${message}`];
    super([operation, ...(status === undefined ? [] : [`answered ${status}`]), ...words].join(', '));
  }
}

const unavailable = (operation: string, error: unknown): DomainError =>
  new DomainError(
    'service/unavailable',
    'the archive store cannot be used at the moment',
    {},
    new StoreFault(operation, error),
  );

const metadataOf = (error: unknown): { httpStatusCode?: number; clockSkewCorrected?: boolean } =>
  (error as { $metadata?: object }).$metadata ?? {};

const statusOf = (error: unknown): number | undefined => metadataOf(error).httpStatusCode;

/** Whether the store says that it did nothing, and may next time: by then we know what time it is there. */
const refusedForNow = (error: unknown): boolean =>
  [429, 503].includes(statusOf(error) ?? 0) || metadataOf(error).clockSkewCorrected === true;

/** Whether nobody knows if it took effect, or yet will. */
const isOpen = (error: unknown): boolean => {
  const status = statusOf(error);
  return status === undefined ? !lacksCredentials(error) : !refusedForNow(error) && (status >= 500 || status === 408);
};

const lacksCredentials = (error: unknown): boolean => (error as Error).name === 'CredentialsProviderError';

function unlessMissing(error: unknown): undefined {
  if (statusOf(error) !== 404 || (error as Error).name === 'NoSuchBucket') throw error;
}

/** Cuts a stream into parts. A part's bytes are good until the one after the next is asked for. */
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
