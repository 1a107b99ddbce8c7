import type { UseCases } from '../../../../application/use-cases.js';
import {
  configurationVersionSchema,
  presentConfigurationVersion,
} from '../../configuration-versions/configuration-version-resource.js';
import { answerCreated } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { documentSchema } from '../../routing/resource-schema.js';
import { act, parameter, type Route } from '../../routing/route.js';

export const fetchRoutes = (use: UseCases, dialect: Dialect): Route[] => [
  act(
    '/workspaces/:id/actions/fetch',
    'configuration-versions/create',
    () => ({
      operation: 'fetchCommit',
      summary: "Create a configuration version from the newest commit of a workspace's repository",
      answers: { 201: documentSchema(configurationVersionSchema(dialect)) },
      refusals: ['configuration-version/fetch-refused', 'organization/over-quota'],
    }),
    answerCreated(presentConfigurationVersion(dialect), (call) =>
      use.fetchCommit.execute(call.actor, parameter(call, 'id')),
    ),
  ),
];
