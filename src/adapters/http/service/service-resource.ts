import { z } from 'zod';

const saying = (status: string) => z.strictObject({ status: z.literal(status) });

export const healthySchema = saying('ok');
export const readySchema = saying('ready');
export const notReadySchema = saying('not ready');

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

export const discoverySchema = z
  .strictObject({
    'state.v2': z.literal(discovery['state.v2']),
    'tfe.v2': z.literal(discovery['tfe.v2']),
    'tfe.v2.1': z.literal(discovery['tfe.v2.1']),
    'tfe.v2.2': z.literal(discovery['tfe.v2.2']),
  })
  .describe('The base URLs of the API, for clients that are configured with a host name only.');
