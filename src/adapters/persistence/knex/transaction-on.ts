import { noteChange } from '../../../application/ports/outside/changes.js';
import type { Transaction } from '../../../application/ports/repositories/unit-of-work.js';
import type { Instant } from '../../../domain/index.js';
import type { Statements } from './engine/statements.js';
import type { Switches } from './engine/switches.js';
import type { Migrations } from './migration-source.js';
import { News } from './news.js';
import { KnexEffects } from './repositories/background/knex-effects.js';
import { KnexFills } from './repositories/background/knex-fills.js';
import { KnexRequestRates, KnexSigningKeys } from './repositories/background/knex-instances.js';
import { KnexRemovals } from './repositories/background/knex-removals.js';
import { KnexRowLocks } from './repositories/background/knex-row-locks.js';
import { KnexConfigurationVersions } from './repositories/configuration-versions/knex-configuration-versions.js';
import { KnexKeptBytes } from './repositories/files/knex-kept-bytes.js';
import { KnexStoredFiles } from './repositories/files/knex-stored-files.js';
import { KnexOutcomeCounts } from './repositories/policy-outcomes/knex-outcome-counts.js';
import { KnexPolicyTrials } from './repositories/policy-outcomes/knex-policy-trials.js';
import { KnexTaskStages } from './repositories/policy-outcomes/knex-task-stages.js';
import { KnexAgentPools, KnexAgentTokens } from './repositories/supporting/agents/knex-agents.js';
import { KnexAuditTrail } from './repositories/supporting/audit/knex-audit-trail.js';
import { KnexNotificationConfigurations } from './repositories/supporting/notifications/knex-notification-configurations.js';
import { KnexMemberships, KnexOrganizations } from './repositories/supporting/organizations/knex-organizations.js';
import { KnexPolicies } from './repositories/supporting/policies/knex-policies.js';
import { KnexPolicySetParameters } from './repositories/supporting/policies/knex-policy-set-parameters.js';
import { KnexPolicySetVersions } from './repositories/supporting/policies/knex-policy-set-versions.js';
import { KnexPolicySets } from './repositories/supporting/policies/knex-policy-sets.js';
import { KnexProjects } from './repositories/supporting/projects/knex-projects.js';
import { KnexRunTasks, KnexWorkspaceTasks } from './repositories/supporting/run-tasks/knex-run-tasks.js';
import { KnexTaskResults } from './repositories/supporting/run-tasks/knex-task-results.js';
import { KnexRunTriggers } from './repositories/supporting/run-triggers/knex-run-triggers.js';
import { KnexAttention } from './repositories/supporting/runs/knex-attention.js';
import { KnexRunArtifacts } from './repositories/supporting/runs/knex-run-artifacts.js';
import { KnexRunComments } from './repositories/supporting/runs/knex-run-comments.js';
import { KnexRunLogs } from './repositories/supporting/runs/knex-run-logs.js';
import { KnexRuns } from './repositories/supporting/runs/knex-runs.js';
import { KnexIdentities } from './repositories/supporting/sign-in/knex-identities.js';
import { KnexSessions } from './repositories/supporting/sign-in/knex-sessions.js';
import { KnexStateOutputs } from './repositories/supporting/state-versions/knex-state-outputs.js';
import { KnexStateVersions } from './repositories/supporting/state-versions/knex-state-versions.js';
import { KnexTagBindings } from './repositories/supporting/tags/knex-tag-bindings.js';
import { KnexTags } from './repositories/supporting/tags/knex-tags.js';
import { KnexTeamGroups } from './repositories/supporting/teams/knex-team-groups.js';
import { KnexTeams } from './repositories/supporting/teams/knex-teams.js';
import { KnexUsers } from './repositories/supporting/users/knex-users.js';
import { KnexSetVariables } from './repositories/supporting/variables/knex-set-variables.js';
import { KnexVariableSets } from './repositories/supporting/variables/knex-variable-sets.js';
import { KnexVariables } from './repositories/supporting/variables/knex-variables.js';
import { KnexWorkspaces } from './repositories/supporting/workspaces/knex-workspaces.js';
import { KnexAccessHolders } from './repositories/team-access/knex-access-holders.js';
import { KnexProjectAccess } from './repositories/team-access/knex-project-access.js';
import { KnexTeamAccess } from './repositories/team-access/knex-team-access.js';
import { KnexApiTokens } from './repositories/tokens/knex-api-tokens.js';
import { KnexTeamTokens } from './repositories/tokens/knex-team-tokens.js';

