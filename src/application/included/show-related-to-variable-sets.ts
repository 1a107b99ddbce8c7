import { type Actor, authorizedView, type VariableSet, workspaceVisibility } from '../../domain/index.js';
import type { SecretBox } from '../ports/outside/secret-box.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { visibleProjects } from '../supporting/projects/visible-projects.js';
import { viewOf } from '../supporting/variables/variable-values.js';
import { showingWorkspaces } from '../supporting/workspaces/show-workspace.js';
import { type Related, related } from './related.js';

export type VariableSetInclude = 'vars' | 'workspaces' | 'projects';

/** Resources to include with variable sets of one organization that the caller was shown. */
export class ShowRelatedToVariableSets {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'projects' | 'runs' | 'setVariables'>,
    private readonly box: SecretBox,
  ) {}

  execute(
    actor: Actor,
    sets: readonly VariableSet[],
    include: ReadonlySet<VariableSetInclude>,
  ): Promise<readonly Related[]> {
    const [first] = sets;
    if (first === undefined) return Promise.resolve([]);
    const all = (ids: (set: VariableSet) => readonly string[]) => [...new Set(sets.flatMap(ids))];
    const workspaceIds = include.has('workspaces') ? all((set) => set.workspaceIds) : [];
    const projectIds = include.has('projects') ? all((set) => set.projectIds) : [];
    const withVariables = include.has('vars') ? sets.filter(({ variableIds }) => variableIds.length > 0) : [];
    return this.unitOfWork.read(async (tx) => {
      const variables =
        withVariables.length === 0 ? [] : await tx.setVariables.ofSets(withVariables.map(({ id }) => id));
      const shown = variables.map((variable) => related('variable')(viewOf(this.box, variable)));
      if (workspaceIds.length + projectIds.length === 0) return shown;
      const { standing } = authorizedView(
        await tx.organizations.findFor(actor, first.organizationName),
        'organizations/read',
      );
      const visibility = workspaceVisibility(standing);
      const workspaces =
        workspaceIds.length === 0
          ? []
          : await tx.workspaces.visibleWithStanding(first.organizationId, standing, visibility, workspaceIds);
      return [
        ...shown,
        ...(await showingWorkspaces(tx, workspaces)).map(related('workspace')),
        ...(await visibleProjects(tx, actor, standing, projectIds)).map(related('project')),
      ];
    });
  }
}
