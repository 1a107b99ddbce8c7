import {
  type Actor,
  type Attachments,
  authorized,
  managing,
  type ProjectId,
  type VariableSet,
  type VariableSetSettings,
} from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { checkVariableSet } from '../../../domain/supporting/variables/variable-set.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { targetProject } from '../projects/target-project.js';
import { type AttachingRepositories, attachments } from './attachable.js';
import type { VariableDraft } from './create-variable.js';
import type { NewVariables } from './new-variables.js';

export interface NewVariableSet extends VariableSetSettings, Attachments {
  /** The project that is to own it; null for the organization. */
  readonly projectId: ProjectId | null;
  readonly variables: readonly VariableDraft[];
}

/** POST /organizations/:name/varsets. */
export class CreateVariableSet {
  constructor(
    private readonly unitOfWork: UnitOfWork<AttachingRepositories | 'variableSets' | 'setVariables' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly newVariables: NewVariables,
  ) {}

  execute(
    actor: Actor,
    organizationName: string,
    { variables, projectId, workspaceIds, projectIds, ...settings }: NewVariableSet,
  ): Promise<VariableSet> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.organizations.findFor(actor, organizationName);
      const action = managing({ projectId });
      const organization = authorized(seen, projectId === null ? action : 'organizations/read');
      if (projectId !== null) {
        await targetProject(tx, actor, organization.id, projectId, action, { relationship: 'parent' });
      }
      const now = this.clock.now();
      const owner = { organizationId: organization.id, organizationName: organization.name, projectId };
      const set: VariableSet = {
        ...settings,
        ...owner,
        id: this.ids.next('variable-set'),
        workspaceIds: [],
        projectIds: [],
        ...(await attachments(tx, actor, owner, { workspaceIds, projectIds })),
        variableIds: [],
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      await tx.variableSets.add(checkVariableSet(set));
      const added = await this.newVariables.add(tx, set, variables);
      await tx.audit.add(doneBy(actor, action, set.id), set);
      return { ...set, variableIds: added.map(({ id }) => id).sort() };
    });
  }
}
