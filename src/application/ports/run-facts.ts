import type { ConfigurationVersionId, OrganizationId, TeamId, UserId, WorkspaceId } from '../../domain/index.js';

/** Where a run in progress forbids a deletion. */
export type RunScope =
  | { readonly organizationId: OrganizationId }
  | { readonly workspaceId: WorkspaceId }
  | { readonly createdBy: UserId | TeamId };

/** Answers what rules ask about runs. */
export interface RunFacts {
  /** What the lifecycle's guards look at. */
  aboutVersion(
    id: ConfigurationVersionId,
  ): Promise<{ readonly isCurrent: boolean; readonly runsInProgress: boolean; readonly usedByRun: boolean }>;
  anyInProgress(scope: RunScope): Promise<boolean>;
}
