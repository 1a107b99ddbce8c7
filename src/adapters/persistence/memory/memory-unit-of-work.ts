import { type ChangeKind, type HearChanges, noteChange } from '../../../application/ports/outside/changes.js';
import type { Transaction, UnitOfWork } from '../../../application/ports/repositories/unit-of-work.js';
import type { Instant, WorkspaceId } from '../../../domain/index.js';
import { MemoryAgentPools, MemoryAgentTokens } from './memory-agents.js';
import { MemoryApiTokens } from './memory-api-tokens.js';
import { MemoryAuditTrail } from './memory-audit-trail.js';
import { MemoryConfigurationVersions } from './memory-configuration-versions.js';
import { MemoryEffects } from './memory-effects.js';
import { MemoryIdentities } from './memory-identities.js';
import { MemoryRequestRates, MemorySigningKeys } from './memory-instances.js';
import { MemoryKeptBytes } from './memory-kept-bytes.js';
import { MemoryMemberships, MemoryOrganizations } from './memory-organizations.js';
import { MemoryPolicies } from './memory-policies.js';
import { MemoryPolicySetParameters } from './memory-policy-set-parameters.js';
import { MemoryPolicySetVersions } from './memory-policy-set-versions.js';
import { MemoryPolicySets } from './memory-policy-sets.js';
import { MemoryProjectAccess } from './memory-project-access.js';
import { MemoryProjects } from './memory-projects.js';
import { MemoryRemovals } from './memory-removals.js';
import { MemoryRowLocks } from './memory-row-locks.js';
import { MemoryRunArtifacts, MemoryRunLogs } from './memory-run-artifacts.js';
import { MemoryRunComments } from './memory-run-comments.js';
import { MemoryRunTasks, MemoryWorkspaceTasks } from './memory-run-tasks.js';
import { MemoryRuns } from './memory-runs.js';
import { MemorySessions } from './memory-sessions.js';
import { MemorySetVariables } from './memory-set-variables.js';
import { MemoryStateOutputs, MemoryStateVersions } from './memory-state-versions.js';
import { MemoryStoredFiles } from './memory-stored-files.js';
import { type CurrentTables, MemoryTables } from './memory-tables.js';
import { MemoryTagBindings, MemoryTags } from './memory-tags.js';
import { MemoryTaskResults, MemoryTaskStages } from './memory-task-stages.js';
import { MemoryTeamAccess } from './memory-team-access.js';
import { MemoryTeamGroups } from './memory-team-groups.js';
import { MemoryTeams } from './memory-teams.js';
import { MemoryUsers } from './memory-users.js';
import { MemoryVariableSets } from './memory-variable-sets.js';
import { MemoryVariables } from './memory-variables.js';
import { MemoryWorkspaces } from './memory-workspaces.js';

type Changed = Map<WorkspaceId, ChangeKind>;

const transactionOn = (tables: CurrentTables, now: () => Instant, changed: Changed = new Map()): Transaction => ({
  organizations: new MemoryOrganizations(tables),
  memberships: new MemoryMemberships(tables),
  users: new MemoryUsers(tables),
  identities: new MemoryIdentities(tables),
  sessions: new MemorySessions(tables),
  tokens: new MemoryApiTokens(tables),
  teams: new MemoryTeams(tables),
  teamGroups: new MemoryTeamGroups(tables),
  teamAccess: new MemoryTeamAccess(tables),
  projectAccess: new MemoryProjectAccess(tables),
  projects: new MemoryProjects(tables),
  workspaces: new MemoryWorkspaces(tables),
  tags: new MemoryTags(tables),
  tagBindings: new MemoryTagBindings(tables),
  variables: new MemoryVariables(tables),
  variableSets: new MemoryVariableSets(tables),
  setVariables: new MemorySetVariables(tables),
  configurationVersions: new MemoryConfigurationVersions(tables),
  runs: new MemoryRuns(tables),
  runComments: new MemoryRunComments(tables),
  runLogs: new MemoryRunLogs(tables, (id) => noteChange(changed, id, 'log')),
  runArtifacts: new MemoryRunArtifacts(tables),
  stateVersions: new MemoryStateVersions(tables),
  stateOutputs: new MemoryStateOutputs(tables),
  policySets: new MemoryPolicySets(tables),
  policySetVersions: new MemoryPolicySetVersions(tables),
  policySetParameters: new MemoryPolicySetParameters(tables),
  policies: new MemoryPolicies(tables),
  runTasks: new MemoryRunTasks(tables),
  workspaceTasks: new MemoryWorkspaceTasks(tables),
  taskStages: new MemoryTaskStages(tables),
  taskResults: new MemoryTaskResults(tables),
  agentPools: new MemoryAgentPools(tables),
  agentTokens: new MemoryAgentTokens(tables),
  storedFiles: new MemoryStoredFiles(tables),
  keptBytes: new MemoryKeptBytes(tables),
  effects: new MemoryEffects(tables),
  removals: new MemoryRemovals(tables),
  rowLocks: new MemoryRowLocks(tables),
  signingKeys: new MemorySigningKeys(tables),
  requestRates: new MemoryRequestRates(tables),
  audit: new MemoryAuditTrail(tables, now, (id) => noteChange(changed, id, 'records')),
});

/** Everything in this process's memory: for tests, and for trying the use cases without a database. */
export class MemoryUnitOfWork implements UnitOfWork {
  private committed = new MemoryTables();
  private open: MemoryTables | undefined;
  private lastOfQueue: Promise<unknown> = Promise.resolve();
  private hear: HearChanges = () => {};

  /** `now` stamps what is recorded. */
  constructor(private readonly now: () => Instant = () => new Date().toISOString()) {}

  /** Calls `hear` with the changes of each commit from now on. */
  hearChanges(hear: HearChanges): void {
    this.hear = hear;
  }

  /** One at a time, on a copy that takes the place of the tables when the work is done. */
  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const result = this.lastOfQueue.then(() => this.transact(work));
    this.lastOfQueue = result.catch(() => undefined);
    return result;
  }

  async read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return work(transactionOn(() => this.committed, this.now));
  }

  private async transact<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const copy = this.committed.copy();
    this.open = copy;
    const own = () => {
      if (this.open !== copy) throw new Error('the transaction is over');
      return copy;
    };
    try {
      const changed: Changed = new Map();
      const result = await work(transactionOn(own, this.now, changed));
      this.committed = copy;
      if (changed.size > 0) this.hear(changed);
      return result;
    } finally {
      this.open = undefined;
    }
  }
}
