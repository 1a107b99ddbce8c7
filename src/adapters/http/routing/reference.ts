import type { z } from 'zod';
import type { DomainErrorCode } from '../../../domain/index.js';
import { errorTable } from './error-table.js';
import { pageParameters } from './pagination.js';
import type { Parameters } from './parameters.js';
import { documentSchema, pageSchema, type Resources, uncountedPageSchema } from './resource-schema.js';

/** Refusals of requests that are malformed or unacceptable whatever they ask for, and their titles. */
const requestRefusals = {
  400: 'bad request',
  403: 'forbidden',
  408: 'request timeout',
  413: 'payload too large',
  414: 'uri too long',
  415: 'unsupported media type',
  422: 'invalid attribute',
  429: 'Too many requests',
  500: 'internal server error',
} as const;

export type RequestRefusal = keyof typeof requestRefusals;

export type Refusal = DomainErrorCode | RequestRefusal;

export const statusOf = (refusal: Refusal): number =>
  typeof refusal === 'number' ? refusal : errorTable[refusal].status;

export const titleOf = (refusal: Refusal): string =>
  typeof refusal === 'number' ? requestRefusals[refusal] : errorTable[refusal].title;

/** A body that is not a JSON:API document. */
export interface Content {
  readonly mediaType: string;
  /** Other media types that a parameter selects. */
  readonly others?: readonly string[];
  /** Undefined for bytes, or for text without further structure. */
  readonly schema?: z.ZodType;
}

/** A response without a body that points to a URL in a header. */
export interface Located {
  readonly location: string;
}

/** The description of one endpoint in the API reference, beyond what its route states. */
export interface Reference {
  /** In camel case, and unique among the endpoints of a dialect: generated clients name their functions after it. */
  readonly operation: string;
  readonly summary: string;
  readonly about?: string;
  /** By their names on the wire. A list is written with commas. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** Request headers other than the token's. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  readonly body?: z.ZodType | Content;
  /** By status; `null` has no body. */
  readonly answers: Readonly<Record<number, z.ZodType | Content | Located | null>>;
  /**
   * Only those not shared by every route. Shared are the action's 401 and 404, 400, 429, and the refusals of any body.
   */
  readonly refusals?: readonly Refusal[];
}

/** Made when the description is requested. The parameters are read by requests as well. */
export interface Described<Of extends Reference = Reference> {
  (): Of;
  readonly parameters?: Parameters;
}

/** The parameters are described and served. */
export const serving = (parameters: Parameters, reference: () => Reference): Described =>
  Object.assign(
    (): Reference => {
      const told = reference();
      return { ...told, query: { ...parameters, ...told.query } };
    },
    { parameters },
  );

/** For a route that reads its body. */
export type ReadingReference = Reference & { readonly body: z.ZodType };

interface More extends Partial<Omit<Reference, 'operation' | 'summary' | 'answers' | 'body'>> {
  /** A body that is not a document. */
  readonly body?: Content;
  /** The resources that may be included. */
  readonly included?: () => Resources;
  readonly parameters?: Parameters;
}

/** A reader of bodies by this schema. */
interface Readable {
  readonly schema: z.ZodType;
}

type Schema = () => z.ZodType;

// Made when the description is requested, as the schemas are.

const listing =
  (schema: typeof pageSchema) =>
  (
    operation: string,
    summary: string,
    resource: Schema,
    { included, parameters = {}, ...more }: More = {},
  ): Described =>
    serving(parameters, () => ({
      operation,
      summary,
      ...more,
      query: { ...more.query, ...pageParameters },
      answers: { 200: schema(resource(), included?.()) },
      refusals: [422, ...(more.refusals ?? [])],
    }));

/** Pages of a list. */
export const lists = listing(pageSchema);

/** Pages of a list that nothing counts. */
export const listsUncounted = listing(uncountedPageSchema);

/** An existing resource, or one that an action has changed. */
export const shows = (
  operation: string,
  summary: string,
  resource: Schema,
  { included, parameters = {}, ...more }: More = {},
): Described =>
  serving(parameters, () => ({
    operation,
    summary,
    ...more,
    answers: { 200: documentSchema(resource(), included?.()) },
    // A parameter that is given twice.
    ...(Object.keys(parameters).length > 0 && { refusals: [422, ...(more.refusals ?? [])] }),
  }));

const answering =
  (status: 200 | 201) =>
  (
    operation: string,
    summary: string,
    { schema }: Readable,
    resource: Schema,
    more: Omit<More, 'included' | 'parameters'> = {},
  ) =>
  (): ReadingReference => ({
    operation,
    summary,
    ...more,
    body: schema,
    answers: { [status]: documentSchema(resource()) },
  });

export const creates = answering(201);
export const changes = answering(200);

/** A 204 without a body. */
export const removes =
  (operation: string, summary: string, more: Omit<More, 'included'> = {}) =>
  (): Reference => ({ operation, summary, ...more, answers: { 204: null } });

/** A relationship whose body names the members to add or remove. */
export const relates =
  (operation: string, summary: string, { schema }: Readable, ...refusals: readonly Refusal[]) =>
  (): ReadingReference => ({ operation, summary, body: schema, answers: { 204: null }, refusals });
