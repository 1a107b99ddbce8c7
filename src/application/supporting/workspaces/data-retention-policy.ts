import {
  type Actor,
  authorized,
  type DataRetention,
  DomainError,
  type Workspace,
  type WorkspaceId,
} from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { type Change, changing } from '../../../domain/supporting/audit/change.js';
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

const find = async (tx: Transaction<'workspaces'>, actor: Actor, id: WorkspaceId): Promise<Change<Workspace>> =>
  changing(actor, await tx.workspaces.findFor(actor, id), 'workspaces/set-retention');

async function save(
  tx: Transaction<'workspaces' | 'audit'>,
  { subject: workspace, done }: Change<Workspace>,
  change: Pick<Workspace, 'retention' | 'updatedAt'>,
): Promise<void> {
  await tx.workspaces.save(revised(workspace, change));
  await tx.audit.add(done(workspace.id), inWorkspace(workspace));
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
      const found = await find(tx, actor, id);
      const retention = { id: this.ids.next('data-retention-policy'), days };
      await save(tx, found, { retention, updatedAt: this.clock.now() });
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
      const found = await find(tx, actor, id);
      if (found.subject.retention === null) throw none();
      await save(tx, found, { retention: null, updatedAt: this.clock.now() });
    });
  }
}
