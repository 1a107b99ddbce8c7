import type { Effect } from '../../../application/ports/repositories/effect.js';
import type { Lane } from '../../../application/ports/repositories/effect-lanes.js';
import type { Order } from '../../../application/ports/repositories/filters.js';
import type { Demand } from '../../../application/ports/repositories/instances.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import {
  type AgentPool,
  type AgentPoolId,
  type AgentToken,
  type ApiToken,
  type AuditEvent,
  type Bundle,
  type ConfigurationVersionId,
  type ConfigurationVersionState,
  DomainError,
  type Grant,
  type GroupPattern,
  type Identity,
  type IdentityId,
  type IngressAttributes,
  type Instant,
  type LoginCode,
  type ManagedPolicy,
  type Member,
  type Membership,
  type MembershipId,
  memberOf,
  type Organization,
  type OrganizationId,
  type PolicyId,
  type PolicySet,
  type PolicySetId,
  type PolicySetOutcome,
  type PolicySetOutcomeId,
  type PolicySetParameter,
  type PolicySetParameterId,
  type PolicySetVersion,
  type PolicySetVersionId,
  type Project,
  type ProjectGrant,
  type ProjectId,
  type RunComment,
  type RunCommentId,
  type RunId,
  type RunState,
  type RunTask,
  type RunTaskId,
  type Session,
  type SessionId,
  type SetVariable,
  type StateContents,
  type StateOutput,
  type StateVersion,
  type StateVersionId,
  type StateVersionOutputId,
  type Tag,
  type TagBinding,
  type TagBindingId,
  type TagId,
  type TaskResultId,
  type TaskResultOutcome,
  type TaskStage,
  type TaskStageId,
  type Team,
  type TeamId,
  type TeamProject,
  type TeamProjectId,
  type TeamWorkspace,
  type TeamWorkspaceId,
  type TokenId,
  type TokenOwner,
  teamNameKey,
  type User,
  type UserId,
  type Variable,
  type VariableId,
  type VariableSet,
  type VariableSetId,
  type Workspace,
  type WorkspaceId,
  type WorkspaceTask,
  type WorkspaceTaskId,
} from '../../../domain/index.js';

export interface MemoryEffect {
  readonly id: number;
  readonly subject: string;
  readonly effect: Effect;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly notBefore: Instant | null;
  readonly leasedUntil: Instant | null;
  readonly organizationId: string;
  /** `aside` for one that is never due. */
  readonly lane: Lane | 'aside';
  /** Its position in its organization; null for its id. */
  readonly place: number | null;
  readonly begun: number;
}

export interface MemoryGroupMembership {
  readonly teamId: TeamId;
  readonly userId: UserId;
  readonly identityId: IdentityId;
  readonly group: string;
}

/**
 * All stored rows. A row is replaced whole and never changed in place, so that copying the maps copies everything. The
 * methods hide a row as soon as it, or a row that it belongs to, is deleted.
 */
