import type { AgentPoolRepository, AgentTokenRepository } from './agent-repository.js';
import type { ApiTokenRepository } from './api-token-repository.js';
import type { AuditTrail } from './audit-trail.js';
import type {
  ConfigurationVersionQueries,
  ConfigurationVersionRepository,
} from './configuration-version-repository.js';
import type { EffectOutbox, Removals } from './effect-outbox.js';
import type { Holds } from './holds.js';
import type { RequestRates, SigningKeys } from './instances.js';
import type { KeptBytes } from './kept-bytes.js';
import type { MembershipRepository, OrganizationRepository } from './organization-repository.js';
import type { PolicyRepository, PolicySetRepository, TaskStageRepository } from './policy-repository.js';
import type { RunArtifacts } from './run-artifacts.js';
import type { RunLogs, RunQueries, RunRepository } from './run-repository.js';
import type { StateOutputRepository, StateVersionRepository } from './state-version-repository.js';
import type { StoredFiles } from './stored-files.js';
import type { TeamRepository } from './team-repository.js';
import type { TeamWorkspaceRepository } from './team-workspace-repository.js';
import type { UserRepository } from './user-repository.js';
import type { VariableRepository } from './variable-repository.js';
import type { WorkspaceRepository } from './workspace-repository.js';

/** All there are. */
export interface Repositories {
  readonly organizations: OrganizationRepository;
  readonly memberships: MembershipRepository;
  readonly users: UserRepository;
  readonly tokens: ApiTokenRepository;
  readonly teams: TeamRepository;
  readonly teamAccess: TeamWorkspaceRepository;
  readonly workspaces: WorkspaceRepository;
  readonly variables: VariableRepository;
  readonly configurationVersions: ConfigurationVersionRepository & ConfigurationVersionQueries;
  readonly runs: RunRepository & RunQueries;
  readonly runLogs: RunLogs;
  readonly runArtifacts: RunArtifacts;
  readonly stateVersions: StateVersionRepository;
  readonly stateOutputs: StateOutputRepository;
  readonly policySets: PolicySetRepository;
  readonly policies: PolicyRepository;
  readonly taskStages: TaskStageRepository;
  readonly agentPools: AgentPoolRepository;
  readonly agentTokens: AgentTokenRepository;
  readonly storedFiles: StoredFiles;
  readonly keptBytes: KeptBytes;
  readonly effects: EffectOutbox;
  readonly removals: Removals;
  readonly holds: Holds;
  readonly signingKeys: SigningKeys;
  readonly requestRates: RequestRates;
  readonly audit: AuditTrail;
}

export type RepositoryName = keyof Repositories;

/** The repositories of one transaction. Nothing else may touch the database while it is open. */
export type Transaction<Names extends RepositoryName = RepositoryName> = Pick<Repositories, Names>;

/**
 * The only way to a repository, so that no query can escape its transaction. Never nested; no other I/O inside. What takes one
 * names the repositories it asks: a host that implements no others is enough.
 */
export interface UnitOfWork<Names extends RepositoryName = RepositoryName> {
  /**
   * Commits when `work` resolves, rolls back when it rejects. `work` may run again when a save was stale, or when it waited for
   * something else than `tx`. What it adds may be sent as late as the commit: a refusal of that, such as a name that is taken,
   * may reject `run` after `work` resolved.
   */
  run<Result>(work: (tx: Transaction<Names>) => Promise<Result>): Promise<Result>;
  /** For reading only: each statement sees what is committed, and no lock is held between two of them. */
  read<Result>(work: (tx: Transaction<Names>) => Promise<Result>): Promise<Result>;
}
