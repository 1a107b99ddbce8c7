/** An identifier. The phantom `kind` keeps a team's id out of a workspace's place; any text may become one. */
export type Id<Kind extends string> = string & { readonly kind?: Kind };

export type OrganizationId = Id<'organization'>;
export type MembershipId = Id<'membership'>;
export type UserId = Id<'user'>;
export type TeamId = Id<'team'>;
export type WorkspaceId = Id<'workspace'>;
export type VariableId = Id<'variable'>;
export type TeamWorkspaceId = Id<'team-workspace'>;
export type ConfigurationVersionId = Id<'configuration-version'>;
export type TokenId = Id<'token'>;
export type RunId = Id<'run'>;
export type TaskStageId = Id<'task-stage'>;
export type PolicyEvaluationId = Id<'policy-evaluation'>;
export type PolicySetOutcomeId = Id<'policy-set-outcome'>;
export type PolicySetId = Id<'policy-set'>;
export type PolicyId = Id<'policy'>;
export type AgentPoolId = Id<'agent-pool'>;
export type StateVersionId = Id<'state-version'>;
export type StateVersionOutputId = Id<'state-version-output'>;
/** The part of a webhook's URL that names the linked workspace. */
export type WebhookId = Id<'webhook'>;
/** Where a bundle lies in the store. One per upload attempt, never one per version. */
export type BundleKey = Id<'bundle'>;

/** UTC, ISO 8601, milliseconds and a literal `Z`, as `Date#toISOString` writes it: comparing as text compares in time. */
export type Instant = string;

/** Before `from` where `seconds` is negative. */
export const later = (from: Instant, seconds: number): Instant =>
  new Date(Date.parse(from) + seconds * 1000).toISOString();
