import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import supertest, { type Response as Answer } from 'supertest';
import type { MediaType, OpenApi, Operation } from '../../src/adapters/http/openapi/openapi.js';
import { routes } from '../../src/adapters/http/openapi/routes.js';
import { describeApi } from '../../src/adapters/http/openapi/served-api.js';
import { dialects } from '../../src/adapters/http/routing/dialect.js';
import { packageVersion } from '../../src/infrastructure/package-version.js';
import { startApi } from '../support/api.js';
import { faultIn, undescribedIn } from '../support/described-answers.js';
import { pointerTo } from '../support/description.js';
import { described } from '../support/published-description.js';

const operations = Object.entries(described.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
);

/** Every object in a value, with its path. */
function* objectsIn(value: unknown, at: readonly string[] = []): Generator<readonly [object, readonly string[]]> {
  if (typeof value !== 'object' || value === null) return;
  yield [value, at];
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, [...at, name]);
}

const resolved = (ref: string, within = described): unknown => {
  const words = ref
    .replace(/^#\//, '')
    .split('/')
    .map((word) => word.replaceAll('~1', '/').replaceAll('~0', '~'));
  return words.reduce<unknown>((value, word) => (value as Readonly<Record<string, unknown>>)?.[word], within);
};

/** The references of a description to nothing, and its components that nothing refers to. */
const unreferred = (description: OpenApi) => {
  const refs = [...objectsIn(description)]
    .map(([object]) => (object as { readonly $ref?: unknown }).$ref)
    .filter((ref) => typeof ref === 'string');
  const { headers, schemas, responses, examples } = description.components;
  const has = Object.entries({ headers, schemas, responses, examples }).flatMap(([kind, members]) =>
    Object.keys(members).map((name) => `#/components/${kind}/${name}`),
  );
  return {
    missing: refs.filter((ref) => resolved(ref, description) === undefined),
    unused: has.filter((name) => !refs.includes(name)),
  };
};

/** Every place that describes a body. */
const bodies = [...objectsIn({ paths: described.paths, components: { responses: described.components.responses } })]
  .filter(([, at]) => at.at(-2) === 'content' && !at.includes('schema') && !at.includes('examples'))
  .map(([media, at]) => ({ at, media: media as MediaType }));

describe('the description of the API', () => {
  it('is served to every client, is that of the edition, and is made in parts, between which others are served', async () => {
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 0);
    const hosted = await describeApi('hosted', packageVersion());
    clearInterval(counting);
    expect(turns).toBeGreaterThan(20);
    for (const edition of ['self-hosted', 'hosted'] as const) {
      const api = await startApi({ environment: { EDITION: edition } });
      const answer = await api.anonymous.get('/openapi.json').expect(200).expect('Content-Type', 'application/json');
      expect(answer.body.info.version).toMatch(/^\d+\.\d+\.\d+/);
      expect(answer.text === JSON.stringify(edition === 'self-hosted' ? described : hosted)).toBe(true);
      const paths = Object.keys(answer.body.paths).filter((path) => path.endsWith('_backing_data'));
      expect(paths.length).toBe(edition === 'hosted' ? 0 : 3);
    }
  });

  it.each(['client', 'contract'] as const)('describes the %s dialect alone, for those who ask for it', async (name) => {
    const { anonymous } = await startApi();
    const { text } = await anonymous.get(`/openapi.json?dialect=${name}`).expect(200);
    const one = JSON.parse(text) as OpenApi;
    expect(unreferred(one)).toEqual({ missing: [], unused: [] });
    const of = new Set(Object.keys(one.paths));
    const served = (dialect: string) =>
      dialects
        .filter((each) => each.name === dialect)
        .flatMap((each) =>
          routes({} as never, each).map(({ path }) => each.prefix + path.replaceAll(/:(\w+)/g, '{$1}')),
        );
    expect(served(name).filter((path) => !of.has(path))).toEqual([]);
    expect(served(name === 'client' ? 'contract' : 'client').filter((path) => of.has(path))).toEqual([]);
    for (const path of ['/healthz', '/openapi.json']) expect(of).toContain(path);
  });

  it('is refused for a dialect that the service does not have', async () => {
    const { anonymous } = await startApi();
    const { body } = await anonymous.get('/openapi.json?dialect=v3').expect(422);
    expect(body.errors).toMatchObject([{ status: '422', source: { parameter: 'dialect' } }]);
  });

  it("has every route of both dialects, the clients' first, and says what each needs", () => {
    expect(Object.keys(described.paths)[0]).toMatch(/^\/api\/v2\//);
    for (const dialect of dialects) {
      for (const { method, path, action } of routes({} as never, dialect)) {
        const operation = described.paths[dialect.prefix + path.replaceAll(/:(\w+)/g, '{$1}')]?.[method];
        expect({ path, security: operation?.security }).toEqual({ path, security: [{ token: [] }, { session: [] }] });
        if (action !== null) expect(operation?.description).toContain(`Requires \`${action}\`.`);
      }
    }
  });

  it('names each operation once, as a program may', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
    expect(names.filter((name) => !/^[a-z][A-Za-z0-9]+$/.test(name))).toEqual([]);
  });

  it('refers to nothing that is not there, and has nothing that is not referred to', () => {
    expect(unreferred(described)).toEqual({ missing: [], unused: [] });
    const { headers, schemas, responses, examples } = described.components;
    const names = [headers, schemas, responses, examples].flatMap((members) => Object.keys(members));
    expect(names.filter((name) => !/^[\w.-]+$/.test(name))).toEqual([]);
  });

  it('declares the parameters of each path, each once, and no others', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = operation.parameters ?? [];
      const declared = parameters.filter((parameter) => parameter.in === 'path');
      expect({ path, declared: declared.map(({ name }) => name) }).toEqual({ path, declared: inPath });
      expect(declared.every(({ required }) => required)).toBe(true);
      const names = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('lists each operation under a heading that it has, with a summary and a success response', () => {
    const tags = described.tags.map(({ name }) => name);
    expect(new Set(tags).size).toBe(tags.length);
    for (const { operation } of operations) {
      expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
      expect(Object.keys(operation.responses).some((status) => /^[23]\d\d$/.test(status))).toBe(true);
    }
    const used = operations.flatMap(({ operation }) => operation.tags);
    expect(tags.filter((tag) => !used.includes(tag))).toEqual([]);
  });

  it('has no conflict for an operation that reads, except under the lease of an agent', () => {
    const conflicts = operations.filter(({ method, operation }) => method === 'get' && '409' in operation.responses);
    expect(
      conflicts.map(({ path }) => path).filter((path) => !/^\/agent\/v1\/(runs|policy-trials)\/\{id\}\//.test(path)),
    ).toEqual([]);
    const held = conflicts.map(({ operation }) => (operation.responses['409'] as { readonly $ref: string }).$ref);
    expect(held.filter((ref) => !ref.includes('lease.lost') || ref.includes('stale'))).toEqual([]);
  });

  it('has schemas of JSON Schema 2020-12 only', () => {
    const ajv = addFormats.default(new Ajv2020({ strict: false }));
    const schemas = [...objectsIn(described)].filter(([, at]) => at.at(-1) === 'schema' || at.at(-2) === 'schemas');
    for (const [schema, at] of schemas) {
      expect({ at, fault: ajv.validateSchema(schema) ? undefined : ajv.errorsText() }).toEqual({
        at,
        fault: undefined,
      });
    }
  });

  // While examples are recorded, those at hand are of before.
  const ifRecorded = process.env.RECORD_EXAMPLES === undefined ? it : it.skip;

  ifRecorded(
    'shows what was asked and answered wherever a body has a schema, and each fits; if not, run `npm run examples`',
    () => {
      expect(bodies.length).toBeGreaterThan(200);
      for (const { at, media } of bodies) {
        if (media.schema === undefined) continue;
        const where = at.join(' ');
        const examples = Object.values(media.examples ?? {}).map((example) =>
          '$ref' in example ? (resolved(example.$ref) as { readonly value: unknown }).value : example.value,
        );
        // Other suites cover some refusals, such as a full disk.
        const shown = examples.length > 0 || where.startsWith('components responses');
        expect({ where, shown }).toEqual({ where, shown: true });
        for (const example of examples) {
          expect({ where, fault: faultIn(pointerTo(...at, 'schema'), example) }).toEqual({ where, fault: undefined });
        }
      }
    },
  );

  ifRecorded('shows bodies that the service reads as they stand', () => {
    for (const dialect of dialects) {
      for (const { method, path, reference } of routes({} as never, dialect)) {
        const { body } = reference();
        if (body === undefined || 'mediaType' in body) continue;
        const operation = described.paths[dialect.prefix + path.replaceAll(/:(\w+)/g, '{$1}')]?.[method];
        const [media] = Object.values(operation?.requestBody?.content ?? {});
        const [example] = Object.values(media?.examples ?? {});
        const { value } = resolved((example as { readonly $ref: string }).$ref) as { readonly value: unknown };
        expect({ path, error: body.safeParse(value).error?.message }).toEqual({ path, error: undefined });
      }
    }
  });

  it('asks for a body where one is needed, and for no member that may be left out', () => {
    const of = (method: 'post' | 'patch', path: string): Operation['requestBody'] =>
      (described.paths as OpenApi['paths'])[path]?.[method]?.requestBody;
    expect(of('post', '/workspaces/{workspaceId}/configuration-versions')?.required).toBe(false);
    expect(of('post', '/teams/{teamId}/authentication-token')).toMatchObject({ required: true });
    const team = of('patch', '/teams/{id}')?.content['application/vnd.api+json']?.schema as unknown as {
      properties: { data: { properties: { type: object }; required?: readonly string[] } };
    };
    expect(team.properties.data.required).toBeUndefined();
    expect(team.properties.data.properties.type).toMatchObject({ type: 'string', enum: ['teams'] });
  });
});

describe('every answer of these suites is checked against it', () => {
  it('without being asked', async () => {
    const service = (body: string) =>
      supertest((_request: IncomingMessage, response: ServerResponse) => {
        const headers = { 'TFP-AppName': 'Gatehouse', 'X-Request-Id': 'any', 'Content-Type': 'application/json' };
        response.writeHead(200, headers).end(body);
      });
    await service('{"status":"ok"}').get('/healthz').expect(200);
    await expect(service('{"status":"well"}').get('/healthz').expect(200)).rejects.toThrow(/body\/status/);
    await expect(service('{"status":"ok"}').get('/health').expect(200)).rejects.toThrow(/200 is not described/);
  });

  const answer = (given: { status: number; headers?: object; body?: unknown }): Answer =>
    ({
      status: given.status,
      headers: { 'x-request-id': 'any', ...given.headers },
      text: given.body === undefined ? '' : JSON.stringify(given.body),
    }) as unknown as Answer;
  const json = { 'content-type': 'application/json' };
  const jsonApi = { 'content-type': 'application/vnd.api+json' };
  const refused = (status: number, title: string) => ({
    status,
    headers: jsonApi,
    body: { errors: [{ status: String(status), title, detail: 'why' }] },
  });

  it.each<[string, string, string, Parameters<typeof answer>[0], RegExp | undefined]>([
    ['what is described', 'GET', '/healthz', { status: 200, headers: json, body: { status: 'ok' } }, undefined],
    ['a word more', 'GET', '/healthz', { status: 200, headers: json, body: { status: 'ok', up: 1 } }, /additional/],
    ['another value', 'GET', '/healthz', { status: 200, headers: json, body: { status: 'fine' } }, /constant/],
    ['another media type', 'GET', '/healthz', { status: 200, headers: jsonApi, body: { status: 'ok' } }, /vnd/],
    ['another status', 'GET', '/healthz', { status: 203, headers: json, body: { status: 'ok' } }, /203 is not/],
    ['a header less', 'GET', '/organizations/acme', refused(401, 'unauthorized'), /WWW-Authenticate is missing/],
    ['another title', 'GET', '/organizations/acme', refused(404, 'gone'), /title/],
    ['a refusal that is not described', 'GET', '/organizations/acme', refused(409, 'conflict'), /409 is not/],
    [
      'a body where there is none',
      'DELETE',
      '/organizations/acme',
      { status: 204, headers: json, body: {} },
      /has a body/,
    ],
    ['a method that is not there', 'PUT', '/healthz', { status: 200, headers: { allow: 'GET' } }, /200 is not/],
    ['a path that is not there', 'GET', '/nowhere', { status: 200 }, /200 is not/],
    ['a missing path', 'GET', '/nowhere', refused(404, 'not found'), undefined],
  ])('%s', (_what, method, url, given, fault) => {
    const found = undescribedIn(method, url, answer(given));
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });
});
