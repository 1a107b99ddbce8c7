/** A place in the description that says it once. */
export interface Ref {
  readonly $ref: string;
}

export const about = [
  'Every endpoint but those of agents, of capability URLs and of the service itself is there twice: as the',
  "specification has it, and below `/api/v2` in the words of this API family's clients.",
  '',
  'Bodies are documents of JSON:API, sent as `application/vnd.api+json` or `application/json`. Members that nobody knows',
  'are passed over in requests; answers have none but those written here. What a caller may not see answers as what does',
  'not exist: with 404.',
  '',
  'HEAD answers as GET does, without a body. A known path with another method is answered 405, with the methods it has in',
  '`Allow`; any other path 404. Each answer has an `X-Request-Id` to ask the operator about.',
].join('\n');

export const headers = {
  'X-Request-Id': {
    required: true,
    description: "In the service's log too.",
    schema: { type: 'string', format: 'uuid' },
  },
  Location: { required: true, description: 'Where to go on.', schema: { type: 'string', format: 'uri-reference' } },
  'WWW-Authenticate': { required: true, schema: { const: 'Bearer' } },
  'Retry-After': { required: true, description: 'Seconds.', schema: { type: 'string', pattern: '^\\d+$' } },
  'X-RateLimit-Limit': {
    description: 'Requests in a second. Missing where there is no limit.',
    schema: { type: 'string' },
  },
  'X-RateLimit-Remaining': { description: 'What is left of the second.', schema: { type: 'string' } },
  'X-RateLimit-Reset': { description: 'Seconds until the next begins.', schema: { type: 'string' } },
};

export type HeaderName = keyof typeof headers;

export const namedHeaders = (...names: readonly HeaderName[]): Readonly<Record<string, Ref>> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const limited: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

export const headersOfRefusal: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

export const inWords: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; there is nothing to tell',
  206: 'A part of it',
  302: 'It is elsewhere',
  304: 'It has not changed',
  416: 'There is no such part',
  503: 'Not at the moment',
};

/** What is said of path parameters that are no ids. */
const parametersInWords: Readonly<Record<string, string>> = {
  organization: 'The name of the organization.',
  name: 'The name of the workspace.',
  sha256: 'The SHA-256 of the code, as the job names it.',
  objectId: 'The rest of a capability URL, which is itself the right to what it names.',
};

export const parameterInWords = (name: string): string =>
  parametersInWords[name] ??
  (name === 'id'
    ? 'Its id.'
    : `The id of the ${name.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}.`);
