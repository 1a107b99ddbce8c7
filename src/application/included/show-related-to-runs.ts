import { may, type Phase, phases, type WorkspaceId } from '../../domain/index.js';
import type { CapabilityUrls } from '../ports/outside/capability-urls.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { ShownRun } from '../supporting/runs/show-run.js';
import { showingWorkspaces } from '../supporting/workspaces/show-workspace.js';
import { type Related, related } from './related.js';
import { versions } from './show-related-to-workspaces.js';

/** The resources that may be included with runs. */
export type RunInclude =
  | 'workspace'
  | 'configuration-version'
  | 'ingress-attributes'
  | 'task-stages'
  | 'created-by'
  | 'plan'
  | 'apply';

type Needs = 'memberships' | 'workspaces' | 'configurationVersions' | 'runs' | 'taskStages';

/** Resources to include with runs of one organization that the caller may read. */
export class ShowRelatedToRuns {
  constructor(
    private readonly unitOfWork: UnitOfWork<Needs>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  execute(runs: readonly ShownRun[], include: ReadonlySet<RunInclude>): Promise<readonly Related[]> {
    const now = this.clock.now();
    const phase = (name: Phase) =>
      runs.map(({ run }) => related(name)({ run, logUrl: this.urls.issue(`${name}-log`, run.id, now) }));
    return this.unitOfWork.read(async (tx) => {
      const standings = new Map(runs.map(({ run, standing }) => [run.workspaceId, standing]));
      const needed = include.has('workspace') || include.has('created-by');
      const workspaces = needed ? await tx.workspaces.among([...standings.keys()]) : [];
      const readable = workspaces.flatMap((subject) => {
        const standing = standings.get(subject.id as WorkspaceId);
        return standing !== undefined && may(standing, 'workspaces/read') ? [{ subject, standing }] : [];
      });
      const [organizationId] = workspaces.map((workspace) => workspace.organizationId);
      const creators = runs.flatMap(({ run: { createdBy } }) => (createdBy?.kind === 'user' ? createdBy.id : []));
      const members =
        include.has('created-by') && organizationId !== undefined
          ? await tx.memberships.ofUsers(organizationId, [...new Set(creators)])
          : [];
      return [
        ...(include.has('workspace') ? (await showingWorkspaces(tx, readable)).map(related('workspace')) : []),
        ...(include.has('configuration-version')
          ? await versions(
              tx,
              runs.map(({ run }) => run.configurationVersionId),
              include.has('ingress-attributes'),
            )
          : []),
        ...(include.has('task-stages') ? await stages(tx, runs) : []),
        ...members.map(({ user }) => related('user')(user)),
        ...phases.flatMap((name) => (include.has(name) ? phase(name) : [])),
      ];
    });
  }
}

async function stages(tx: Transaction<'taskStages'>, runs: readonly ShownRun[]): Promise<readonly Related[]> {
  const having = runs.filter(({ stageIds, standing }) => stageIds.length > 0 && may(standing, 'policy-outcomes/read'));
  const standings = new Map(having.map(({ run, standing }) => [run.id, standing]));
  return (await tx.taskStages.ofRuns([...standings.keys()])).flatMap((subject) => {
    const standing = standings.get(subject.runId);
    return standing === undefined ? [] : [related('task-stage')({ subject, standing })];
  });
}
