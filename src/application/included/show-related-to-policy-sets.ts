import { type Actor, authorized, type PolicySet, workspaceVisibility } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { visibleProjects } from '../supporting/projects/visible-projects.js';
import { showingWorkspaces } from '../supporting/workspaces/show-workspace.js';
import { type Related, related } from './related.js';

export type PolicySetInclude =
  | 'policies'
  | 'workspaces'
  | 'exclusions'
  | 'projects'
  | 'project-exclusions'
  | 'current-version'
  | 'newest-version';

/** Resources to include with policy sets of one organization that the caller may manage. */
export class ShowRelatedToPolicySets {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'organizations' | 'workspaces' | 'projects' | 'policies' | 'policySetVersions' | 'runs'
    >,
  ) {}

  execute(
    actor: Actor,
    sets: readonly PolicySet[],
    include: ReadonlySet<PolicySetInclude>,
  ): Promise<readonly Related[]> {
    const [first] = sets;
    if (first === undefined) return Promise.resolve([]);
    const all = (ids: (set: PolicySet) => readonly string[]) => [...new Set(sets.flatMap(ids))];
    return this.unitOfWork.read(async (tx) => {
      const organization = await tx.organizations.findFor(actor, first.organizationName);
      const { id } = authorized(organization, 'policies/manage');
      const policies = include.has('policies')
        ? await tx.policies.allOf(
            id,
            all(({ policyIds }) => policyIds),
          )
        : [];
      const versions = await tx.policySetVersions.allOf(
        all(({ versions }) => [
          ...(include.has('current-version') && versions?.current ? [versions.current.id] : []),
          ...(include.has('newest-version') && versions ? [versions.newest.id] : []),
        ]),
      );
      const standing = organization?.standing;
      const workspaces =
        standing === undefined
          ? []
          : await tx.workspaces.visibleWithStanding(
              id,
              standing,
              workspaceVisibility(standing),
              all(({ workspaceIds, excludedWorkspaceIds }) => [
                ...(include.has('workspaces') ? workspaceIds : []),
                ...(include.has('exclusions') ? excludedWorkspaceIds : []),
              ]),
            );
      const projects =
        standing === undefined
          ? []
          : await visibleProjects(
              tx,
              actor,
              standing,
              all(({ projectIds, excludedProjectIds }) => [
                ...(include.has('projects') ? projectIds : []),
                ...(include.has('project-exclusions') ? excludedProjectIds : []),
              ]),
            );
      return [
        ...policies.map(related('policy')),
        ...versions.map(related('policy-set-version')),
        ...(await showingWorkspaces(tx, workspaces)).map(related('workspace')),
        ...projects.map(related('project')),
      ];
    });
  }
}
