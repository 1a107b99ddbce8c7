import {
  DomainError,
  notFound,
  type RequestTrace,
  type StateVersion,
  type StateVersionId,
  type TokenOwner,
  type WithStanding,
  type Workspace,
} from '../../../domain/index.js';
import { checkSuccessionUnlessForced } from '../../../domain/supporting/state-versions/state-version.js';
import { checkLockedBy } from '../../../domain/supporting/workspaces/workspace.js';
import { findForCreator, stillMay } from '../../authorization/creator-standing.js';
import type { UploadedFile, Uploads } from '../../files/uploads.js';
import type { BundleInspector } from '../../ports/outside/bundle-inspector.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { checkWritable, keepState, type StateWriting, withMd5 } from './state-writing.js';

interface Announced {
  readonly version: StateVersion;
  readonly creator: TokenOwner;
  readonly seen: WithStanding<Workspace>;
}

type StateFile = UploadedFile<StateWriting, Announced>;

/**
 * PUT /v1/state/:objectId, for a state and for its JSON form. The right and the lock of the client that announced the
 * state are checked before and after the bytes.
 */
export class UploadStateVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<StateWriting>,
    private readonly uploads: Uploads,
    private readonly inspector: BundleInspector,
  ) {}

  /**
   * The same bytes once more are taken as before. Throws `resource/not-found` for a bad object id, for a version that was
   * replaced since, and once the client has lost the right; `workspace/lock-refused`, `runs/in-progress` and
   * `state-version/conflict` as the announcement does, the last also for other bytes than it has; `attribute/invalid` for
   * another MD5 than was announced, and `bundle/interrupted`. Nothing is kept of what is refused.
   */
  execute(objectId: string, body: AsyncIterable<Uint8Array>, request?: RequestTrace): Promise<void> {
    return this.uploads.receive(this.unitOfWork, [this.state, this.json], { objectId, body, request });
  }

  private readonly state: StateFile = {
    ...common,
    purpose: 'state-upload',
    action: 'state-versions/upload',
    begin: async (tx, announced, body) => {
      const { status, md5 } = announced.version;
      if (status === 'finalized') return { refusal: uploadedAlready(), isHeld: () => this.hasMd5(body, md5) };
      await check(tx, announced);
      return { inspect: () => withMd5(md5, this.inspector.measure(body)) };
    },
    take: async (tx, announced, { bundle, done }) => {
      const { version } = announced;
      if (version.status === 'finalized') return false;
      await check(tx, announced);
      await keepState(tx, version, bundle);
      await tx.audit.add(done, version);
      return true;
    },
  };

  private readonly json: StateFile = {
    ...common,
    purpose: 'json-state-upload',
    action: 'state-versions/upload-json',
    begin: async (_, { seen, creator }, body) => {
      checkLockedBy(seen.subject, creator);
      return { inspect: () => this.inspector.measure(body) };
    },
    take: async (tx, { version, seen, creator }, { bundle, done }) => {
      if (version.jsonBundle?.sha256 === bundle.sha256) return false;
      if (version.jsonBundle !== null) throw uploadedAlready();
      checkLockedBy(seen.subject, creator);
      await tx.stateVersions.keepJson(version.id, bundle);
      await tx.audit.add(done, version);
      return true;
    },
  };

  private async hasMd5(body: AsyncIterable<Uint8Array>, md5: string): Promise<boolean> {
    const { bytes, facts } = this.inspector.measure(body);
    for await (const _ of bytes);
    return facts().md5 === md5;
  }
}

const common = {
  kind: 'state-versions',
  noun: 'state version',
  find,
  lock: (tx, { version }) => tx.workspaces.lockRow(version.workspaceId),
} as const satisfies Partial<StateFile>;

/** The state as it is now, while its client may still write states. The URL ends with that right. */
async function find(tx: Transaction<'workspaces' | 'stateVersions'>, id: StateVersionId): Promise<Announced> {
  const version = await tx.stateVersions.find(id);
  if (version?.source !== 'client' || version.createdBy === null) throw notFound();
  const { createdBy: creator, workspaceId } = version;
  const seen = await findForCreator(creator, (actor) => tx.workspaces.findFor(actor, workspaceId));
  if (!stillMay(seen, 'state-versions/create')) throw notFound();
  return { version, creator, seen };
}

/** Throws why the state may not become the current one. */
async function check(tx: Transaction<'runs' | 'stateVersions'>, { version, creator, seen }: Announced): Promise<void> {
  await checkWritable(tx, seen.subject, creator);
  checkSuccessionUnlessForced(await tx.stateVersions.current(version.workspaceId), version);
}

const uploadedAlready = (): DomainError =>
  new DomainError('state-version/conflict', 'other bytes were uploaded before: create another state version');
