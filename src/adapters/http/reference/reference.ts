import type { z } from 'zod';
import type { DomainErrorCode } from '../../../domain/index.js';

/** Refusals of requests that cannot be understood or taken, whatever they ask for. */
export type RequestRefusal = 400 | 408 | 413 | 414 | 415 | 422 | 429 | 500;

export type Refusal = DomainErrorCode | RequestRefusal;

/** A body that is no document of JSON:API. */
export interface Content {
  readonly mediaType: string;
  /** Undefined where it is bytes, or text, of which nothing more can be said. */
  readonly schema?: z.ZodType;
}

/** An answer without a body whose point is a header. */
export interface Located {
  readonly location: string;
}

/** What the description of the API says of one endpoint, beyond what its route says by itself. */
export interface Reference {
  /** In camel case, and unique among the endpoints of a dialect: clients that are generated name their functions so. */
  readonly operation: string;
  readonly summary: string;
  readonly about?: string;
  /** By their names on the wire. A list is written with commas. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** Headers that are asked for beside the token. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  readonly body?: z.ZodType | Content;
  /** By status; `null` has no body. */
  readonly answers: Readonly<Record<number, z.ZodType | Content | Located | null>>;
  /** Beyond those of every route: the action's 401 and 404, the 400 and 429, and what goes wrong with any body. */
  readonly refusals?: readonly Refusal[];
}

/** Of a route that reads its body. */
export type ReadingReference = Reference & { readonly body: z.ZodType };
