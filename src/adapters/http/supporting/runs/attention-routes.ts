import { z } from 'zod';
import type { UseCases } from '../../../../application/use-cases.js';
import { answerOne } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { pageDocument, pageParameters, pageRequest } from '../../routing/pagination.js';
import { serving, shows } from '../../routing/reference.js';
import { pageSchema } from '../../routing/resource-schema.js';
import { get, ok, parameter, type Route } from '../../routing/route.js';
import { attentionSchema, presentAttention } from './attention-resource.js';

/** Each organization takes several statements. */
const mostOrganizations = 20;

const pageSize = z
  .int()
  .min(1)
  .max(mostOrganizations)
  .optional()
  .meta({
    description: `Items per page (default and at most ${mostOrganizations}).`,
    example: mostOrganizations,
  });

export const attentionRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const attention = () => attentionSchema(dialect);
  return [
    get(
      '/organizations/:organization/attention',
      'organizations/read',
      shows('showAttention', 'Show what waits for the caller in an organization', attention, {
        about:
          'Decisions on runs, failed runs, runs without an agent, and tokens that end soon, by the rights of the caller.',
      }),
      answerOne(presentAttention, (call) => use.showAttention.execute(call.actor, parameter(call, 'organization'))),
    ),
    get(
      '/attention',
      null,
      serving({}, () => ({
        operation: 'listAttention',
        summary: 'List what waits for the caller in each organization',
        about: 'The organizations of the caller, by name.',
        query: { ...pageParameters, 'page[size]': pageSize },
        answers: { 200: pageSchema(attention()) },
        refusals: [422, 'resource/not-found'],
      })),
      async (call) => {
        const page = await use.showAttention.ofAll(
          call.actor,
          pageRequest(call.query, mostOrganizations, mostOrganizations),
        );
        return ok(pageDocument(call.path, call.query, page, presentAttention));
      },
    ),
  ];
};
