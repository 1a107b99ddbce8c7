import { type Bundle, DomainError, isDomainError, isRefusal, notFound, type RequestTrace } from '../../domain/index.js';
import { type AuditAction, doneFromOutside, type NewAuditEvent } from '../../domain/supporting/audit/audit-event.js';
import type { BundleInspector, Inspection } from '../ports/outside/bundle-inspector.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { CapabilityPurpose, CapabilityUrls } from '../ports/outside/capability-urls.js';
import type { Clock } from '../ports/outside/clock.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import type { AuditedThing } from '../ports/repositories/audit-trail.js';
import type { RepositoryName, Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { Refusals } from '../supporting/audit/refusals.js';
import { refuseOldAttempt } from './attempt-age.js';

/** One sentence, so that a URL reveals neither what it was for nor why it ended. */
const unusableUrl = (noun: string): DomainError =>
  new DomainError(
    'resource/not-found',
    `the upload URL has expired or was altered, or may no longer be used; create a new ${noun} to get another`,
  );

/** How an upload begins. */
export type Reception<Read extends Inspection> =
  | { readonly inspect: () => Read }
  /** Clients retry: a resource that accepts no more bytes still succeeds for those that it holds. */
  | { readonly refusal: DomainError; readonly isHeld: () => Promise<boolean> };

/** The bytes that were stored, and the event that records them. */
export interface Received<Read extends Inspection> {
  readonly bundle: Bundle;
  readonly inspection: Read;
  readonly done: NewAuditEvent;
}

/** A file that is uploaded to a capability URL. `Found` is the resource it belongs to. */
export interface UploadedFile<Names extends RepositoryName, Found, Read extends Inspection = Inspection> {
  readonly purpose: CapabilityPurpose;
  readonly action: AuditAction;
  readonly kind: AuditedThing['kind'];
  /** The resource that the client creates to get another URL. */
  readonly noun: string;
  /**
   * The current resource. Throws `resource/not-found` once its creator has lost the right to upload to it. `known` is the
   * resource as it was found before.
   */
  readonly find: (tx: Transaction<Names>, id: string, known?: Found) => Promise<Found>;
  readonly begin: (tx: Transaction<Names>, found: Found, body: AsyncIterable<Uint8Array>) => Promise<Reception<Read>>;
  /** Locks what `take` relies on, before the resource is found again. */
  readonly lock?: (tx: Transaction<Names>, found: Found) => Promise<void>;
  /** Whether the resource accepted the bundle; false if it already holds the same bytes. */
  readonly take: (tx: Transaction<Names>, found: Found, received: Received<Read>) => Promise<boolean>;
  /** For archives: what a malformed one does to a resource that waits for it. */
  readonly errored?: {
    readonly action: AuditAction;
    readonly mark: (tx: Transaction<Names>, found: Found, errorMessage: string, done: NewAuditEvent) => Promise<void>;
  };
}

interface UploadRequest {
  readonly objectId: string;
  readonly body: AsyncIterable<Uint8Array>;
  /** Without it, a refusal is not recorded. */
  readonly request: RequestTrace | undefined;
}

type EventOf = (action: AuditAction) => NewAuditEvent;

/** Receives and stores files. */
export class Uploads {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly urls: CapabilityUrls,
    private readonly store: BundleStore,
    private readonly refusals: Refusals,
  ) {}

  /**
   * Receives the one of `files` that the object id is for, and records a refusal. Throws `resource/not-found` for an
   * invalid object id, `bundle/malformed` for an archive that is (the resource is then errored), and what the file and
   * `keep` throw. Nothing is stored of what is refused.
   */
  async receive<Names extends RepositoryName, Found, Read extends Inspection>(
    unitOfWork: UnitOfWork<Names>,
    files: readonly [UploadedFile<Names, Found, Read>, ...UploadedFile<Names, Found, Read>[]],
    { objectId, body, request }: UploadRequest,
  ): Promise<void> {
    const { file = files[0], id } = this.opened(files, objectId) ?? {};
    const eventOf: EventOf = (action) => doneFromOutside('upload-url', action, id ?? null, request);
    try {
      if (id === undefined) throw notFound();
      await this.accept(unitOfWork, file, id, body, eventOf);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (request !== undefined) {
        const about = id === undefined ? undefined : { kind: file.kind, id };
        this.refusals.note({ ...eventOf(file.action), outcome: error.code, about, request });
      }
      throw error.code === 'resource/not-found' ? unusableUrl(file.noun) : error;
    }
  }

  private async accept<Names extends RepositoryName, Found, Read extends Inspection>(
    unitOfWork: UnitOfWork<Names>,
    file: UploadedFile<Names, Found, Read>,
    id: string,
    body: AsyncIterable<Uint8Array>,
    eventOf: EventOf,
  ): Promise<void> {
    const { found, reception } = await unitOfWork.read(async (tx) => {
      const known = await file.find(tx, id);
      return { found: known, reception: await file.begin(tx, known, body) };
    });
    const find = (tx: Transaction<Names>) => file.find(tx, id, found);
    try {
      if ('refusal' in reception) {
        if (!(await reception.isHeld())) throw reception.refusal;
        await unitOfWork.read(find);
        return;
      }
      await this.keep(unitOfWork, reception.inspect(), async (tx, bundle, inspection) => {
        await file.lock?.(tx, found);
        return file.take(tx, await find(tx), { bundle, inspection, done: eventOf(file.action) });
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const refusal = await this.marked(unitOfWork, file, find, error, eventOf);
      // A creator who lost the right during the upload must not learn anything about the resource.
      await unitOfWork.read(find);
      throw refusal;
    }
  }

  /** The refusal as the client reads it and, for a malformed archive, as the resource keeps it. */
  private async marked<Names extends RepositoryName, Found>(
    unitOfWork: UnitOfWork<Names>,
    { errored, noun }: Pick<UploadedFile<Names, Found>, 'errored' | 'noun'>,
    find: (tx: Transaction<Names>) => Promise<Found>,
    refusal: DomainError,
    eventOf: EventOf,
  ): Promise<DomainError> {
    const { code, message, details, cause } = refusal;
    if (errored === undefined || code !== 'bundle/malformed') return refusal;
    const advice = `${message}; upload a correct archive to a new ${noun}`;
    await unitOfWork.run(async (tx) => errored.mark(tx, await find(tx), advice, eventOf(errored.action)));
    return new DomainError(code, advice, details, cause);
  }

  /**
   * Stores bytes under a new key without an open transaction, then lets a short transaction refer to them. `take` returns
   * whether it did; otherwise the bytes are discarded. Errors of the bytes or `take` are passed on, and nothing is stored;
   * an attempt that took too long throws `bundle/interrupted`.
   */
  async keep<Names extends RepositoryName, Read extends Inspection>(
    unitOfWork: UnitOfWork<Names>,
    inspection: Read,
    take: (tx: Transaction<Names>, bundle: Bundle, inspection: Read) => Promise<boolean>,
  ): Promise<void> {
    const key = this.ids.next('bundle');
    const begunAt = this.clock.now();
    await this.store.write(key, inspection.bytes);
    const { bytes, sha256 } = inspection.facts();
    let taken: boolean;
    try {
      taken = await unitOfWork.run(async (tx) => {
        const takes = await take(tx, { key, bytes, sha256 }, inspection);
        if (takes) refuseOldAttempt(begunAt, this.clock.now());
        return takes;
      });
    } catch (error) {
      // A refusal or a full disk means that nothing was committed; after any other failure the sweep checks the database.
      const keptNothing = isDomainError(error) && error.code !== 'service/unavailable';
      if (keptNothing) await this.store.discard(key).catch(() => undefined);
      throw error;
    }
    // The result stands: if settling the attempt fails here, the sweep does it.
    await (taken ? this.store.keep(key) : this.store.discard(key)).catch(() => undefined);
  }

  private opened<File extends { readonly purpose: CapabilityPurpose }>(files: readonly File[], objectId: string) {
    for (const file of files) {
      const id = this.urls.open(file.purpose, objectId, this.clock.now());
      if (id !== undefined) return { file, id };
    }
    return undefined;
  }
}

/** Whether the body, which is read to its end, is the bundle. */
export const isSame = async (inspector: BundleInspector, bundle: Bundle | null, body: AsyncIterable<Uint8Array>) =>
  bundle !== null && (await inspector.digest(body)).sha256 === bundle.sha256;

/** Passes bytes on, and calls `check` after the last. */
export async function* followedBy(bytes: AsyncIterable<Uint8Array>, check: () => unknown): AsyncGenerator<Uint8Array> {
  yield* bytes;
  check();
}

/** The refusal that `check` throws, if any. */
export function refusalOf(check: () => unknown): DomainError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return error;
    throw error;
  }
}
