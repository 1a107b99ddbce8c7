import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { Dialect } from '../routing/dialect.js';
import { mediaType } from '../routing/document.js';
import { type Content, type Located, type Reference, type Refusal, statusOf, titleOf } from '../routing/reference.js';
import { errorDocument } from '../routing/resource-schema.js';
import type { Method, PlainRoute, Route } from '../routing/route.js';
import type { AgentRoute } from '../supporting/agents/agent-api-routes.js';
import {
  about,
  type HeaderName,
  headers,
  headersOfRefusal,
  namedHeaders,
  parameterDescription,
  type Ref,
  rateLimitHeaders,
  sessionDescription,
  statusDescriptions,
} from './descriptions.js';
import { type JsonSchema, SchemaCollection } from './json-schema.js';

type Described<R> = R & { readonly reference: () => Reference };

/** Routes of one subject, under the heading by which they are listed. */
export interface Area<R> {
  readonly area: string;
  readonly routes: readonly R[];
}

/** Everything that is served to programs. */
export interface ServedApi {
  readonly dialects: readonly {
    readonly name: Dialect['name'];
    readonly prefix: string;
    readonly areas: readonly Area<Route>[];
  }[];
  /** Served at each dialect's mount, and asking for no API token. */
  readonly atEachMount: readonly Area<PlainRoute>[];
  readonly plain: readonly Area<PlainRoute>[];
  readonly agents: Area<AgentRoute>;
}

/** The answers, and the bodies of granted requests: by operation and status, or by response and title. */
export type RecordedExamples = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly style?: 'form';
  readonly explode?: false;
}

export interface MediaType {
  readonly schema?: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown } | Ref>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Ref>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Response | Ref>>;
}

export type PathItem = Partial<Record<Method, Operation>>;

export interface OpenApi {
  readonly openapi: string;
  readonly info: object;
  readonly servers: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Record<string, PathItem>;
  readonly components: {
    readonly securitySchemes: object;
    readonly headers: object;
    readonly schemas: Record<string, JsonSchema>;
    readonly responses: Record<string, Response>;
    readonly examples: Record<string, { readonly value: unknown }>;
  };
}

const isContent = (answer: z.ZodType | Content | Located): answer is Content => 'mediaType' in answer;
const isLocated = (answer: z.ZodType | Content | Located): answer is Located => 'location' in answer;

/** Whether its body must be a JSON:API document, and so have a media type of JSON. */
const readsDocument = ({ body }: Route): boolean => body === 'read' || (typeof body === 'object' && 'document' in body);

/** The refusals of a route whatever it is for. */
const refusalsOfRoute = (route: Route): readonly Refusal[] => [
  400,
  414,
  'actor/unauthenticated',
  ...(route.action === null ? [] : ['resource/not-found' as const]),
  429,
  500,
  'service/unavailable',
  ...(route.method === 'get' ? [] : [403 as const, 'shared/stale-revision' as const, 'service/storage-full' as const]),
  ...(route.body === 'ignored' ? [] : ([408, 413, 422] as const)),
  ...(readsDocument(route) ? ([415] as const) : []),
];

const refusalsOfAgents: readonly Refusal[] = [400, 414, 'actor/unauthenticated', 429, 500, 'service/unavailable'];

const refusalsOfPlain: readonly Refusal[] = [400, 414, 500];

