import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type $Command,
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
  type S3Client,
  type S3ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { refuseOldAttempt } from '../../application/files/attempt-age.js';
import type { ByteRange } from '../../application/ports/outside/bundle-store.js';
import type { Instant } from '../../domain/index.js';
import { faultOf, isOpen, refusedForNow, unavailable, undefinedIfMissing } from './s3-faults.js';

/** How long one try may take, in milliseconds. There are at most three tries. */
export interface S3Timeouts {
  /** For a request without a bundle's bytes, for the beginning of a download, and for each silence within one. */
  readonly answer: number;
  /** For a request that carries bytes. */
  readonly transfer: number;
  /** Before another try. Partly random, so that clients do not all retry at once. */
  readonly pause: number;
}

const defaultTimeouts: S3Timeouts = { answer: 20_000, transfer: 60_000, pause: 200 };

/** The maximum lifetime that stores allow. */
const longestUrlSeconds = 7 * 86_400;

type Command<Input extends ServiceInputTypes, Output extends ServiceOutputTypes> = $Command<
  Input,
  Output,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>;

interface Repeating {
  readonly once?: Instant | undefined;
  readonly onDoubt?: () => void;
}

interface Asking extends Repeating {
  /** The timeout of one try, including reading the response; `beginning` excludes the reading. */
  readonly within?: 'answer' | 'transfer' | 'beginning';
}

/** The requests to one bucket, each retried where that is safe. */
export class S3Bucket {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
    private readonly timeouts: S3Timeouts = defaultTimeouts,
  ) {}

  /** The store's time, as its responses report it. */
  now(): Instant {
    return new Date(Date.now() + this.client.config.systemClockOffset).toISOString();
  }

  async head(): Promise<void> {
    await this.send(() => new HeadBucketCommand({ Bucket: this.bucket }));
  }

  async holds(name: string): Promise<boolean> {
    return (await this.send(() => new HeadObjectCommand(this.named(name))).catch(undefinedIfMissing)) !== undefined;
  }

  /** A page of the keys under `Prefix`. */
  list(Prefix: string, ContinuationToken: string | undefined) {
    return this.send(() => new ListObjectsV2Command({ Bucket: this.bucket, Prefix, ContinuationToken }));
  }

  /** Throws the error that `missing` makes when the object does not exist. */
  async *read(name: string, range: ByteRange | undefined, missing: () => Error): AsyncGenerator<Uint8Array> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const command = () => new GetObjectCommand({ ...this.named(name), Range });
    const answer = await this.send(command, { within: 'beginning' }).catch((error: unknown) =>
      faultOf(error).status === 416 ? 'nothing' : undefinedIfMissing(error),
    );
    if (answer === 'nothing') return;
    if (answer === undefined) throw missing();
    const body = answer.Body as Readable;
    const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    try {
      for (;;) {
        const silence = setTimeout(
          () => body.destroy(new Error('the store stopped responding in the middle of a bundle')),
          this.timeouts.answer,
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

  urlOf(name: string, seconds: number): Promise<string> {
    const reading = new GetObjectCommand({
      ...this.named(name),
      ResponseContentType: octets,
      ResponseContentDisposition: 'attachment; filename="configuration.tar.gz"',
    });
    const expiresIn = Math.min(seconds, longestUrlSeconds);
    return this.repeated('presigning', () => getSignedUrl(this.client, reading, { expiresIn }));
  }

  async put(name: string, Body: Uint8Array, once?: Instant): Promise<void> {
    const command = () => new PutObjectCommand({ ...this.named(name), Body, ContentType: octets });
    await this.send(command, { within: 'transfer', once });
  }

  async remove(name: string): Promise<void> {
    await this.send(() => new DeleteObjectCommand(this.named(name))).catch(undefinedIfMissing);
  }

  async beginUpload(name: string, once: Instant): Promise<string> {
    const command = () => new CreateMultipartUploadCommand({ ...this.named(name), ContentType: octets });
    return (await this.send(command, { once })).UploadId as string;
  }

  /**
   * Returns the part as the request that completes the upload must name it. `onDoubt` is called when a try may still
   * take effect.
   */
  async sendPart(
    name: string,
    UploadId: string,
    PartNumber: number,
    Body: Uint8Array,
    onDoubt: () => void,
  ): Promise<CompletedPart> {
    const command = () => new UploadPartCommand({ ...this.named(name), UploadId, PartNumber, Body });
    const { ETag } = await this.send(command, { within: 'transfer', onDoubt });
    return { PartNumber, ETag };
  }

  async completeUpload(name: string, UploadId: string, Parts: CompletedPart[], once: Instant): Promise<void> {
    const command = () =>
      new CompleteMultipartUploadCommand({ ...this.named(name), UploadId, MultipartUpload: { Parts } });
    await this.send(command, { within: 'transfer', once });
  }

  async abortUploads(name: string): Promise<void> {
    for (const UploadId of await this.openUploads(name)) {
      await this.send(() => new AbortMultipartUploadCommand({ ...this.named(name), UploadId })).catch(
        undefinedIfMissing,
      );
    }
  }

  private async openUploads(name: string): Promise<readonly string[]> {
    const ids: string[] = [];
    let markers: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } | undefined;
    do {
      const command = () => new ListMultipartUploadsCommand({ Bucket: this.bucket, Prefix: name, ...markers });
      const page = await this.send(command);
      for (const { Key, UploadId } of page.Uploads ?? []) {
        if (Key === name && UploadId !== undefined) ids.push(UploadId);
      }
      const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      markers = IsTruncated ? { KeyMarker, UploadIdMarker } : undefined;
    } while (markers !== undefined);
    return ids;
  }

  private send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    make: () => Command<Input, Output>,
    { within = 'answer', ...repeating }: Asking = {},
  ): Promise<Output> {
    const operation = make().constructor.name.replace(/Command$/, '');
    const bound = () =>
      within === 'beginning'
        ? { requestTimeout: this.timeouts.answer }
        : { abortSignal: AbortSignal.timeout(this.timeouts[within]) };
    return this.repeated(operation, () => this.client.send(make(), bound()), repeating);
  }

  /**
   * Tries up to three times. `once` is the start of the attempt, for a request that creates something that no lifecycle
   * rule removes. Such a request is sent again only if the store reports that it did nothing, because a request without
   * a response may still take effect. It is never sent once the sweep may have passed and removed the mark.
   */
  private async repeated<Answer>(
    operation: string,
    send: () => Promise<Answer>,
    { once, onDoubt }: Repeating = {},
  ): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      if (once !== undefined) refuseOldAttempt(once, this.now());
      try {
        return await send();
      } catch (error) {
        const open = isOpen(error);
        if (open) onDoubt?.();
        if (tries === 3 || !(refusedForNow(error) || (open && once === undefined))) throw unavailable(operation, error);
        await pause(this.timeouts.pause * tries * (0.5 + Math.random()));
      }
    }
  }

  private named(Key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.bucket, Key };
  }
}

const octets = 'application/octet-stream';
