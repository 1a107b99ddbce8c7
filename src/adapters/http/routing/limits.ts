import { maxFollowers, maxSnapshots } from '../../../application/index.js';
import { trialLimits } from '../../../domain/index.js';
import { maxUnpackedPolicies } from '../../../domain/supporting/policies/policy-files.js';

interface Limit {
  readonly max: number;
  /** The unit, in words. */
  readonly of: string;
  /** The response when a request exceeds it. */
  readonly answer: string;
}

/**
 * The limits of every request; attributes have shorter limits of their own. Settings bound uploads. `docs/limits.md` is
 * generated from here.
 */
export const limits = {
  head: { max: 16 * 1024, of: 'bytes in the request line and all headers', answer: '431' },
  url: { max: 8 * 1024, of: 'characters in the URL', answer: '414' },
  parameters: { max: 100, of: 'query parameters', answer: '400' },
  filterGroups: { max: 20, of: 'filter groups for policy set outcomes', answer: '400' },
  tagFilters: { max: 20, of: 'groups of `filter[tagged]`', answer: '400' },
  pageSize: { max: 100, of: 'items per page (`page[size]`)', answer: '422' },
  auditTrails: { max: 1000, of: 'events per page of an audit trail (`page[size]`)', answer: '422' },
  // Far past any list, and small enough that a row's position stays an exact number.
  pageNumber: { max: 1_000_000_000, of: 'page number (`page[number]`)', answer: '422' },
  // Names, ids and choices: the longest such document names three thousand others.
  body: { max: 256 * 1024, of: 'bytes in a JSON body without free text or values', answer: '413' },
  textBody: {
    max: 1024 * 1024,
    of: 'bytes in a JSON body with free text or values: descriptions, comments, variables, tags, results of run tasks',
    answer: '413',
  },
  form: { max: 16 * 1024, of: 'bytes in a form of the sign-in pages or of `terraform login`', answer: '413' },
  policyCode: { max: 1024 * 1024, of: 'bytes of policy code', answer: '413' },
  policyArchive: { max: maxUnpackedPolicies, of: 'bytes that the archive of a policy set unpacks to', answer: '413' },
  // The archive of the set in base64, and its parameters.
  policyTrial: {
    max: 2 * trialLimits.archive,
    of: 'bytes in a JSON body with the archive of a policy trial',
    answer: '413',
  },
  // It says something of every policy of a run, at length.
  policyReport: { max: 16 * 1024 * 1024, of: "bytes in an agent's report of a policy evaluation", answer: '413' },
  // It holds the values of all outputs.
  stateReport: { max: 16 * 1024 * 1024, of: "bytes in an agent's report of a state version", answer: '413' },
  // It may hold a state, and the values of all its outputs.
  stateBody: { max: 16 * 1024 * 1024, of: 'bytes in a JSON body with a state', answer: '413' },
  agentFile: { max: 256 * 1024 * 1024, of: 'bytes of a state or a plan artifact', answer: '413' },
  logPart: {
    max: 1024 * 1024,
    of: 'bytes per chunk when writing or reading a log',
    answer: '413 when writing; reads return at most this much',
  },
  // Forges send whole lists of commits; theirs are cut well below this.
  delivery: { max: 5 * 1024 * 1024, of: 'bytes in a webhook delivery', answer: '413' },
  depth: { max: 32, of: 'levels of nesting in JSON', answer: '400' },
  // A type has two levels for each of its value.
  stateReportDepth: {
    max: 512,
    of: "levels of nesting in an agent's report of a state version",
    answer: '400',
  },
  // Each takes up to 64 bytes of memory once it is parsed.
  values: { max: 50_000, of: 'values and member names in JSON', answer: '400' },
  longValues: {
    max: 300_000,
    of: "values and member names in an agent's report, a webhook delivery or a JSON body with a state",
    answer: '400',
  },
  items: {
    max: 10_000,
    of: 'items per JSON array or members per JSON object, except in the outputs of a reported state version',
    answer: '400',
  },
  identifiers: { max: 1000, of: 'resource identifiers in a relationship', answer: '422' },
  word: { max: 255, of: 'characters in a name, an id or an e-mail address', answer: '422' },
  streams: {
    max: maxFollowers.ofCaller,
    of: 'streams of changes that a user, team or organization may have open on an instance',
    answer: '429',
  },
  streamsByMaker: {
    max: maxFollowers.ofMaker,
    of: `of these streams over all tokens that one person issued, once ${maxFollowers.half} are open on an instance`,
    answer: '429',
  },
  streamsOfOrganization: {
    max: maxFollowers.ofOrganization,
    of: `of these streams about one organization, once ${maxFollowers.half} are open on an instance`,
    answer: '429',
  },
  allStreams: { max: maxFollowers.inAll, of: 'streams of changes that may be open on an instance', answer: '503' },
  reports: { max: 1, of: 'access reports of an organization at a time', answer: '429' },
  allReports: {
    max: maxSnapshots,
    of: 'access reports of an instance at a time',
    answer: '429',
  },
  memory: {
    max: 64 * 1024 * 1024,
    of: 'bytes that request bodies, and responses that clients have not read yet, may take in the memory of an instance',
    answer: '429 with `Retry-After: 5` at `/api/v2` and `/agent/v1`, elsewhere 503',
  },
  memoryOfCaller: {
    max: 8 * 1024 * 1024,
    of: 'of these bytes for a user, team, organization or agent token, and for all requests without a valid token',
    answer: 'the same',
  },
  memoryOfAddress: {
    max: 2 * 1024 * 1024,
    of: 'of these bytes for requests without a valid token from one address (IPv6: from one /64 network)',
    answer: 'the same',
  },
  // The error response to a broken list would be many times its size.
  faults: { max: 100, of: 'errors in one response', answer: 'only the first are returned' },
} as const satisfies Record<string, Limit>;
