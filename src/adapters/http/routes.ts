import { agentPoolRoutes } from './agents/agent-pool-routes.js';
import { configurationVersionRoutes } from './configuration-versions/configuration-version-routes.js';
import type { Dialect } from './dialect.js';
import { organizationRoutes } from './organizations/organization-routes.js';
import { policyOutcomeRoutes } from './policy-outcomes/policy-outcome-routes.js';
import { policySetRoutes } from './policy-sets/policy-set-routes.js';
import type { Route } from './route.js';
import { runRoutes } from './runs/run-routes.js';
import { teamAccessRoutes } from './team-access/team-access-routes.js';
import { teamTokenRoutes } from './team-tokens/team-token-routes.js';
import { teamRoutes } from './teams/team-routes.js';
import type { UseCases } from './use-cases.js';
import { userRoutes } from './users/user-routes.js';
import { fetchRoutes } from './version-control/fetch-routes.js';
import { workspaceRoutes } from './workspaces/workspace-routes.js';

/** The map of the API: every endpoint that asks for a token, as one dialect serves it. */
export const routes = (use: UseCases, dialect: Dialect): readonly Route[] => [
  ...configurationVersionRoutes(use, dialect),
  ...teamAccessRoutes(use, dialect),
  ...teamTokenRoutes(use, dialect),
  ...policyOutcomeRoutes(use, dialect),
  ...workspaceRoutes(use, dialect),
  ...runRoutes(use, dialect),
  ...fetchRoutes(use, dialect),
  ...policySetRoutes(use, dialect),
  ...agentPoolRoutes(use, dialect),
  ...organizationRoutes(use, dialect),
  ...teamRoutes(use, dialect),
  ...userRoutes(use, dialect),
];