/** Makes the description of the API from the tables that serve it. It takes a second, in which others are served. */
export async function openApiDocument(api: ServedApi, version: string, recorded: RecordedExamples): Promise<OpenApi> {
  const schemas = new SchemaCollection();
  const responses: Record<string, Response> = {};
  const examples: Record<string, { readonly value: unknown }> = {};
  const paths: Record<string, PathItem> = {};
  const named = new Map<string, string>();

  /** Examples that are the same are written once. */
  const example = (key: string): Pick<MediaType, 'examples'> => {
    // A request of the one dialect is one of the other, as long as only that one was recorded.
    const value =
      recorded[key] ??
      recorded[key.replace('V2 request', ' request')] ??
      recorded[key.replace(' request', 'V2 request')];
    if (value === undefined) return {};
    const text = JSON.stringify(value);
    const known = named.get(text) ?? key.replaceAll(/[^\w.-]/g, '-');
    named.set(text, known);
    examples[known] = { value };
    return { examples: { example: { $ref: `#/components/examples/${known}` } } };
  };

  const content = (schema: z.ZodType, io: 'input' | 'output', key: string): MediaType => ({
    schema: schemas.add(schema, io),
    ...example(key),
  });

  const requestBody = (operationId: string, body: z.ZodType | Content): NonNullable<Operation['requestBody']> => {
    if (!('mediaType' in body)) {
      const required = !body.safeParse({}).success;
      return { required, content: { [mediaType]: content(body, 'input', `${operationId} request`) } };
    }
    const media = body.schema === undefined ? {} : content(body.schema, 'input', `${operationId} request`);
    return { required: true, content: { [body.mediaType]: media } };
  };

  const answered = (
    name: string,
    status: number,
    answer: Reference['answers'][number],
    usual: readonly HeaderName[],
  ): Response => {
    const description = statusDescriptions[status] ?? String(status);
    const all = namedHeaders('X-Request-Id', ...usual);
    if (answer === null) return { description, headers: all };
    if (isLocated(answer)) return { description: answer.location, headers: { ...all, ...namedHeaders('Location') } };
    if (!isContent(answer)) {
      return { description, headers: all, content: { [mediaType]: content(answer, 'output', name) } };
    }
    const media = answer.schema === undefined ? {} : content(answer.schema, 'output', name);
    const types = [answer.mediaType, ...(answer.others ?? [])];
    return { description, headers: all, content: Object.fromEntries(types.map((type) => [type, media])) };
  };

  const refused = (status: number, refusals: readonly Refusal[]): Ref => {
    const name = [status, ...refusals.filter((refusal) => refusal !== status)].join('-').replaceAll('/', '.');
    responses[name] ??= refusalOf(name, status, [...new Set(refusals.map(titleOf))]);
    return { $ref: `#/components/responses/${name}` };
  };

  const refusalOf = (name: string, status: number, titles: readonly string[]): Response => {
    const said = titles.flatMap((title) => {
      const value = recorded[`${name} ${title}`];
      return value === undefined ? [] : [[title.replaceAll(' ', '-'), { value }] as const];
    });
    const errors = { items: { properties: { status: { const: String(status) }, title: { enum: titles } } } };
    return {
      description: titles.join(', or '),
      headers: namedHeaders('X-Request-Id', ...(headersOfRefusal[status] ?? [])),
      content: {
        [mediaType]: {
          schema: { allOf: [schemas.add(errorDocument, 'output'), { properties: { errors } }] } as JsonSchema,
          ...(said.length === 0 ? {} : { examples: Object.fromEntries(said) }),
        },
      },
    };
  };

  const parameter = (where: Parameter['in'], name: string, schema: z.ZodType): Parameter => {
    const { description, examples: own, ...json } = schemas.add(schema, 'input');
    return {
      name,
      in: where,
      required: !schema.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      ...(json.type === 'array' ? { style: 'form' as const, explode: false as const } : {}),
      schema: json,
      ...(own === undefined ? {} : { example: own[0] }),
    };
  };

  const describe = async (
    { method, path, reference }: Described<{ readonly method: Method; readonly path: string }>,
    prefix: string,
    area: string,
    usual: { readonly refusals: readonly Refusal[]; readonly schemes?: readonly string[]; readonly note?: string },
  ): Promise<void> => {
    await nextTurn();
    const told = reference();
    const operationId = prefix === '' ? told.operation : `${told.operation}V2`;
    const refusals = [...new Set([...usual.refusals, ...(told.refusals ?? [])])];
    const headersHere = refusals.includes(429) ? rateLimitHeaders : [];
    const parameters = [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
        parameter('path', name, z.string().describe(parameterDescription(name))),
      ),
      ...Object.entries(told.headers ?? {}).map(([name, schema]) => parameter('header', name, schema)),
      ...Object.entries(told.query ?? {}).map(([name, schema]) => parameter('query', name, schema)),
    ];
    const byStatus = Map.groupBy(refusals, statusOf);
    const description = [told.about, usual.note].filter((text) => text !== undefined).join('\n\n');
    const place = prefix + path.replaceAll(/:(\w+)/g, '{$1}');
    const item = paths[place] ?? {};
    paths[place] = item;
    item[method] = {
      operationId,
      summary: told.summary,
      ...(description === '' ? {} : { description }),
      tags: [area],
      security: (usual.schemes ?? []).map((scheme) => ({ [scheme]: [] })),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(told.body === undefined ? {} : { requestBody: requestBody(operationId, told.body) }),
      responses: Object.fromEntries([
        ...Object.entries(told.answers).map(([status, answer]) => [
          status,
          answered(`${operationId} ${status}`, Number(status), answer, headersHere),
        ]),
        ...[...byStatus].map(([status, group]) => [String(status), refused(status, group)]),
      ]),
    };
  };

  const plainly = async (areas: readonly Area<PlainRoute>[], prefix: string) => {
    for (const { area, routes } of areas) {
      for (const { reference, ...route } of routes) {
        if (reference === undefined) continue;
        await describe({ ...route, reference }, prefix, area, { refusals: refusalsOfPlain });
      }
    }
  };

  for (const { prefix, areas } of api.dialects) {
    for (const { area, routes } of areas) {
      for (const route of routes) {
        const note = route.action === null ? 'Requires any valid token.' : `Requires \`${route.action}\`.`;
        await describe(route, prefix, area, { refusals: refusalsOfRoute(route), schemes: ['token', 'session'], note });
      }
    }
    await plainly(api.atEachMount, prefix);
  }
  await plainly(api.plain, '');
  for (const route of api.agents.routes) {
    await describe(route, '', api.agents.area, { refusals: refusalsOfAgents, schemes: ['agentToken'] });
  }

  const areas = [...(api.dialects[0]?.areas ?? []), ...api.atEachMount, ...api.plain, api.agents];
  return {
    openapi: '3.1.1',
    info: {
      title: 'Gatehouse',
      version,
      summary: 'Team access, configuration versions, team tokens and policy outcomes for Terraform-style workspaces',
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative to where it is served, which may be below a path.
    servers: [{ url: '.' }],
    tags: [...new Set(areas.map(({ area }) => area))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A user token, team token or organization token.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-gatehouse-session',
          description: sessionDescription,
        },
        agentToken: { type: 'http', scheme: 'bearer', description: 'An agent token.' },
      },
      headers,
      schemas: schemas.named,
      responses,
      examples,
    },
  };
}
