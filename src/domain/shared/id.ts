/** An identifier. The phantom `kind` keeps ids of different types apart; any string may become one. */
export type Id<Kind extends string> = string & { readonly kind?: Kind };

export type OrganizationId = Id<'organization'>;
export type MembershipId = Id<'membership'>;
export type UserId = Id<'user'>;
export type TeamId = Id<'team'>;
export type ProjectId = Id<'project'>;
export type WorkspaceId = Id<'workspace'>;
export type TagId = Id<'tag'>;
export type TagBindingId = Id<'tag-binding'>;
export type DataRetentionId = Id<'data-retention-policy'>;
export type VariableId = Id<'variable'>;
export type VariableSetId = Id<'variable-set'>;
export type TeamWorkspaceId = Id<'team-workspace'>;
export type TeamProjectId = Id<'team-project'>;
export type ConfigurationVersionId = Id<'configuration-version'>;
export type TokenId = Id<'token'>;
export type IdentityId = Id<'identity'>;
export type SessionId = Id<'session'>;
export type RunId = Id<'run'>;
export type RunCommentId = Id<'run-comment'>;
export type TaskStageId = Id<'task-stage'>;
export type TaskResultId = Id<'task-result'>;
export type RunTaskId = Id<'run-task'>;
export type WorkspaceTaskId = Id<'workspace-task'>;
export type NotificationConfigurationId = Id<'notification-configuration'>;
export type RunTriggerId = Id<'run-trigger'>;
export type PolicyEvaluationId = Id<'policy-evaluation'>;
export type PolicySetOutcomeId = Id<'policy-set-outcome'>;
export type PolicySetId = Id<'policy-set'>;
export type PolicySetVersionId = Id<'policy-set-version'>;
export type PolicySetParameterId = Id<'policy-set-parameter'>;
export type PolicyTrialId = Id<'policy-trial'>;
export type PolicyId = Id<'policy'>;
export type AgentPoolId = Id<'agent-pool'>;
export type StateVersionId = Id<'state-version'>;
export type StateVersionOutputId = Id<'state-version-output'>;
/** The part of a webhook URL that identifies the linked workspace. */
export type WebhookId = Id<'webhook'>;
/** The location of a bundle in the store. One per upload attempt, not one per version. */
export type BundleKey = Id<'bundle'>;

/** UTC, ISO 8601, milliseconds and a literal `Z`, as `Date#toISOString` writes it: text order is time order. */
export type Instant = string;

export const secondsBetween = (from: Instant, to: Instant): number => (Date.parse(to) - Date.parse(from)) / 1000;

/** A negative `seconds` returns an earlier instant. */
export const later = (from: Instant, seconds: number): Instant =>
  new Date(Date.parse(from) + seconds * 1000).toISOString();
