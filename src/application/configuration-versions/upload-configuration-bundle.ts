import {
  type Bundle,
  type ConfigurationVersion,
  type ConfigurationVersionId,
  type DomainError,
  doneFromOutside,
  isDomainError,
  isRefusal,
  notFound,
  type RequestTrace,
} from '../../domain/index.js';
import type { ByteQuota } from '../organizations/byte-quota.js';
import type { BundleInspector } from '../ports/bundle-inspector.js';
import type { BundleStore } from '../ports/bundle-store.js';
import type { CapabilityUrls } from '../ports/capability-urls.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.js';
import { storeBytes } from './bundle-attempt.js';
import { keepVersion } from './keep-version.js';

/** What only the request knows. */
export interface UploadFrom {
  readonly request?: RequestTrace | undefined;
  /** Told whose upload it is once the object id has proved good. */
  readonly opened?: (id: ConfigurationVersionId) => void;
}

/**
 * PUT /v1/object/:objectId. The bytes are checked and stored while they arrive, with no transaction open; one short
 * transaction then makes them the version's. Of uploads at once the last to finish wins, whole.
 */
export class UploadConfigurationBundle {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly urls: CapabilityUrls,
    private readonly inspector: BundleInspector,
    private readonly store: BundleStore,
    private readonly quota: ByteQuota,
  ) {}

  /**
   * Throws `resource/not-found` for a bad object id, `configuration-version/upload-refused` where the version takes no
   * bytes, `bundle/malformed` (a pending version is then `errored`), `bundle/over-limit`, `organization/over-quota` and, of
   * an upload that took too long, `bundle/interrupted`. When reading `body` throws, the error is passed on and nothing is left behind.
   */
  async execute(
    objectId: string,
    body: AsyncIterable<Uint8Array>,
    { request, opened }: UploadFrom = {},
  ): Promise<void> {
    const id = this.urls.open('upload', objectId, this.clock.now());
    if (id === undefined) throw notFound();
    opened?.(id);
    const { version, refusal, within } = await this.unitOfWork.read(async (tx) => {
      const found = await this.find(tx, id);
      const room = await this.quota.room(tx, found.state, found.state.bundle?.bytes);
      return { version: found, refusal: await this.refusalOf(tx, found), within: room };
    });
    if (refusal !== undefined) return this.acceptOnlyTheSame(version.state.bundle, body, refusal);
    await this.receive(id, within(body), request);
  }

  private async receive(
    id: ConfigurationVersionId,
    body: AsyncIterable<Uint8Array>,
    request: RequestTrace | undefined,
  ): Promise<void> {
    const key = this.ids.next('bundle');
    const inspection = this.inspector.inspect(body);
    const on = { unitOfWork: this.unitOfWork, clock: this.clock, store: this.store };
    try {
      await storeBytes(on, key, inspection.bytes, (tx) => this.take(tx, id, { key, ...inspection.facts() }, request));
    } catch (error) {
      if (isDomainError(error) && error.code === 'bundle/malformed') await this.markErrored(id, error, request);
      throw error;
    }
  }

  /** Whether the version took the bundle; not when it holds the same bytes already. */
  private async take(
    tx: Transaction,
    id: ConfigurationVersionId,
    bundle: Bundle,
    request: RequestTrace | undefined,
  ): Promise<boolean> {
    const version = await this.find(tx, id);
    if (version.state.bundle?.sha256 === bundle.sha256) return false;
    // Whoever makes a run of it at the same time is through before, or uses the new files.
    await tx.workspaces.takeTurn(version.state.workspaceId);
    const facts = await tx.runs.aboutVersion(id);
    await keepVersion(tx, version.fire(version.uploadTrigger, facts, this.clock.now(), { bundle }));
    await tx.audit.add(doneFromOutside('upload-url', 'configuration-versions/upload', id, request), version.state);
    await this.quota.refuseExcess(tx, version.state, bundle.bytes - (version.state.bundle?.bytes ?? 0));
    return true;
  }

  private markErrored(
    id: ConfigurationVersionId,
    { message }: DomainError,
    request: RequestTrace | undefined,
  ): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const version = await this.find(tx, id);
      if (!version.canFail()) return;
      const failure = { error: 'bad-archive', errorMessage: message };
      await keepVersion(tx, version.fire('fail', await tx.runs.aboutVersion(id), this.clock.now(), { failure }));
      await tx.audit.add(doneFromOutside('upload-url', 'configuration-versions/fail', id, request), version.state);
    });
  }

  /** A version that takes no upload any more still answers well to the bytes it holds. */
  private async acceptOnlyTheSame(
    held: Bundle | null,
    body: AsyncIterable<Uint8Array>,
    refusal: DomainError,
  ): Promise<void> {
    if (held === null || (await this.inspector.digest(body)).sha256 !== held.sha256) throw refusal;
  }

  private async find(tx: Transaction, id: ConfigurationVersionId): Promise<ConfigurationVersion> {
    const version = await tx.configurationVersions.find(id);
    if (version === undefined) throw notFound();
    return version;
  }

  private async refusalOf(tx: Transaction, version: ConfigurationVersion): Promise<DomainError | undefined> {
    try {
      version.fire(version.uploadTrigger, await tx.runs.aboutVersion(version.state.id), this.clock.now());
      return undefined;
    } catch (error) {
      if (isRefusal(error)) return error;
      throw error;
    }
  }
}
