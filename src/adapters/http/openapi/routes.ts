import type { z } from 'zod';
import type { ShownRun } from '../../../application/index.js';
import type { UseCases } from '../../../application/use-cases.js';
import type { AgentToken } from '../../../domain/index.js';
import { configurationVersionRoutes } from '../configuration-versions/configuration-version-routes.js';
import { policyOutcomeRoutes } from '../policy-outcomes/policy-outcome-routes.js';
import { policyTrialRoutes } from '../policy-outcomes/policy-trial-routes.js';
import type { Dialect } from '../routing/dialect.js';
import type { Neighbour, Route } from '../routing/route.js';
import { presentAgentToken, reachableTokenSchema } from '../supporting/agents/agent-pool-resource.js';
import { agentPoolRoutes } from '../supporting/agents/agent-pool-routes.js';
import { auditEventRoutes } from '../supporting/audit/audit-event-routes.js';
import { changeRoutes } from '../supporting/changes/change-routes.js';
import { notificationRoutes } from '../supporting/notifications/notification-routes.js';
import { organizationGroupRoutes } from '../supporting/organizations/organization-group-routes.js';
import { organizationRoutes } from '../supporting/organizations/organization-routes.js';
import { policyRoutes } from '../supporting/policies/policy-routes.js';
import { policySetParameterRoutes } from '../supporting/policies/policy-set-parameter-routes.js';
import { policySetRoutes } from '../supporting/policies/policy-set-routes.js';
import { policySetVersionRoutes } from '../supporting/policies/policy-set-version-routes.js';
import { projectRoutes } from '../supporting/projects/project-routes.js';
import { runTaskRoutes } from '../supporting/run-tasks/run-task-routes.js';
import { runTriggerRoutes } from '../supporting/run-triggers/run-trigger-routes.js';
import { attentionRoutes } from '../supporting/runs/attention-routes.js';
import { runEventRoutes } from '../supporting/runs/run-event-routes.js';
import { presentRun, runSchema } from '../supporting/runs/run-resource.js';
import { runRoutes } from '../supporting/runs/run-routes.js';
import { identityRoutes } from '../supporting/sign-in/identity-routes.js';
import { ownSessionRoutes } from '../supporting/sign-in/own-session-routes.js';
import { stateVersionRoutes } from '../supporting/state-versions/state-version-routes.js';
import { tagRoutes } from '../supporting/tags/tag-routes.js';
import { teamRoutes } from '../supporting/teams/team-routes.js';
import { userRoutes } from '../supporting/users/user-routes.js';
import { variableRoutes } from '../supporting/variables/variable-routes.js';
import { variableSetRoutes } from '../supporting/variables/variable-set-routes.js';
import { fetchRoutes } from '../supporting/version-control/fetch-routes.js';
import { dataRetentionRoutes } from '../supporting/workspaces/data-retention-routes.js';
import { workspaceRoutes } from '../supporting/workspaces/workspace-routes.js';
import { effectiveAccessRoutes } from '../team-access/effective-access-routes.js';
import { projectAccessRoutes } from '../team-access/project-access-routes.js';
import { teamAccessRoutes } from '../team-access/team-access-routes.js';
import { organizationTokenRoutes } from '../tokens/organization-token-routes.js';
import { teamTokenRoutes } from '../tokens/team-token-routes.js';
import { tokenLifetimeRoutes } from '../tokens/token-lifetime-routes.js';
import { userTokenRoutes } from '../tokens/user-token-routes.js';
import { neighboursIn } from './neighbours.js';
import type { Area } from './openapi.js';

const runsIn = (dialect: Dialect): Neighbour<ShownRun> => ({
  schema: () => runSchema(dialect),
  present: presentRun(dialect),
});

const tokensIn = (dialect: Dialect): Neighbour<AgentToken, z.ZodType> => ({
  schema: () => reachableTokenSchema(dialect),
  present: presentAgentToken(),
});

/** The routes of each subject, under the heading by which the description of the API lists it. */
const areas = {
  'Configuration versions': (use, dialect) => configurationVersionRoutes(use, dialect, runsIn(dialect)),
  'Team access': (use, dialect) => [
    ...teamAccessRoutes(use, dialect),
    ...projectAccessRoutes(use, dialect),
    ...effectiveAccessRoutes(use, dialect),
  ],
  'Team tokens': teamTokenRoutes,
  'Policy outcomes': (use, dialect) => [
    ...policyOutcomeRoutes(use, dialect, runsIn(dialect)),
    ...policyTrialRoutes(use, dialect),
  ],
  Projects: (use, dialect) => projectRoutes(use, dialect, neighboursIn(dialect)),
  Workspaces: (use, dialect) => [
    ...workspaceRoutes(use, dialect, neighboursIn(dialect)),
    ...dataRetentionRoutes(use, dialect, 'workspace'),
  ],
  Tags: tagRoutes,
  Variables: variableRoutes,
  'Variable sets': (use, dialect) => variableSetRoutes(use, dialect, neighboursIn(dialect)),
  Runs: (use, dialect) => [
    ...runRoutes(use, dialect, neighboursIn(dialect)),
    ...attentionRoutes(use, dialect),
    ...runEventRoutes(use, dialect, neighboursIn(dialect)),
  ],
  'State versions': stateVersionRoutes,
  'Version control': fetchRoutes,
  'Policy sets': (use, dialect) => [
    ...policySetRoutes(use, dialect, neighboursIn(dialect)),
    ...policySetVersionRoutes(use, dialect),
    ...policySetParameterRoutes(use, dialect),
  ],
  Policies: policyRoutes,
  'Run tasks': (use, dialect) => runTaskRoutes(use, dialect, neighboursIn(dialect)),
  'Run triggers': (use, dialect) => runTriggerRoutes(use, dialect, neighboursIn(dialect)),
  Notifications: notificationRoutes,
  'Agent pools': (use, dialect) => agentPoolRoutes(use, dialect, neighboursIn(dialect)),
  Organizations: (use, dialect) => [
    ...organizationRoutes(use, dialect, neighboursIn(dialect)),
    ...dataRetentionRoutes(use, dialect, 'organization'),
    ...organizationTokenRoutes(use, dialect),
    ...organizationGroupRoutes(use, dialect),
    ...tokenLifetimeRoutes(use, dialect),
  ],
  Teams: (use, dialect) => teamRoutes(use, dialect, neighboursIn(dialect)),
  Users: (use, dialect) => [
    ...userRoutes(use, dialect),
    ...identityRoutes(use, dialect),
    ...ownSessionRoutes(use, dialect),
    ...userTokenRoutes(use, dialect, tokensIn(dialect)),
  ],
  Changes: changeRoutes,
  'Audit trail': auditEventRoutes,
} as const satisfies Readonly<Record<string, (use: UseCases, dialect: Dialect) => readonly Route[]>>;

export const routesByArea = (use: UseCases, dialect: Dialect): readonly Area<Route>[] =>
  Object.entries(areas).map(([area, routesOf]) => ({
    area,
    routes: routesOf(use, dialect).map((route) => ({ ...route, refusesOthers: dialect.refusesParameters })),
  }));

/** The map of the API: every endpoint that asks for a token, as one dialect serves it. */
export const routes = (use: UseCases, dialect: Dialect): readonly Route[] =>
  routesByArea(use, dialect).flatMap((area) => area.routes);
