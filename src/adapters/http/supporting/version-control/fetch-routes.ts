import type { UseCases } from '../../../../application/use-cases.js';
import {
  configurationVersionSchema,
  presentConfigurationVersion,
} from '../../configuration-versions/configuration-version-resource.js';
import type { Dialect } from '../../routing/dialect.js';
import { documentSchema } from '../../routing/resource-schema.js';
import { act, created, parameter, type Route } from '../../routing/route.js';

export const fetchRoutes = (use: UseCases, dialect: Dialect): Route[] => [
  act(
    '/workspaces/:id/actions/fetch',
    'configuration-versions/create',
    () => ({
      operation: 'fetchCommit',
      summary: "Fetch the newest commit of a workspace's repository",
      answers: { 201: documentSchema(configurationVersionSchema(dialect)) },
      refusals: ['configuration-version/fetch-refused', 'organization/over-quota'],
    }),
    async (call) => {
      const version = await use.fetchCommit.execute(call.actor, parameter(call, 'id'));
      return created({ data: presentConfigurationVersion(dialect)(version) });
    },
  ),
];
