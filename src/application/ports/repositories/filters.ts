import type {
  Instant,
  KeyValue,
  membershipStatuses,
  PolicyKind,
  ProjectId,
  RunOperation,
  RunState,
  RunStatus,
  WorkspaceId,
} from '../../../domain/index.js';

// Filters of lists, with their order. An undefined or missing member selects everything.

/** Texts are compared in any case of the letters A to Z, as the databases do it. */
export const caseless = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Ties are broken by id, in the same direction. */
export interface Order<Key extends string> {
  readonly key: Key;
  readonly descending: boolean;
}

export interface OrganizationFilter {
  /** A part of the name or of the e-mail address. */
  readonly search?: string | undefined;
  /** A part of the name. */
  readonly name?: string | undefined;
  /** A part of the e-mail address. */
  readonly email?: string | undefined;
}

export interface UserFilter {
  /** A part of the username or of the e-mail address. */
  readonly search?: string | undefined;
  readonly siteAdministrator?: boolean | undefined;
  readonly suspended?: boolean | undefined;
}

/** Usernames and addresses are those that members can see: of an invited member the invited address and no username. */
export interface MembershipFilter {
  /** A part of the username or of the e-mail address. */
  readonly search?: string | undefined;
  readonly emails?: readonly string[] | undefined;
  readonly status?: (typeof membershipStatuses)[number] | undefined;
}

/** Names are compared by `teamNameKey`. */
export interface TeamFilter {
  /** A part of the name. */
  readonly search?: string | undefined;
  readonly names?: readonly string[] | undefined;
}

export const agentPoolSorts = ['name', 'created-at'] as const;

export interface AgentPoolFilter {
  /** A part of the name. */
  readonly search?: string | undefined;
  /** Only pools that may serve the workspace. */
  readonly workspaceId?: WorkspaceId | undefined;
  /** Only pools that may serve workspaces for being in the project. */
  readonly projectId?: ProjectId | undefined;
  readonly sort?: Order<(typeof agentPoolSorts)[number]> | undefined;
}

export interface VariableSetFilter {
  /** A part of the name. */
  readonly search?: string | undefined;
}

/** The sets that a list may include: those of the organization, those of its projects, or both. */
export interface VariableSetVisibility {
  readonly ofOrganization: boolean;
  readonly ofProjects: boolean;
}

export interface PolicySetFilter {
  /** A part of the name. */
  readonly search?: string | undefined;
  readonly kind?: PolicyKind | undefined;
  /** Whether the policies come from uploaded versions. */
  readonly versioned?: boolean | undefined;
}

export const policySorts = ['name', 'created-at'] as const;

export interface TagFilter {
  /** A part of the name. */
  readonly search?: string | undefined;
  /** Only those of this workspace. */
  readonly workspaceId?: WorkspaceId | undefined;
  /** Without those of this workspace, if it is within the visibility. */
  readonly exceptWorkspaceId?: WorkspaceId | undefined;
}

export const projectSorts = ['name'] as const;

export interface ProjectFilter {
  /** A part of the name. */
  readonly search?: string | undefined;
  readonly names?: readonly string[] | undefined;
  /** Each selects projects with a binding of this key and this value. */
  readonly bindings?: readonly Partial<KeyValue>[] | undefined;
  readonly sort?: Order<(typeof projectSorts)[number]> | undefined;
}

export const workspaceSorts = ['name', 'current-run.created-at', 'latest-change-at'] as const;

export interface WorkspaceFilter {
  /** A part of the name. */
  readonly search?: string | undefined;
  /** The whole name, in which an asterisk stands for any text. */
  readonly wildcard?: string | undefined;
  readonly projectId?: ProjectId | undefined;
  /**
   * The names of tags, in any case, or keys of effective bindings: the workspace has all of them. Clients look for both
   * at once.
   */
  readonly tags?: readonly string[] | undefined;
  /** The same: the workspace has none of them. */
  readonly excludedTags?: readonly string[] | undefined;
  /** Each selects workspaces with an effective binding of this key and this value. */
  readonly bindings?: readonly Partial<KeyValue>[] | undefined;
  /** The status of the run that `currentOf` finds. */
  readonly currentRun?: readonly RunStatus[] | undefined;
  /**
   * Workspaces without a current run come last in both directions. The latest change is the creation of the current
   * state, or of the workspace if it has none.
   */
  readonly sort?: Order<(typeof workspaceSorts)[number]> | undefined;
}

/** In every search, the part is a part of one text, in any case. */
export interface RunFilter {
  readonly statuses?: readonly RunStatus[] | undefined;
  readonly operations?: readonly RunOperation[] | undefined;
  readonly sources?: readonly RunState['source'][] | undefined;
  /** Created at or after this instant. */
  readonly since?: Instant | undefined;
  /** Created before this instant. */
  readonly before?: Instant | undefined;
  /** A part of the id, of the message, of the commit, or of what `user` searches. */
  readonly search?: string | undefined;
  /** A part of the username of its creator, or of the sender of its commit. */
  readonly user?: string | undefined;
  /** A part of the SHA of its commit. */
  readonly commit?: string | undefined;
}

/** For runs of a whole organization. */
export interface OrganizationRunFilter extends RunFilter {
  readonly workspaceNames?: readonly string[] | undefined;
  /** The workspace is served by an agent pool with one of these names, which is looked up for the newest runs, as texts are. */
  readonly agentPoolNames?: readonly string[] | undefined;
}