export class MemoryTables {
  readonly organizations = new Map<OrganizationId, Organization>();
  readonly memberships = new Map<MembershipId, Membership>();
  readonly users = new Map<UserId, User>();
  /** The users that stand for invited addresses without an account. */
  readonly awaited = new Map<UserId, true>();
  readonly identities = new Map<IdentityId, Identity>();
  readonly sessions = new Map<SessionId, Session>();
  readonly loginCodes = new Map<SessionId, LoginCode>();
  readonly tokens = new Map<TokenId, ApiToken>();
  readonly teams = new Map<TeamId, Team>();
  readonly teamMembers = new Map<TeamId, ReadonlySet<UserId>>();
  readonly teamGroups = new Map<TeamId, string>();
  readonly organizationGroups = new Map<OrganizationId, readonly GroupPattern[]>();
  /** By team, user and identity, as one text. */
  readonly groupMemberships = new Map<string, MemoryGroupMembership>();
  /** Whether the provider sends `auth_time`, by issuer. */
  readonly identityProviders = new Map<string, boolean>();
  readonly teamWorkspaces = new Map<TeamWorkspaceId, TeamWorkspace>();
  readonly teamProjects = new Map<TeamProjectId, TeamProject>();
  readonly projects = new Map<ProjectId, Project>();
  readonly workspaces = new Map<WorkspaceId, Workspace>();
  /** By the workspace whose state is shared. */
  readonly stateConsumers = new Map<WorkspaceId, ReadonlySet<WorkspaceId>>();
  readonly tags = new Map<TagId, Tag>();
  readonly workspaceTags = new Map<WorkspaceId, ReadonlySet<TagId>>();
  readonly tagBindings = new Map<TagBindingId, TagBinding>();
  readonly variables = new Map<VariableId, Variable>();
  readonly variableSets = new Map<VariableSetId, VariableSet>();
  readonly setVariables = new Map<VariableId, SetVariable>();
  /** The newest last. */
  readonly configurationVersions = new Map<ConfigurationVersionId, ConfigurationVersionState>();
  readonly ingressAttributes = new Map<ConfigurationVersionId, IngressAttributes>();
  readonly runs = new Map<RunId, RunState>();
  readonly runComments = new Map<RunCommentId, RunComment>();
  /** By run id and phase, as one text. */
  readonly runLogs = new Map<string, Uint8Array>();
  /** By run id and name, as one text. */
  readonly runArtifacts = new Map<string, Bundle>();
  readonly stateVersions = new Map<StateVersionId, StateVersion>();
  readonly stateOutputs = new Map<StateVersionOutputId, StateOutput>();
  readonly stateContents = new Map<StateVersionId, StateContents>();
  readonly policySets = new Map<PolicySetId, PolicySet>();
  readonly policySetVersions = new Map<PolicySetVersionId, PolicySetVersion>();
  readonly policySetParameters = new Map<PolicySetParameterId, PolicySetParameter>();
  readonly policies = new Map<PolicyId, ManagedPolicy>();
  /** By organization id and SHA-256, as one text. */
  readonly policyCodes = new Map<string, string>();
  readonly runTasks = new Map<RunTaskId, RunTask>();
  /** The newest last. */
  readonly workspaceTasks = new Map<WorkspaceTaskId, WorkspaceTask>();
  readonly taskResultOutcomes = new Map<TaskResultId, readonly TaskResultOutcome[]>();
  readonly taskStages = new Map<TaskStageId, TaskStage>();
  readonly policySetOutcomes = new Map<PolicySetOutcomeId, PolicySetOutcome>();
  readonly agentPools = new Map<AgentPoolId, AgentPool>();
  readonly agentTokens = new Map<TokenId, AgentToken>();
  /** The version each delivery of a forge made, by workspace id and delivery, as one text. */
  readonly deliveries = new Map<string, ConfigurationVersionId>();
  readonly effects = new Map<number, MemoryEffect>();
  /** When each fingerprint was last noted. */
  readonly signingKeys = new Map<string, Instant>();
  /** By instance. */
  readonly requestRates = new Map<string, { readonly demand: Demand; readonly notedAt: Instant }>();
  readonly auditEvents = new Map<string, AuditEvent>();
  /** The last number given to an effect, and to each workspace's runs. */
  readonly sequences = new Map<string, number>();
  /** When what was deleted. */
  readonly deletions = new Map<string, Instant>();

  copy(): MemoryTables {
    const maps = Object.entries(this).map(([name, rows]) => [name, new Map(rows)]);
    return Object.assign(new MemoryTables(), Object.fromEntries(maps));
  }

  organization(id: OrganizationId): Organization | undefined {
    return this.deletions.has(id) ? undefined : this.organizations.get(id);
  }

  user(id: UserId): User | undefined {
    return this.deletions.has(id) ? undefined : this.users.get(id);
  }

  team(id: TeamId): Team | undefined {
    const team = this.deletions.has(id) ? undefined : this.teams.get(id);
    const organization = team && this.organization(team.organizationId);
    return organization && { ...team, organizationName: organization.name, usersCount: this.membersOf(id).length };
  }

  project(id: ProjectId): Project | undefined {
    const project = this.projects.get(id);
    const organization = project && this.organization(project.organizationId);
    return organization && { ...project, organizationName: organization.name };
  }

  workspace(id: WorkspaceId): Workspace | undefined {
    const workspace = this.deletions.has(id) ? undefined : this.workspaces.get(id);
    const organization = workspace && this.organization(workspace.organizationId);
    return (
      organization && {
        ...workspace,
        organizationName: organization.name,
        organizationDefaults: organization.defaults,
        tagNames: [...(this.workspaceTags.get(id) ?? [])].map((tagId) => this.tags.get(tagId)?.name ?? '').sort(),
      }
    );
  }

  /** The pool of a living organization, or of the site, with only those of its workspaces that still exist. */
  agentPool(id: AgentPoolId): AgentPool | undefined {
    const pool = this.agentPools.get(id);
    if (pool === undefined || pool.organizationId === null) return pool;
    const organization = this.organization(pool.organizationId);
    const living = (ids: readonly WorkspaceId[]) => ids.filter((one) => this.workspace(one) !== undefined);
    return (
      organization && {
        ...pool,
        organizationName: organization.name,
        allowedWorkspaceIds: living(pool.allowedWorkspaceIds),
        excludedWorkspaceIds: living(pool.excludedWorkspaceIds),
      }
    );
  }

  token(id: TokenId): ApiToken | undefined {
    const token = this.tokens.get(id);
    return token && this.lives(token.owner) ? token : undefined;
  }

  configurationVersion(id: ConfigurationVersionId): ConfigurationVersionState | undefined {
    const version = this.configurationVersions.get(id);
    return version && this.workspace(version.workspaceId) ? version : undefined;
  }

  /** By team name. */
  teamsOf(organizationId: OrganizationId): readonly Team[] {
    const ids = [...this.teams.values()].filter((team) => team.organizationId === organizationId).map(({ id }) => id);
    return present(ids.map((id) => this.team(id))).sort(byText(({ name }) => teamNameKey(name)));
  }

