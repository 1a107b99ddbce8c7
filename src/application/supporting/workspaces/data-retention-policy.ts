import {
  type Actor,
  authorized,
  type DataRetention,
  DomainError,
  type Workspace,
  type WorkspaceId,
} from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';

const none = () => new DomainError('resource/not-found', 'the workspace has no data retention policy');

/** GET /workspaces/:id/relationships/data-retention-policy. */
export class ShowDataRetention {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces'>) {}

  async execute(actor: Actor, id: WorkspaceId): Promise<DataRetention> {
    const seen = await this.unitOfWork.read((tx) => tx.workspaces.findFor(actor, id));
    const { retention } = authorized(seen, 'workspaces/read');
    if (retention === null) throw none();
    return retention;
  }
}

async function save(
  tx: Transaction<'workspaces' | 'audit'>,
  actor: Actor,
  workspace: Workspace,
  change: Pick<Workspace, 'retention' | 'updatedAt'>,
): Promise<void> {
  await tx.workspaces.save(revised(workspace, change));
  await tx.audit.add(doneBy(actor, 'workspaces/set-retention', workspace.id), inWorkspace(workspace));
}

/** POST of the same: replaces the policy, if there is one. */
export class SetDataRetention {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(actor: Actor, id: WorkspaceId, days: DataRetention['days']): Promise<DataRetention> {
    return this.unitOfWork.run(async (tx) => {
      const workspace = authorized(await tx.workspaces.findFor(actor, id), 'workspaces/set-retention');
      const retention = { id: this.ids.next('data-retention-policy'), days };
      await save(tx, actor, workspace, { retention, updatedAt: this.clock.now() });
      return retention;
    });
  }
}

/** DELETE of the same. Files that it removed stay removed. */
export class RemoveDataRetention {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: WorkspaceId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const workspace = authorized(await tx.workspaces.findFor(actor, id), 'workspaces/set-retention');
      if (workspace.retention === null) throw none();
      await save(tx, actor, workspace, { retention: null, updatedAt: this.clock.now() });
    });
  }
}
