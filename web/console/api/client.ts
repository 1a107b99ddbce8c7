import { serviceResponds } from './connection.ts';
import type { components, paths } from './description.d.ts';
import { noResponse, type Problem, problemOf } from './problem.ts';
import { session } from './session.ts';

type Media = 'application/vnd.api+json';
export type Schemas = components['schemas'];
type Method = 'get' | 'post' | 'patch' | 'delete';

/** Paths below `/api/v2` that have this method. */
type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [key in M]: object }
    ? P extends `/api/v2${infer Rest}`
      ? Rest
      : never
    : never;
}[keyof paths];
type Operation<M extends Method, P extends string> = `/api/v2${P}` extends infer F extends keyof paths
  ? M extends keyof paths[F]
    ? NonNullable<paths[F][M]>
    : never
  : never;

type Body<O> = O extends { requestBody?: infer B }
  ? NonNullable<B> extends { content: { [key in Media]: infer D } }
    ? D
    : // Actions with a comment read any JSON.
      NonNullable<B> extends { content: { 'application/json': unknown } }
      ? { readonly comment?: string; readonly reason?: string }
      : undefined
  : undefined;
type Content<R> = R extends { content: { [key in Media]: infer D } } ? D : undefined;
type Good<O> = O extends { responses: infer R }
  ? { [S in keyof R & (200 | 201 | 202 | 204)]: Content<R[S]> }[keyof R & (200 | 201 | 202 | 204)]
  : never;
export type Query<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;

type InPath<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | InPath<Rest> : never;
interface Options<O, P extends string> {
  readonly path?: Readonly<Record<InPath<P>, string>>;
  readonly query?: Query<O>;
  readonly body?: Body<O>;
  readonly signal?: AbortSignal;
}
/** The parameters of the path must be given where it has any. */
export type CallOptions<M extends Method, P extends string> =
  InPath<P> extends never
    ? [options?: Options<Operation<M, P>, P>]
    : [options: Options<Operation<M, P>, P> & { readonly path: Readonly<Record<InPath<P>, string>> }];

export type Answered<M extends Method, P extends PathWith<M>> = Good<Operation<M, P>>;
export type Readable = PathWith<'get'>;
export type QueryOf<P extends PathWith<'get'>> = Query<Operation<'get', P>>;

type Values = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The query of a request: lists are comma-separated, and empty values are left out. */
export function queryText(values: Values = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
    if (text !== '') parameters.set(name, text);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

const filled = (path: string, values: Readonly<Record<string, string>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(values[name] ?? ''));

/**
 * Any request to the service the page came from. Throws `Problem`. After a 401, or for a session that is too old for
 * it, the request, which had no effect, waits and is sent again once the same person has signed in.
 */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const sent = session.moment;
    const response = await sendOnce(path, init);
    if (response.ok) return response;
    const problem = await problemOf(response);
    const why = whyAgainAfter(response.status, problem);
    if (why === undefined || !(await session.renewed(sent, why, init.signal))) throw problem;
  }
}

/** Whether a sign-in lets the request through. */
function whyAgainAfter(status: number, { errors: [first] }: Problem): 'ended' | 'too-old' | undefined {
  if (status === 401) return 'ended';
  return status === 403 && first?.title === 'sign in again' ? 'too-old' : undefined;
}

async function sendOnce(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...session.headers(), ...(init.headers as Record<string, string> | undefined) };
  try {
    const response = await fetch(path, { ...init, headers });
    if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) return response;
    // With its body, since the connection can end in the middle of that.
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, response);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    // A request can also fail on its own, such as one that is redirected to another origin.
    void serviceResponds();
    throw noResponse(init.method === undefined || init.method === 'GET' ? 'read' : 'change');
  }
}

interface AnyOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Values;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** A request by the template of its path, below `/api/v2`; its typed form is `api`. */
export async function request(method: Method, path: string, options: AnyOptions = {}): Promise<unknown> {
  const { path: values, query, body, signal } = options;
  const response = await send(`/api/v2${filled(path, values)}${queryText(query)}`, {
    method: method.toUpperCase(),
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/vnd.api+json' } }),
    ...(signal !== undefined && { signal }),
  });
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** A document that is not JSON:API, by an address of this service. */
export const textAt = async (path: string, signal?: AbortSignal): Promise<string> =>
  (await send(path, signal === undefined ? {} : { signal })).text();

/** Replaces a document that is not JSON:API. */
export const putText = (path: string, body: string): Promise<Response> =>
  send(path, { method: 'PUT', body, headers: { 'Content-Type': 'text/plain' } });

type Call<M extends Method> = <P extends PathWith<M>>(
  path: P,
  ...options: CallOptions<M, P>
) => Promise<Answered<M, P>>;
const call = <M extends Method>(method: M): Call<M> =>
  ((path: string, options?: AnyOptions) => request(method, path, options)) as Call<M>;

/** The API, typed by its description: `api.get('/workspaces/{id}', { path: { id } })`. */
export const api = { get: call('get'), post: call('post'), patch: call('patch'), delete: call('delete') };

interface Identified {
  readonly type: string;
  readonly id: string;
}

/** The included resource that a relationship names. */
export const included = <R extends Identified>(
  document: { readonly included?: readonly Identified[] } | undefined,
  type: R['type'],
  id: string | undefined,
): R | undefined => document?.included?.find((one) => one.type === type && one.id === id) as R | undefined;
