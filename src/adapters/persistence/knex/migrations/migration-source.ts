import type { Knex } from 'knex';
import * as initial from './0001-initial.js';
import * as runs from './0002-runs.js';
import * as instances from './0003-instances.js';
import * as lists from './0004-lists.js';
import * as moreLists from './0005-more-lists.js';
import * as auditEvents from './0006-audit-events.js';
import * as auditEventsWhole from './0007-audit-events-whole.js';
import * as variables from './0008-variables.js';
import * as stateVersions from './0009-state-versions.js';
import * as policies from './0010-policies.js';
import * as runQueue from './0011-run-queue.js';
import * as agentPoolKinds from './0012-agent-pool-kinds.js';
import * as tokens from './0013-tokens.js';
import * as keptBytes from './0014-kept-bytes.js';
import * as invitations from './0015-invitations-and-team-names.js';
import * as shortLists from './0016-short-lists.js';
import * as statesOfClients from './0017-states-of-clients.js';
import * as attributesOfClients from './0018-attributes-of-clients.js';
import * as attributes from './0019-attributes.js';
import * as filters from './0020-filters.js';
import * as projects from './0021-projects.js';
import * as teamProjects from './0022-team-projects.js';
import * as tags from './0023-tags.js';
import * as variableSets from './0024-variable-sets.js';
import * as runTasks from './0025-run-tasks.js';
import * as policySetVersions from './0026-policy-set-versions.js';
import * as commentsAndRetention from './0027-comments-and-retention.js';
import * as autoDestroy from './0028-auto-destroy.js';
import * as signIn from './0029-sign-in.js';
import * as terraformLogin from './0030-terraform-login.js';
import * as versionedPolicySets from './0031-versioned-policy-sets.js';
import * as policySetRepositories from './0032-policy-set-repositories.js';
import * as teamGroups from './0033-team-groups.js';
import * as runsListedAtOnce from './0034-runs-listed-at-once.js';
import * as effectsInLanes from './0035-effects-in-lanes.js';
import * as identities from './0036-identities.js';
import * as organizationSwitches from './0037-organization-switches.js';
import * as stateWarnings from './0038-state-warnings.js';

const migrations: Readonly<Record<string, Knex.Migration>> = {
  '0001-initial': initial,
  '0002-runs': runs,
  '0003-instances': instances,
  '0004-lists': lists,
  '0005-more-lists': moreLists,
  '0006-audit-events': auditEvents,
  '0007-audit-events-whole': auditEventsWhole,
  '0008-variables': variables,
  '0009-state-versions': stateVersions,
  '0010-policies': policies,
  '0011-run-queue': runQueue,
  '0012-agent-pool-kinds': agentPoolKinds,
  '0013-tokens': tokens,
  '0014-kept-bytes': keptBytes,
  '0015-invitations-and-team-names': invitations,
  '0016-short-lists': shortLists,
  '0017-states-of-clients': statesOfClients,
  '0018-attributes-of-clients': attributesOfClients,
  '0019-attributes': attributes,
  '0020-filters': filters,
  '0021-projects': projects,
  '0022-team-projects': teamProjects,
  '0023-tags': tags,
  '0024-variable-sets': variableSets,
  '0025-run-tasks': runTasks,
  '0026-policy-set-versions': policySetVersions,
  '0027-comments-and-retention': commentsAndRetention,
  '0028-auto-destroy': autoDestroy,
  '0029-sign-in': signIn,
  '0030-terraform-login': terraformLogin,
  '0031-versioned-policy-sets': versionedPolicySets,
  '0032-policy-set-repositories': policySetRepositories,
  '0033-team-groups': teamGroups,
  '0034-runs-listed-at-once': runsListedAtOnce,
  '0035-effects-in-lanes': effectsInLanes,
  '0036-identities': identities,
  '0037-organization-switches': organizationSwitches,
  '0038-state-warnings': stateWarnings,
};

/** Names without a file extension: the same migration is a `.ts` file to the command line and a `.js` file once built. */
export const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(migrations),
  getMigrationName: (name) => name,
  getMigration: async (name) => migrations[name] as Knex.Migration,
};
