import { type Actor, may, statusTraits, type WithStanding, type Workspace } from '../../domain/index.js';
import type { CapabilityUrls } from '../ports/outside/capability-urls.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { showingEach } from '../supporting/runs/show-run.js';
import { readingUrls } from '../supporting/state-versions/state-urls.js';
import type { ShownWorkspace } from '../supporting/workspaces/show-workspace.js';
import { effectiveBindings } from './effective-bindings.js';
import { type Related, related } from './related.js';

/** The resources that may be included with workspaces. */
export type WorkspaceInclude =
  | 'organization'
  | 'project'
  | 'current-run'
  | 'plan'
  | 'run-version'
  | 'run-commit'
  | 'current-version'
  | 'current-commit'
  | 'locked-by'
  | 'current-state'
  | 'effective-tag-bindings';

type Needs =
  | 'organizations'
  | 'projects'
  | 'memberships'
  | 'teams'
  | 'configurationVersions'
  | 'runs'
  | 'taskStages'
  | 'runComments'
  | 'tagBindings'
  | 'stateVersions';

/** Resources to include with workspaces of one organization that the caller may read. */
export class ShowRelatedToWorkspaces {
  constructor(
    private readonly unitOfWork: UnitOfWork<Needs>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  execute(
    actor: Actor,
    workspaces: readonly ShownWorkspace[],
    include: ReadonlySet<WorkspaceInclude>,
  ): Promise<readonly Related[]> {
    const [first] = workspaces;
    if (first === undefined) return Promise.resolve([]);
    const { organizationName } = first.subject;
    const readable = workspaces.filter(({ standing }) => may(standing, 'runs/read'));
    return this.unitOfWork.read(async (tx) => {
      const organization = include.has('organization')
        ? await tx.organizations.findFor(actor, organizationName)
        : undefined;
      const isMember = organization !== undefined && may(organization.standing, 'organizations/read');
      return [
        ...(isMember ? [related('organization')(organization.subject)] : []),
        ...(include.has('project') ? await projects(tx, workspaces) : []),
        ...(await this.runs(tx, readable, include)),
        ...(include.has('current-version')
          ? await versions(
              tx,
              readable.flatMap(({ subject }) => subject.currentConfigurationVersionId ?? []),
              include.has('current-commit'),
            )
          : []),
        ...(include.has('locked-by') ? await lockHolders(tx, actor, workspaces) : []),
        ...(include.has('effective-tag-bindings')
          ? await effectiveBindings(
              tx,
              'workspace',
              workspaces.map(({ subject }) => subject.id),
            )
          : []),
        ...(include.has('current-state') ? await this.states(tx, workspaces) : []),
      ];
    });
  }

  /** The current runs, or only those that lock their workspace. */
  private async runs(
    tx: Transaction<Needs>,
    workspaces: readonly ShownWorkspace[],
    include: ReadonlySet<WorkspaceInclude>,
  ): Promise<readonly Related[]> {
    const lockingRun = ({ subject, activity }: ShownWorkspace) =>
      subject.lock === null && include.has('locked-by') ? activity.workingRunId : null;
    const ids = workspaces.flatMap(
      (workspace) => (include.has('current-run') ? workspace.activity.currentRunId : lockingRun(workspace)) ?? [],
    );
    if (ids.length === 0) return [];
    const standings = new Map(workspaces.map(({ subject, standing }) => [subject.id, standing]));
    const found = await tx.runs.among(ids);
    const seen = found.flatMap((subject) => {
      const standing = standings.get(subject.workspaceId);
      return standing === undefined ? [] : [{ subject, standing }];
    });
    const shown = await showingEach(tx, seen);
    const now = this.clock.now();
    const plan = include.has('plan')
      ? found.map((run) => related('plan')({ run, logUrl: this.urls.issue('plan-log', run.id, now) }))
      : [];
    const used = include.has('run-version')
      ? await versions(
          tx,
          found.map(({ configurationVersionId }) => configurationVersionId),
          include.has('run-commit'),
        )
      : [];
    return [...shown.map(related('run')), ...plan, ...used];
  }

  private async states(tx: Transaction<Needs>, workspaces: readonly ShownWorkspace[]): Promise<readonly Related[]> {
    const readable = workspaces.filter(({ standing }) => may(standing, 'state-versions/read'));
    const states = await tx.stateVersions.among(readable.flatMap(({ activity }) => activity.stateVersionId ?? []));
    const now = this.clock.now();
    return states.map(({ version, contents }) =>
      related('state-version')({ version, contents, urls: readingUrls(this.urls, version, now) }),
    );
  }
}

/** The caller sees a project by a workspace in it, which has what the caller's teams hold on the project. */
async function projects(
  tx: Transaction<'projects'>,
  workspaces: readonly WithStanding<Workspace>[],
): Promise<readonly Related[]> {
  const standings = new Map(workspaces.map(({ subject, standing }) => [subject.projectId, standing]));
  return (await tx.projects.among([...standings.keys()])).flatMap((subject) => {
    const standing = standings.get(subject.id);
    return standing === undefined ? [] : [related('project')({ subject, standing })];
  });
}

/** Versions whose backing data is there, with the commits that they were fetched from. */
export async function versions(
  tx: Transaction<'configurationVersions'>,
  ids: readonly string[],
  withCommits: boolean,
): Promise<readonly Related[]> {
  const found = await tx.configurationVersions.among([...new Set(ids)]);
  const readable = found.filter(({ status }) => statusTraits[status].readable);
  const commits = withCommits
    ? await tx.configurationVersions.ingressAttributes(readable.map(({ id }) => id))
    : new Map<string, never>();
  return [
    ...readable.map(related('configuration-version')),
    ...[...commits].map(([versionId, attributes]) => related('ingress-attributes')({ versionId, attributes })),
  ];
}

/** Users who have left the organization and teams that the caller cannot see are left out. */
async function lockHolders(
  tx: Transaction<Needs>,
  actor: Actor,
  workspaces: readonly WithStanding<Workspace>[],
): Promise<readonly Related[]> {
  const [first] = workspaces;
  if (first === undefined) return [];
  const holders = workspaces.flatMap(({ subject }) => subject.lock?.by ?? []);
  const userIds = holders.flatMap((holder) => (holder.kind === 'user' ? holder.id : []));
  const teamIds = holders.flatMap((holder) => (holder.kind === 'team' ? holder.id : []));
  const members = await tx.memberships.ofUsers(first.subject.organizationId, [...new Set(userIds)]);
  const teams: Related[] = [];
  for (const id of new Set(teamIds)) {
    const seen = await tx.teams.findFor(actor, id);
    if (seen !== undefined && may(seen.standing, 'teams/read')) teams.push(related('team')(seen));
  }
  return [...members.map(({ user }) => related('user')(user)), ...teams];
}
