import {
  authorized,
  notFound,
  type OrganizationId,
  type StateVersion,
  type Workspace,
  type WorkspaceId,
} from '../../domain/index.js';
import type { CapabilityUrls } from '../ports/outside/capability-urls.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { WorkspaceOfRun } from '../ports/repositories/workspace-repository.js';

/** The current state of a workspace, and a capability URL of its bytes. */
export interface SharedState {
  readonly version: StateVersion;
  readonly download: string;
}

/**
 * GET /v1/shared-states/:objectId/…: what the program of a run reads of other workspaces. The object id is bound to the
 * run's lease. Each method throws `resource/not-found` once that has ended, and for what is not shared with the run's
 * workspace as for what does not exist.
 */
export class ReadSharedStates {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs' | 'workspaces' | 'stateVersions'>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  /** The lease still holds. */
  async ping(objectId: string): Promise<void> {
    await this.unitOfWork.read((tx) => this.readerOf(tx, objectId));
  }

  /** The run's own organization. */
  organization(objectId: string, name: string): Promise<OrganizationId> {
    return this.unitOfWork.read(async (tx) => {
      const reader = await tx.workspaces.find(await this.readerOf(tx, objectId));
      if (reader?.organizationName !== name) throw notFound();
      return reader.organizationId;
    });
  }

  workspace(objectId: string, organizationName: string, name: string): Promise<Workspace> {
    return this.unitOfWork.read((tx) => this.find(tx, objectId, { organizationName, name }));
  }

  state(objectId: string, id: WorkspaceId): Promise<SharedState> {
    return this.unitOfWork.read(async (tx) => {
      await this.find(tx, objectId, { id });
      const version = await tx.stateVersions.current(id);
      if (version === undefined) throw notFound();
      return { version, download: this.urls.issue('state-download', version.id, this.clock.now()) };
    });
  }

  private async find(
    tx: Transaction<'runs' | 'workspaces'>,
    objectId: string,
    sought: WorkspaceOfRun,
  ): Promise<Workspace> {
    const readerId = await this.readerOf(tx, objectId);
    return authorized(await tx.workspaces.findForRun(readerId, sought), 'state-versions/read-shared');
  }

  /** The workspace of the run. */
  private async readerOf(tx: Transaction<'runs'>, objectId: string): Promise<WorkspaceId> {
    const digest = this.urls.open('shared-states', objectId, this.clock.now());
    const run = digest === undefined ? undefined : await tx.runs.findByLease(digest);
    if (run === undefined) throw notFound();
    return run.state.workspaceId;
  }
}