/**
 * Longer than an event takes from its timestamp to its commit. The commit is requested at most `usualLongest` after the
 * transaction began; the server receives it within the 15 seconds that a transaction may be idle, and takes at most the
 * 15 of any statement. The clocks of instances agree to within a second. SQLite has one writer at a time.
 */
const settlesInSeconds = { sqlite: 0, postgres: 60 } as const;

/** Shared by the repositories of one database. */
export interface Setting {
  readonly engine: keyof typeof settlesInSeconds;
  readonly now: () => Instant;
  readonly migrations: Migrations;
  /** Repositories that read what migrations fill ask it which query to use. */
  readonly switches: Switches;
}

/** The repositories on one connection, or on any when only reading. */
export const transactionOn = (
  db: Statements,
  { engine, now, migrations, switches }: Setting,
  { ordered, changed } = new News(),
): Transaction => ({
  organizations: new KnexOrganizations(db),
  memberships: new KnexMemberships(db),
  users: new KnexUsers(db),
  identities: new KnexIdentities(db),
  sessions: new KnexSessions(db),
  tokens: new KnexApiTokens(db),
  teamTokens: new KnexTeamTokens(db),
  teams: new KnexTeams(db, now),
  teamGroups: new KnexTeamGroups(db),
  teamAccess: new KnexTeamAccess(db, now),
  projectAccess: new KnexProjectAccess(db, now),
  accessHolders: new KnexAccessHolders(db),
  projects: new KnexProjects(db),
  workspaces: new KnexWorkspaces(db, switches.has),
  tags: new KnexTags(db),
  tagBindings: new KnexTagBindings(db),
  variables: new KnexVariables(db),
  variableSets: new KnexVariableSets(db),
  setVariables: new KnexSetVariables(db),
  configurationVersions: new KnexConfigurationVersions(db),
  runs: new KnexRuns(db),
  attention: new KnexAttention(db),
  runComments: new KnexRunComments(db),
  runLogs: new KnexRunLogs(db, (id) => noteChange(changed, id, 'log')),
  runArtifacts: new KnexRunArtifacts(db),
  stateVersions: new KnexStateVersions(db),
  stateOutputs: new KnexStateOutputs(db),
  policySets: new KnexPolicySets(db),
  policySetVersions: new KnexPolicySetVersions(db),
  policySetParameters: new KnexPolicySetParameters(db),
  policies: new KnexPolicies(db),
  policyTrials: new KnexPolicyTrials(db),
  runTasks: new KnexRunTasks(db),
  workspaceTasks: new KnexWorkspaceTasks(db),
  notificationConfigurations: new KnexNotificationConfigurations(db),
  runTriggers: new KnexRunTriggers(db),
  taskStages: new KnexTaskStages(db),
  taskResults: new KnexTaskResults(db),
  outcomeCounts: new KnexOutcomeCounts(db),
  agentPools: new KnexAgentPools(db),
  agentTokens: new KnexAgentTokens(db),
  storedFiles: new KnexStoredFiles(db),
  keptBytes: new KnexKeptBytes(db),
  effects: new KnexEffects(db, (kind) => ordered.add(kind)),
  removals: new KnexRemovals(db),
  rowLocks: new KnexRowLocks(db),
  signingKeys: new KnexSigningKeys(db),
  requestRates: new KnexRequestRates(db),
  fills: new KnexFills(db, migrations.fills),
  audit: new KnexAuditTrail(db, now, settlesInSeconds[engine], (id) => noteChange(changed, id, 'records')),
});
