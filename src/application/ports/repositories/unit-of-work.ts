import type { AccessHolders } from './access-holders.js';
import type { AgentPoolRepository, AgentTokenRepository } from './agent-repository.js';
import type { ApiTokenRepository } from './api-token-repository.js';
import type { AttentionQueries } from './attention.js';
import type { AuditTrail } from './audit-trail.js';
import type {
  ConfigurationVersionQueries,
  ConfigurationVersionRepository,
} from './configuration-version-repository.js';
import type { EffectOutbox, Removals } from './effect-outbox.js';
import type { Fills } from './fills.js';
import type { IdentityRepository } from './identity-repository.js';
import type { RequestRates, SigningKeys } from './instances.js';
import type { KeptBytes } from './kept-bytes.js';
import type { NotificationConfigurationRepository } from './notification-repository.js';
import type { MembershipRepository, OrganizationRepository } from './organization-repository.js';
import type { OutcomeCounts } from './outcome-counts.js';
import type {
  PolicyRepository,
  PolicySetParameterRepository,
  PolicySetRepository,
  PolicySetVersionRepository,
  TaskResultRepository,
  TaskStageRepository,
} from './policy-repository.js';
import type { PolicyTrialRepository } from './policy-trial-repository.js';
import type { ProjectRepository } from './project-repository.js';
import type { RowLocks } from './row-locks.js';
import type { RunArtifacts } from './run-artifacts.js';
import type { RunComments } from './run-comments.js';
import type { RunLogs, RunQueries, RunRepository } from './run-repository.js';
import type { RunTaskRepository, WorkspaceTaskRepository } from './run-task-repository.js';
import type { RunTriggerRepository } from './run-trigger-repository.js';
import type { SessionRepository } from './session-repository.js';
import type { StateOutputRepository, StateVersionRepository } from './state-version-repository.js';
import type { StoredFiles } from './stored-files.js';
import type { TagBindingRepository, TagRepository } from './tag-repository.js';
import type { TeamGroupRepository } from './team-group-repository.js';
import type { TeamProjectRepository } from './team-project-repository.js';
import type { TeamRepository } from './team-repository.js';
import type { TeamTokenRepository } from './team-token-repository.js';
import type { TeamWorkspaceRepository } from './team-workspace-repository.js';
import type { UserRepository } from './user-repository.js';
import type { VariableRepository } from './variable-repository.js';
import type { SetVariableRepository, VariableSetRepository } from './variable-set-repository.js';
import type { WorkspaceRepository } from './workspace-repository.js';

/** All repositories. */
export interface Repositories {
  readonly organizations: OrganizationRepository;
  readonly memberships: MembershipRepository;
  readonly users: UserRepository;
  readonly identities: IdentityRepository;
  readonly sessions: SessionRepository;
  readonly tokens: ApiTokenRepository;
  readonly teamTokens: TeamTokenRepository;
  readonly teams: TeamRepository;
  readonly teamGroups: TeamGroupRepository;
  readonly teamAccess: TeamWorkspaceRepository;
  readonly projectAccess: TeamProjectRepository;
  readonly accessHolders: AccessHolders;
  readonly projects: ProjectRepository;
  readonly workspaces: WorkspaceRepository;
  readonly tags: TagRepository;
  readonly tagBindings: TagBindingRepository;
  readonly variables: VariableRepository;
  readonly variableSets: VariableSetRepository;
  readonly setVariables: SetVariableRepository;
  readonly configurationVersions: ConfigurationVersionRepository & ConfigurationVersionQueries;
  readonly runs: RunRepository & RunQueries;
  readonly attention: AttentionQueries;
  readonly runComments: RunComments;
  readonly runLogs: RunLogs;
  readonly runArtifacts: RunArtifacts;
  readonly stateVersions: StateVersionRepository;
  readonly stateOutputs: StateOutputRepository;
  readonly policySets: PolicySetRepository;
  readonly policySetVersions: PolicySetVersionRepository;
  readonly policySetParameters: PolicySetParameterRepository;
  readonly policies: PolicyRepository;
  readonly policyTrials: PolicyTrialRepository;
  readonly runTasks: RunTaskRepository;
  readonly workspaceTasks: WorkspaceTaskRepository;
  readonly notificationConfigurations: NotificationConfigurationRepository;
  readonly runTriggers: RunTriggerRepository;
  readonly taskStages: TaskStageRepository;
  readonly taskResults: TaskResultRepository;
  readonly outcomeCounts: OutcomeCounts;
  readonly agentPools: AgentPoolRepository;
  readonly agentTokens: AgentTokenRepository;
  readonly storedFiles: StoredFiles;
  readonly keptBytes: KeptBytes;
  readonly effects: EffectOutbox;
  readonly removals: Removals;
  readonly rowLocks: RowLocks;
  readonly signingKeys: SigningKeys;
  readonly requestRates: RequestRates;
  readonly fills: Fills;
  readonly audit: AuditTrail;
}

export type RepositoryName = keyof Repositories;

/** The repositories of one transaction. Nothing else may access the database while it is open. */
export type Transaction<Names extends RepositoryName = RepositoryName> = Pick<Repositories, Names>;

/**
 * The only access to a repository, so that every query belongs to a transaction. Transactions are never nested and
 * contain no other I/O. A consumer names the repositories it requires, so that a host only has to implement those.
 */
export interface UnitOfWork<Names extends RepositoryName = RepositoryName> {
  /**
   * Commits when `work` resolves, rolls back when it rejects. Calls of `tx` take effect in their order, even if several are
   * made before the first is awaited. `work` may run again if a save was stale, or if it waited for anything
   * but `tx`. Its inserts may be sent as late as the commit: their refusal, such as a name that is taken,
   * may reject `run` after `work` resolved.
   */
  run<Result>(work: (tx: Transaction<Names>) => Promise<Result>): Promise<Result>;
  /**
   * For reading only: each statement sees the latest committed data, and no locks are held between statements. A statement
   * that waits for a lock too long is `service/unavailable`, never `shared/stale-revision`.
   */
  read<Result>(work: (tx: Transaction<Names>) => Promise<Result>): Promise<Result>;
}
