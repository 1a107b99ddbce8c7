import {
  type ConfigurationVersion,
  type ConfigurationVersionId,
  notFound,
  type RequestTrace,
} from '../../domain/index.js';
import { findForCreator, stillMay } from '../authorization/creator-standing.js';
import type { ByteQuota } from '../files/byte-quota.js';
import { isSame, refusalOf, type UploadedFile, type Uploads } from '../files/uploads.js';
import type { BundleInspector } from '../ports/outside/bundle-inspector.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { keepVersion } from './keep-version.js';

type Needed = 'workspaces' | 'configurationVersions' | 'runs' | 'keptBytes' | 'effects' | 'audit';

/** PUT /v1/object/:objectId. If uploads run concurrently, the last one to finish wins entirely. */
export class UploadConfigurationBundle {
  constructor(
    private readonly unitOfWork: UnitOfWork<Needed>,
    private readonly clock: Clock,
    private readonly uploads: Uploads,
    private readonly inspector: BundleInspector,
    private readonly quota: ByteQuota,
  ) {}

  /**
   * Throws `resource/not-found` for an invalid object id and once the version's creator has lost the right to create
   * versions, `configuration-version/upload-refused` if the version accepts no bytes, `bundle/malformed` (a pending
   * version is then `errored`), `bundle/over-limit`, `organization/over-quota` and, if the upload took too long,
   * `bundle/interrupted`. An error from reading `body` is passed on, and nothing is stored.
   */
  execute(objectId: string, body: AsyncIterable<Uint8Array>, request?: RequestTrace): Promise<void> {
    return this.uploads.receive(this.unitOfWork, [this.archive], { objectId, body, request });
  }

  private readonly archive: UploadedFile<Needed, ConfigurationVersion> = {
    purpose: 'upload',
    action: 'configuration-versions/upload',
    kind: 'configuration-versions',
    noun: 'configuration version',
    find,
    begin: async (tx, version, body) => {
      const { id, bundle } = version.state;
      const within = await this.quota.room(tx, version.state, bundle?.bytes);
      const facts = await tx.runs.aboutVersion(id);
      const refusal = refusalOf(() => version.fire(version.uploadTrigger, facts, this.clock.now()));
      return refusal === undefined
        ? { inspect: () => this.inspector.inspect(within(body)) }
        : { refusal, isHeld: () => isSame(this.inspector, bundle, body) };
    },
    // A run that is created concurrently commits first or uses the new files.
    lock: (tx, { state }) => tx.workspaces.lockRow(state.workspaceId),
    take: async (tx, version, { bundle, done }) => {
      const { id, bundle: held } = version.state;
      if (held?.sha256 === bundle.sha256) return false;
      const facts = await tx.runs.aboutVersion(id);
      await keepVersion(tx, version.fire(version.uploadTrigger, facts, this.clock.now(), { bundle }));
      await tx.audit.add(done, version.state);
      await this.quota.refuseExcess(tx, version.state, bundle.bytes - (held?.bytes ?? 0));
      return true;
    },
    errored: {
      action: 'configuration-versions/fail',
      mark: async (tx, version, errorMessage, done) => {
        if (!version.canFail()) return;
        const failure = { error: 'bad-archive', errorMessage };
        const facts = await tx.runs.aboutVersion(version.state.id);
        await keepVersion(tx, version.fire('fail', facts, this.clock.now(), { failure }));
        await tx.audit.add(done, version.state);
      },
    },
  };
}

/** The current version, while its creator may still create versions. The URL is invalid without that right. */
async function find(
  tx: Transaction<'configurationVersions'>,
  id: ConfigurationVersionId,
  known?: ConfigurationVersion,
): Promise<ConfigurationVersion> {
  const before = known ?? found(await tx.configurationVersions.find(id));
  // One from version control takes no upload, so it need not be found again.
  if (!before.dependsOnCreator) return before;
  const seen = await findForCreator(before.state.createdBy, (actor) => tx.configurationVersions.findFor(actor, id));
  return found(stillMay(seen, 'configuration-versions/create') ? seen.subject : undefined);
}

function found(version: ConfigurationVersion | undefined): ConfigurationVersion {
  if (version === undefined) throw notFound();
  return version;
}
