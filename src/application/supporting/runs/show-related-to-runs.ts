import { may, type Phase, phases, type WorkspaceId } from '../../../domain/index.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type Related, related } from '../../related.js';
import { versions } from '../workspaces/show-related-to-workspaces.js';
import { showingWorkspaces } from '../workspaces/show-workspace.js';
import type { RunInclude, ShownRun } from './show-run.js';

/** Resources to include with runs of one organization that the caller may read. */
export class ShowRelatedToRuns {
  constructor(
    private readonly unitOfWork: UnitOfWork<'memberships' | 'workspaces' | 'configurationVersions' | 'runs'>,
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
        ...members.map(({ user }) => related('user')(user)),
        ...phases.flatMap((name) => (include.has(name) ? phase(name) : [])),
      ];
    });
  }
}
