import { agentPoolRoutes } from './agents/agent-pool-routes.js';
import { auditEventRoutes } from './audit/audit-event-routes.js';
import { configurationVersionRoutes } from './configuration-versions/configuration-version-routes.js';
import type { Dialect } from './dialect.js';
import { organizationRoutes } from './organizations/organization-routes.js';
import { policyRoutes } from './policies/policy-routes.js';
import { policyOutcomeRoutes } from './policy-outcomes/policy-outcome-routes.js';
import { policySetRoutes } from './policy-sets/policy-set-routes.js';
import type { Area } from './reference/openapi.js';
import type { Route } from './route.js';
import { runRoutes } from './runs/run-routes.js';
import { stateVersionRoutes } from './state-versions/state-version-routes.js';
import { teamAccessRoutes } from './team-access/team-access-routes.js';
import { teamTokenRoutes } from './team-tokens/team-token-routes.js';
import { teamRoutes } from './teams/team-routes.js';
import type { UseCases } from './use-cases.js';
import { userRoutes } from './users/user-routes.js';
import { variableRoutes } from './variables/variable-routes.js';
import { fetchRoutes } from './version-control/fetch-routes.js';
import { workspaceRoutes } from './workspaces/workspace-routes.js';

/** What each subject has, under the heading by which the description of the API lists it. */
const areas = {
  'Configuration versions': configurationVersionRoutes,
  'Team access': teamAccessRoutes,
  'Team tokens': teamTokenRoutes,
  'Policy outcomes': policyOutcomeRoutes,
  Workspaces: workspaceRoutes,
  Variables: variableRoutes,
  Runs: runRoutes,
  'State versions': stateVersionRoutes,
  'Version control': fetchRoutes,
  'Policy sets': policySetRoutes,
  Policies: policyRoutes,
  'Agent pools': agentPoolRoutes,
  Organizations: organizationRoutes,
  Teams: teamRoutes,
  Users: userRoutes,
  'Audit trail': auditEventRoutes,
} as const satisfies Readonly<Record<string, (use: UseCases, dialect: Dialect) => readonly Route[]>>;

export const routesByArea = (use: UseCases, dialect: Dialect): readonly Area<Route>[] =>
  Object.entries(areas).map(([area, routesOf]) => ({ area, routes: routesOf(use, dialect) }));

/** The map of the API: every endpoint that asks for a token, as one dialect serves it. */
export const routes = (use: UseCases, dialect: Dialect): readonly Route[] =>
  routesByArea(use, dialect).flatMap((area) => area.routes);
