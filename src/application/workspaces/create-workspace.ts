import {
  type Actor,
  checkSettings,
  defaultSettings,
  type Seen,
  seenBy,
  type Workspace,
  type WorkspaceSettings,
} from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** POST /organizations/:name/workspaces. */
export class CreateWorkspace {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(
    actor: Actor,
    organizationName: string,
    settings: Partial<WorkspaceSettings> & Pick<WorkspaceSettings, 'name'>,
  ): Promise<Seen<Workspace>> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.organizations.findFor(actor, organizationName);
      const { subject: organization, standing } = seenBy(seen, 'workspaces/create');
      const now = this.clock.now();
      const workspace: Workspace = {
        ...defaultSettings,
        ...checkSettings(settings),
        id: this.ids.next('workspace'),
        organizationId: organization.id,
        organizationName: organization.name,
        lock: null,
        currentConfigurationVersionId: null,
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      await tx.workspaces.add(workspace);
      return { subject: workspace, standing };
    });
  }
}
