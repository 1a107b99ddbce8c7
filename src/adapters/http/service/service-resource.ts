import { z } from 'zod';

const saying = (status: string) => z.strictObject({ status: z.literal(status) });

export const healthySchema = saying('ok');
const poolerSchema = z
  .strictObject({ statements: z.enum(['named', 'unnamed']), news: z.enum(['pushed', 'polled']) })
  .describe('How the pooler in front of Postgres is used. Absent without one.');

/** How a pooler between the service and its database is used. */
export type PoolerUse = z.output<typeof poolerSchema>;

export const readySchema = saying('ready').extend({ pooler: poolerSchema.optional() });
export const notReadySchema = saying('not ready').extend({
  reason: z.string().meta({ description: 'The reason, such as a database that is read-only.' }),
});

/** Addresses that the service sends requests from or is reached at, as far as it knows any: it knows none. */
export const ipRanges = { api: [], notifications: [], sentinel: [], vcs: [] } as const;

const noRanges = z.array(z.string()).max(0);

export const ipRangesSchema = z
  .strictObject({ api: noRanges, notifications: noRanges, sentinel: noRanges, vcs: noRanges })
  .describe(
    'Empty lists: the service does not know the addresses that it is reached at or that its requests come from.',
  );

/** Service discovery: where clients that only know a host name find the API. */
export const discovery = {
  'state.v2': '/api/v2/',
  'tfe.v2': '/api/v2/',
  'tfe.v2.1': '/api/v2/',
  'tfe.v2.2': '/api/v2/',
} as const;

/** How programs ask a person for a token, where people can sign in. */
const loginSchema = z
  .strictObject({
    client: z.string(),
    grant_types: z.tuple([z.literal('authz_code')]),
    authz: z.string(),
    token: z.string(),
    ports: z.tuple([z.int(), z.int()]),
  })
  .describe('The pages to which `terraform login` sends people for a token. Absent unless people can sign in.');

export const discoverySchema = z
  .strictObject({
    'state.v2': z.literal(discovery['state.v2']),
    'tfe.v2': z.literal(discovery['tfe.v2']),
    'tfe.v2.1': z.literal(discovery['tfe.v2.1']),
    'tfe.v2.2': z.literal(discovery['tfe.v2.2']),
    'login.v1': loginSchema.optional(),
  })
  .describe('The base URLs of the API, for clients that are configured with a host name only.');
