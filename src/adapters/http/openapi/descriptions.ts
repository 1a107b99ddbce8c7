import { consoleHeader } from '../supporting/sign-in/browser.js';

/** A place in the description that says it once. */
export interface Ref {
  readonly $ref: string;
}

export const about = [
  'Endpoints are served in two dialects: below `/api/v2` as the clients of this API family expect them, and without a',
  'prefix as in the specification. `?dialect=client` or `?dialect=contract` describes one of them. The endpoints for agents, signed URLs and the service itself exist only once.',
  '',
  'Bodies are JSON:API documents, sent as `application/vnd.api+json` or `application/json`. Unknown members of a request',
  'are ignored. Responses contain only the documented members. A resource that the caller is not permitted to see returns',
  '404, like a resource that does not exist.',
  '',
  'HEAD works like GET, without a body. An unsupported method on a known path returns 405 with an `Allow` header; an',
  'unknown path returns 404. Each response has an `X-Request-Id`, which identifies the request to the operator.',
  '',
  'Below `/api/v2`, an operation refuses with 400 each `filter[…]`, `search[…]`, `q[…]`, `q`, `name`, `sort` and `include`',
  'that it does not describe, and with 422 each attribute whose name is nearly a described one: one letter differs, or hyphens,',
  'underscores and case. Other parameters and attributes that an operation does not describe are ignored.',
].join('\n');

export const sessionDescription = `The session of a person who signed in at \`/session/sign-in\`. Without https, its name is \`gatehouse-session\`. A request that changes something also needs the header \`${consoleHeader}: 1\`, and an \`Origin\` or \`Sec-Fetch-Site\` header that names this service. A token takes precedence over a session.`;

export const headers = {
  'X-Request-Id': {
    required: true,
    description: 'The id of the request. The service log contains the same id.',
    schema: { type: 'string', format: 'uuid' },
  },
  Location: {
    required: true,
    description: 'The URL of the redirect.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'WWW-Authenticate': { required: true, schema: { const: 'Bearer' } },
  'Retry-After': {
    required: true,
    description: 'Seconds to wait before the next request.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests allowed per second. Absent if rate limiting is off.',
    schema: { type: 'string' },
  },
  'X-RateLimit-Remaining': { description: 'Requests left in the current second.', schema: { type: 'string' } },
  'X-RateLimit-Reset': { description: 'Seconds until the limit resets.', schema: { type: 'string' } },
};

export type HeaderName = keyof typeof headers;

export const namedHeaders = (...names: readonly HeaderName[]): Readonly<Record<string, Ref>> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const rateLimitHeaders: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

export const headersOfRefusal: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

export const statusDescriptions: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  206: 'Partial content',
  302: 'Found',
  304: 'Not modified',
  416: 'Range not satisfiable',
  503: 'Service unavailable',
};

/** Descriptions of the path parameters that are not ids. */
const parametersInWords: Readonly<Record<string, string>> = {
  organization: 'The name of the organization.',
  name: 'The name of the workspace.',
  sha256: 'The SHA-256 digest of the policy code, as given in the job.',
  objectId: 'The signed object id, as part of an upload or download URL from the service.',
};

export const parameterDescription = (name: string): string =>
  parametersInWords[name] ??
  (name === 'id'
    ? 'The id of the resource.'
    : `The id of the ${name.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}.`);