  /** In the order of the organization's members. */
  membersOf(id: TeamId): readonly Member[] {
    const organizationId = this.teams.get(id)?.organizationId;
    const members = [...(this.teamMembers.get(id) ?? [])].map((userId) => {
      const user = this.user(userId);
      const membership = organizationId && this.membershipOf(organizationId, userId);
      return user && memberOf(membership || { invitedEmail: null }, user);
    });
    return present(members).sort(byMember);
  }

  isInTeam(id: TeamId, userId: UserId): boolean {
    return this.user(userId) !== undefined && this.teamMembers.get(id)?.has(userId) === true;
  }

  isMember(organizationId: OrganizationId, userId: UserId): boolean {
    return this.user(userId) !== undefined && this.membershipOf(organizationId, userId) !== undefined;
  }

  /** Forgets that sign-ins made the membership. */
  forgetGroups(teamId: TeamId, userId: UserId): void {
    for (const [key, row] of this.groupMemberships) {
      if (row.teamId === teamId && row.userId === userId) this.groupMemberships.delete(key);
    }
  }

  /** Releases reserved ids that are not used. */
  forgetUninvited(): void {
    const invited = new Set([...this.memberships.values()].map(({ userId }) => userId));
    for (const id of this.awaited.keys()) {
      if (!invited.has(id) && this.awaited.delete(id)) this.users.delete(id);
    }
  }

  grantOf(teamId: TeamId, workspaceId: WorkspaceId): Grant | undefined {
    return [...this.teamWorkspaces.values()].find((row) => row.teamId === teamId && row.workspaceId === workspaceId)
      ?.grant;
  }

  projectGrantOf(teamId: TeamId, projectId: ProjectId): ProjectGrant | undefined {
    return [...this.teamProjects.values()].find((row) => row.teamId === teamId && row.projectId === projectId)?.grant;
  }

  grantOnProjectOf(teamId: TeamId, workspaceId: WorkspaceId): ProjectGrant | undefined {
    return this.projectGrantOf(teamId, this.workspaces.get(workspaceId)?.projectId ?? '');
  }

  /** Whether the team has access to the workspace, through a grant on it or on its project. */
  hasAccess(teamId: TeamId, workspaceId: WorkspaceId): boolean {
    return this.grantOf(teamId, workspaceId) !== undefined || this.grantOnProjectOf(teamId, workspaceId) !== undefined;
  }

  delete(id: string, now: Instant): void {
    if (!this.deletions.has(id)) this.deletions.set(id, now);
  }

  next(sequence: string): number {
    const number = (this.sequences.get(sequence) ?? 0) + 1;
    this.sequences.set(sequence, number);
    return number;
  }

  membershipOf(organizationId: OrganizationId, userId: UserId): Membership | undefined {
    const rows = [...this.memberships.values()];
    return rows.find((row) => row.organizationId === organizationId && row.userId === userId);
  }

  private lives(owner: TokenOwner): boolean {
    switch (owner.kind) {
      case 'user':
        return this.user(owner.id) !== undefined;
      case 'team':
        return this.team(owner.id) !== undefined;
      case 'organization':
      case 'auditor':
        return this.organization(owner.id) !== undefined;
    }
  }
}

/** The current tables: the committed ones for reading, and a transaction's own while it is open. */
export type CurrentTables = () => MemoryTables;

export const present = <Item>(items: Iterable<Item | undefined>): Item[] =>
  [...items].filter((item): item is Item & {} => item !== undefined);

export const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Ties are broken by id. */
export const byText =
  <Row extends { readonly id: string }>(textOf: (row: Row) => string) =>
  (a: Row, b: Row): number =>
    compare(textOf(a), textOf(b)) || compare(a.id, b.id);

/** Rows that are sorted by name already, in the order asked for: by name, or by the text of the other key. */
export function inOrder<Row extends { readonly id: string }>(
  byName: readonly Row[],
  textOf: (row: Row) => string,
  sort: Order<string> | undefined,
): readonly Row[] {
  const sorted = sort === undefined || sort.key === 'name' ? byName : byName.toSorted(byText(textOf));
  return sort?.descending ? sorted.toReversed() : sorted;
}

export const byUsername = byText<User>(({ username }) => username.toLowerCase());

const byMember = byText<Member>(({ username, email }) => (username ?? email).toLowerCase());

export function pageOf<Item>(items: readonly Item[], { number, size }: PageRequest): Page<Item> {
  const start = (number - 1) * size;
  return { number, size, total: items.length, items: items.slice(start, start + size) };
}

/** Throws `shared/stale-revision` unless `next` is one change away from the stored row. */
export function checkRevision(
  stored: { readonly revision: number } | undefined,
  next: { readonly id: string; readonly revision: number },
): void {
  if (stored?.revision === next.revision - 1) return;
  throw new DomainError('shared/stale-revision', `${next.id} was changed by another request`);
}
