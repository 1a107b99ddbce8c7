import type { z } from 'zod';
import { pageParameters } from '../json-api/pagination.js';
import { documentSchema, pageSchema } from '../json-api/resource-schema.js';
import type { Reader } from '../json-api/schema.js';
import type { ReadingReference, Reference, Refusal } from './reference.js';

type More = Partial<Omit<Reference, 'operation' | 'summary' | 'answers' | 'body'>>;

/** Pages of a list. */
export const lists = (operation: string, summary: string, resource: z.ZodType, more: More = {}): Reference => ({
  operation,
  summary,
  ...more,
  query: { ...more.query, ...pageParameters },
  answers: { 200: pageSchema(resource) },
  refusals: [422, ...(more.refusals ?? [])],
});

/** One that is there, or that an action left changed. */
export const shows = (operation: string, summary: string, resource: z.ZodType, more: More = {}): Reference => ({
  operation,
  summary,
  ...more,
  answers: { 200: documentSchema(resource) },
});

export const creates = (
  operation: string,
  summary: string,
  { schema }: Reader<unknown>,
  resource: z.ZodType,
  more: More = {},
): ReadingReference => ({ operation, summary, ...more, body: schema, answers: { 201: documentSchema(resource) } });

export const changes = (
  operation: string,
  summary: string,
  { schema }: Reader<unknown>,
  resource: z.ZodType,
  more: More = {},
): ReadingReference => ({ operation, summary, ...more, body: schema, answers: { 200: documentSchema(resource) } });

/** Done, with nothing to tell. */
export const removes = (operation: string, summary: string, ...refusals: readonly Refusal[]): Reference => ({
  operation,
  summary,
  answers: { 204: null },
  refusals,
});

/** A relationship whose body names what comes in, or goes. */
export const relates = (
  operation: string,
  summary: string,
  { schema }: Reader<unknown>,
  ...refusals: readonly Refusal[]
): ReadingReference => ({ operation, summary, body: schema, answers: { 204: null }, refusals });
