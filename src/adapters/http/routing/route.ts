import { Readable } from 'node:stream';
import type { Request } from 'express';
import type { z } from 'zod';
import { type Action, type Actor, DomainError } from '../../../domain/index.js';
import type { BodyKind } from './body-kinds.js';
import type { Document, Resource } from './document.js';
import type { Problem } from './error-table.js';
import type { Admission, Exchange, Waiting } from './exchange.js';
import type { Parameters } from './parameters.js';
import type { Query } from './query.js';
import type { Described, ReadingReference, Reference } from './reference.js';
import type { ResourceSchema } from './resource-schema.js';

/** One request, parsed as far as every route needs it, but for its body. */
export interface RequestContext {
  readonly actor: Actor;
  /** Authenticates the caller again, for long responses. Throws `actor/unauthenticated` once the token is invalid. */
  readonly sameActor: () => Promise<Actor>;
  /** For a response that waits. */
  readonly waiting: () => Waiting;
  /** Path parameters, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly header: (name: string) => string | undefined;
  /** Without its query, with the mount's prefix. */
  readonly path: string;
}

export interface Call extends RequestContext {
  /** The body as JSON, or as the bytes it is; undefined when there is none, or when the route does not read it. */
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly document?: Document;
  /** The response as text or bytes instead: each part is made once the client has taken the one before. */
  readonly parts?: AsyncIterable<string | Uint8Array>;
  /** The memory in bytes that making the parts takes until the last one is sent. */
  readonly takes?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * How another area presents what this area includes next to its own resources: areas must not import each other in a
 * circle.
 */
export interface Neighbour<View, Schema extends z.ZodType = ResourceSchema> {
  readonly schema: () => Schema;
  readonly present: (view: View) => Resource;
}

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

/** A document that may be longer than others. `admit` throws for callers whose body is not worth reading. */
export interface LongDocument {
  readonly document: BodyKind;
  readonly admit: (call: RequestContext) => Promise<Admission>;
}

/** An endpoint of the API, served once per dialect. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  /** The action that the policy must allow; `null` where any valid token will do. */
  readonly action: Action | null;
  /**
   * Action endpoints leave their bodies unread. `read` stands for a document, whose limit follows from its schema, and
   * `bytes` for a body of any type that is not a document.
   */
  readonly body: 'read' | 'ignored' | { readonly bytes: BodyKind } | LongDocument;
  /** The query parameters that filter, search, sort or include. */
  readonly parameters: Parameters;
  /** Whether it refuses others, and attributes that are nearly its own. */
  readonly refusesOthers: boolean;
  /** Made when the API's description is requested, so that neither the start nor any other request waits for it. */
  readonly reference: () => Reference;
  readonly handle: (call: Call) => Promise<Answer>;
}

/**
 * The limit, by address, that a request without a token counts against. One page view requests all its parts, and must
 * leave the caller its share of the API. Monitors are not limited.
 */
export type CountedAs = 'caller' | 'capability' | 'page' | 'scrape' | 'webhook' | 'nobody';

/** An endpoint outside the API proper: it needs no token and writes its own response. */
export interface PlainRoute {
  readonly method: Method;
  readonly path: string;
  readonly countedAs: CountedAs;
  /** Undefined for web pages, which are not part of the API. */
  readonly reference?: () => Reference;
  readonly handle: (exchange: Exchange) => Promise<void> | void;
  /** Answers a refusal in place of the error document: as a page, where a person's browser asks. */
  readonly refuse?: (exchange: Exchange, problem: Problem) => void;
}

const endpoint =
  <Of extends Reference>(method: Method, body: Route['body']) =>
  (path: string, action: Action | null, reference: Described<Of>, handle: Route['handle']): Route => ({
    method,
    path,
    action,
    body,
    parameters: reference.parameters ?? {},
    refusesOthers: false,
    reference,
    handle,
  });

export const get = endpoint<Reference>('get', 'ignored');
export const post = endpoint<ReadingReference>('post', 'read');
export const postLong = (document: BodyKind, admit: LongDocument['admit']) =>
  endpoint<ReadingReference>('post', { document, admit });
export const patch = endpoint<ReadingReference>('patch', 'read');
export const remove = endpoint<Reference>('delete', 'ignored');
/** DELETE of relationships, whose body names them. */
export const removeListed = endpoint<ReadingReference>('delete', 'read');
/** PUT of a body that is not a document. */
export const putBytes = (bytes: BodyKind) => endpoint<Reference>('put', { bytes });
/** POST of a body that need not be a document. */
export const postBytes = (bytes: BodyKind) => endpoint<Reference>('post', { bytes });
/** POST …/actions/…, which must not look at its body. */
export const act = endpoint<Reference>('post', 'ignored');

export const ok = (document: Document): Answer => ({ status: 200, document });
export const created = (document: Document): Answer => ({ status: 201, document });
export const accepted: Answer = { status: 202 };
export const noContent: Answer = { status: 204 };
export const done: Answer = { status: 200 };
/** The media type of text responses. */
export const textType = 'text/plain; charset=utf-8';
const whole = (text: string, type: string): Answer => ({
  status: 200,
  parts: Readable.from([text]),
  headers: { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(text)) },
});
export const plainText = (text: string): Answer => whole(text, textType);
/** The media type of JSON that is not a JSON:API document. */
export const jsonType = 'application/json';
/** JSON documents, each in a line of its own. */
export const linesType = 'application/x-ndjson';
export const plainJson = (value: unknown): Answer => whole(JSON.stringify(value), jsonType);

/** The program that sent a request: the terraform command says who it is in a header. */
export const sourceOf = (call: Call) => (call.header('x-terraform-integration') === 'cloud' ? 'terraform' : 'tfe-api');

/** A path parameter, which must be in the route's path. */
export const parameter = (call: RequestContext, name: string): string => call.parameters[name] ?? '';

/** The secret a request brings; undefined when it brings none. Throws `actor/unauthenticated` for a header of another form. */
export function bearerOf({ headers }: Request): string | undefined {
  if (headers.authorization === undefined) return undefined;
  const secret = /^Bearer +(\S.*?) *$/i.exec(headers.authorization)?.[1];
  if (secret === undefined) {
    throw new DomainError('actor/unauthenticated', 'the Authorization header must be "Bearer TOKEN", with your token');
  }
  return secret;
}
