import type { UseCases } from '../../../application/use-cases.js';
import { answerOne } from '../routing/answering.js';
import type { Dialect } from '../routing/dialect.js';
import { shows } from '../routing/reference.js';
import { get, parameter, type Route } from '../routing/route.js';
import { accessHolder, effectiveAccessParameters } from './effective-access-requests.js';
import { effectiveAccessSchema, presentEffectiveAccess } from './effective-access-resource.js';

export const effectiveAccessRoutes = (use: UseCases, dialect: Dialect): Route[] => [
  get(
    '/workspaces/:id/effective-access',
    'effective-access/read',
    shows('showEffectiveAccess', 'Show effective access to a workspace', () => effectiveAccessSchema(dialect), {
      about:
        'For one user or one team: each right on the workspace, whether it is held, and the teams, access levels and permissions that give it. Callers see their own; owners that of every member and team; a workspace admin that of teams with access to the workspace or its project.',
      parameters: effectiveAccessParameters,
    }),
    answerOne(presentEffectiveAccess(dialect), (call) => {
      const holder = accessHolder(call);
      return use.showEffectiveAccess.execute(call.actor, parameter(call, 'id'), holder);
    }),
  ),
];
