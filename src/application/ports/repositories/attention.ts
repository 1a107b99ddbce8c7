import type {
  AgentPoolId,
  DueDecision,
  Instant,
  OrganizationId,
  RunId,
  RunState,
  Standing,
  TeamId,
  WithStanding,
  WorkspaceId,
  WorkspaceVisibility,
} from '../../../domain/index.js';

/** Some workspaces of an organization. */
export interface AttentionScope {
  readonly organizationId: OrganizationId;
  /** The caller's on the organization. */
  readonly standing: Standing;
  readonly visibility: WorkspaceVisibility;
}

export interface LocatedRun {
  readonly id: RunId;
  readonly createdAt: Instant;
  readonly workspaceId: WorkspaceId;
}

/** A run that waits for an agent; a null pool stands for those of the site. */
export interface UnservedRun extends LocatedRun {
  readonly poolId: AgentPoolId | null;
}

/** A run with the names that a list of many workspaces shows. */
export interface NamedRun {
  readonly run: RunState;
  readonly workspaceName: string;
  /** The username of the member who created it; null if that was anyone else. */
  readonly createdBy: string | null;
  /** The policies by which it failed: the first by name, and their number. Null without one. */
  readonly failedPolicy: string | null;
  readonly failedPolicies: number;
}

/** Finds what waits for people in an organization. Each list is in the order of an index, oldest first. */
export interface AttentionQueries {
  /** Runs that wait for the decision, with the caller's standing on their workspaces. */
  awaitingDecision(
    scope: AttentionScope,
    decision: DueDecision,
    limit: number,
  ): Promise<readonly WithStanding<LocatedRun>[]>;
  /**
   * Looks at the `limit` oldest runs that wait for an agent, and returns those whose pool had none in contact since the
   * instant. Runs of the site's pools wait for any of these.
   */
  withoutAgent(scope: AttentionScope, since: Instant, limit: number): Promise<readonly UnservedRun[]>;
  /** The existing ones of these ids, in no particular order. `standing` is the caller's on their organization. */
  runs(standing: Standing, ids: readonly RunId[]): Promise<readonly WithStanding<NamedRun>[]>;
  /** The existing ones of these ids. */
  teamNames(ids: readonly TeamId[]): Promise<ReadonlyMap<TeamId, string>>;
}
