import { presentConfigurationVersion } from '../configuration-versions/configuration-version-resource.js';
import type { Dialect } from '../dialect.js';
import { act, created, parameter, type Route } from '../route.js';
import type { UseCases } from '../use-cases.js';

export const fetchRoutes = (use: UseCases, dialect: Dialect): Route[] => [
  act('/workspaces/:id/actions/fetch', 'configuration-versions/create', async (call) => {
    const version = await use.fetchCommit.execute(call.actor, parameter(call, 'id'));
    return created({ data: presentConfigurationVersion(dialect)(version) });
  }),
];
