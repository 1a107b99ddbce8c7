import {
  type Bundle,
  type ConfigurationVersion,
  type ConfigurationVersionId,
  DomainError,
  isDomainError,
  isRefusal,
  notFound,
  type RequestTrace,
} from '../../domain/index.js';
import { doneFromOutside } from '../../domain/supporting/audit/audit-event.js';
import { seenByCreator, stillMay } from '../authorization/seen-by-creator.js';
import { storeBytes } from '../files/bundle-attempt.js';
import type { ByteQuota } from '../files/byte-quota.js';
import type { BundleInspector } from '../ports/outside/bundle-inspector.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { CapabilityUrls } from '../ports/outside/capability-urls.js';
import type { Clock } from '../ports/outside/clock.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { keepVersion } from './keep-version.js';

/** Details of the upload request. */
export interface UploadFrom {
  readonly request?: RequestTrace | undefined;
  /** Called with the version's id once the object id has been verified. */
  readonly opened?: (id: ConfigurationVersionId) => void;
}

/**
 * PUT /v1/object/:objectId. The bytes are checked and stored while they arrive, without an open transaction; a short
 * transaction then attaches them to the version. If uploads run concurrently, the last one to finish wins entirely.
 */
export class UploadConfigurationBundle {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'workspaces' | 'configurationVersions' | 'runs' | 'keptBytes' | 'effects' | 'audit'
    >,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly urls: CapabilityUrls,
    private readonly inspector: BundleInspector,
    private readonly store: BundleStore,
    private readonly quota: ByteQuota,
  ) {}

  /**
   * Throws `resource/not-found` for an invalid object id and once the version's creator has lost the right to create
   * versions, `configuration-version/upload-refused` if the version accepts no bytes, `bundle/malformed` (a pending
   * version is then `errored`), `bundle/over-limit`, `organization/over-quota` and, if the upload took too long,
   * `bundle/interrupted`. An error from reading `body` is passed on, and nothing is stored.
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
      const known = await this.find(tx, found(await tx.configurationVersions.find(id)));
      const room = await this.quota.room(tx, known.state, known.state.bundle?.bytes);
      return { version: known, refusal: await this.refusalOf(tx, known), within: room };
    });
    try {
      if (refusal !== undefined) await this.acceptOnlyTheSame(version, body, refusal);
      else await this.receive(version, within(body), request);
    } catch (error) {
      // A creator who lost the right during the upload must not learn anything about the version.
      if (isRefusal(error)) await this.askAgain(version);
      throw error;
    }
  }

  private async receive(
    version: ConfigurationVersion,
    body: AsyncIterable<Uint8Array>,
    request: RequestTrace | undefined,
  ): Promise<void> {
    const key = this.ids.next('bundle');
    const inspection = this.inspector.inspect(body);
    const on = { unitOfWork: this.unitOfWork, clock: this.clock, store: this.store };
    try {
      await storeBytes(on, key, inspection.bytes, (tx) =>
        this.take(tx, version, { key, ...inspection.facts() }, request),
      );
    } catch (error) {
      if (!isDomainError(error) || error.code !== 'bundle/malformed') throw error;
      const told = `${error.message}; upload a correct archive to a new configuration version`;
      const refusal = new DomainError(error.code, told, error.details, error.cause);
      await this.markErrored(version, refusal, request);
      throw refusal;
    }
  }

  /** Whether the version accepted the bundle; false if it already holds the same bytes. */
  private async take(
    tx: Transaction<'workspaces' | 'configurationVersions' | 'runs' | 'keptBytes' | 'effects' | 'audit'>,
    begun: ConfigurationVersion,
    bundle: Bundle,
    request: RequestTrace | undefined,
  ): Promise<boolean> {
    const { id, workspaceId } = begun.state;
    // A run that is created concurrently commits first or uses the new files.
    await tx.workspaces.lockRow(workspaceId);
    const version = await this.find(tx, begun);
    if (version.state.bundle?.sha256 === bundle.sha256) return false;
    const facts = await tx.runs.aboutVersion(id);
    await keepVersion(tx, version.fire(version.uploadTrigger, facts, this.clock.now(), { bundle }));
    await tx.audit.add(doneFromOutside('upload-url', 'configuration-versions/upload', id, request), version.state);
    await this.quota.refuseExcess(tx, version.state, bundle.bytes - (version.state.bundle?.bytes ?? 0));
    return true;
  }

  private markErrored(
    begun: ConfigurationVersion,
    { message }: DomainError,
    request: RequestTrace | undefined,
  ): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const version = await this.find(tx, begun);
      const { id } = version.state;
      if (!version.canFail()) return;
      const failure = { error: 'bad-archive', errorMessage: message };
      await keepVersion(tx, version.fire('fail', await tx.runs.aboutVersion(id), this.clock.now(), { failure }));
      await tx.audit.add(doneFromOutside('upload-url', 'configuration-versions/fail', id, request), version.state);
    });
  }

  /** A version that accepts no more uploads still succeeds for the bytes it holds. */
  private async acceptOnlyTheSame(
    version: ConfigurationVersion,
    body: AsyncIterable<Uint8Array>,
    refusal: DomainError,
  ): Promise<void> {
    const held = version.state.bundle;
    if (held === null || (await this.inspector.digest(body)).sha256 !== held.sha256) throw refusal;
    await this.askAgain(version);
  }

  private async askAgain(version: ConfigurationVersion): Promise<void> {
    await this.unitOfWork.read((tx) => this.find(tx, version));
  }

  /** The current version, while its creator may still create versions. The URL is invalid without that right. */
  private async find(
    tx: Transaction<'configurationVersions'>,
    { dependsOnCreator, state }: ConfigurationVersion,
  ): Promise<ConfigurationVersion> {
    const { id, createdBy } = state;
    if (!dependsOnCreator) return found(await tx.configurationVersions.find(id));
    const seen = await seenByCreator(createdBy, (actor) => tx.configurationVersions.findFor(actor, id));
    return found(stillMay(seen, 'configuration-versions/create') ? seen.subject : undefined);
  }

  private async refusalOf(tx: Transaction<'runs'>, version: ConfigurationVersion): Promise<DomainError | undefined> {
    try {
      version.fire(version.uploadTrigger, await tx.runs.aboutVersion(version.state.id), this.clock.now());
      return undefined;
    } catch (error) {
      if (isRefusal(error)) return error;
      throw error;
    }
  }
}

function found(version: ConfigurationVersion | undefined): ConfigurationVersion {
  if (version === undefined) throw notFound();
  return version;
}
