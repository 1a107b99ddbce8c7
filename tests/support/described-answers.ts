import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import supertest, { type Response } from 'supertest';
import type { Response as Described, OpenApi, Operation, PathItem } from '../../src/adapters/http/reference/openapi.js';

/** As it is published: `docs-are-current.test.ts` holds it to the tables that serve. */
const description = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as OpenApi;

const hint = 'if docs/openapi.json is stale, run `npm run docs`';

/** Served to monitors, and no part of the API. */
const undescribed = /^\/metrics$/;

const ajv = new Ajv2020({ strict: false, unicodeRegExp: false, inlineRefs: false, code: { optimize: false } });
addFormats.default(ajv);
ajv.addSchema(description, 'openapi', false, false);

const escaped = (word: string): string => encodeURIComponent(word.replaceAll('~', '~0').replaceAll('/', '~1'));

/** The schema at this place of the description. */
export const pointerTo = (...words: readonly string[]): string => `openapi#/${words.map(escaped).join('/')}`;

const compiled = new Map<string, ValidateFunction>();

const validatorOf = (pointer: string): ValidateFunction => {
  const known = compiled.get(pointer) ?? ajv.compile({ $ref: pointer });
  compiled.set(pointer, known);
  return known;
};

/** What is wrong with a value, in words; undefined when it fits. */
export function faultIn(pointer: string, value: unknown): string | undefined {
  const validate = validatorOf(pointer);
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' });
}

interface Template {
  readonly path: string;
  readonly pattern: RegExp;
  readonly item: PathItem;
}

/** Fixed words first, as the routes have them. */
const templates: readonly Template[] = Object.entries(description.paths)
  .map(([path, item]) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
    item,
  }))
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length);

const templateOf = (path: string): Template | undefined => templates.find(({ pattern }) => pattern.test(path));

const jsonOf = ({ body, text }: Response): unknown => {
  if (typeof text === 'string') return JSON.parse(text);
  return body instanceof Uint8Array ? JSON.parse(Buffer.from(body).toString()) : body;
};

const errorsPointer = pointerTo('components', 'schemas', 'Errors');

/** Of a request that no described endpoint takes. */
function faultElsewhere(answer: Response, allowed: readonly number[]): string | undefined {
  if (!allowed.includes(answer.status)) return `${answer.status} is not described`;
  return answer.text ? faultIn(errorsPointer, jsonOf(answer)) : undefined;
}

const headersOf = (response: Described): readonly string[] =>
  Object.keys(response.headers ?? {}).filter((name) => !name.startsWith('X-RateLimit-'));

/** Which statuses were answered, by method and path of the description. */
const seen = new Set<string>();

function faultAt(
  path: string,
  operation: Operation,
  method: string,
  head: boolean,
  answer: Response,
): string | undefined {
  const place = ['paths', path, method, 'responses', String(answer.status)];
  let response = operation.responses[answer.status];
  if (response === undefined) return `${answer.status} is not described`;
  if ('$ref' in response) {
    const name = response.$ref.split('/').at(-1) ?? '';
    place.splice(0, place.length, 'components', 'responses', name);
    response = description.components.responses[name];
    if (response === undefined) return `${name} is not described`;
  }
  const missing = headersOf(response).find((name) => answer.headers[name.toLowerCase()] === undefined);
  if (missing !== undefined) return `the header ${missing} is missing`;
  if (head) return undefined;
  seen.add(`${method} ${path} ${answer.status}`);
  const type = answer.headers['content-type'] as string | undefined;
  if (response.content === undefined) {
    return answer.text || type !== undefined ? `${answer.status} has a body that is not described` : undefined;
  }
  const media = type === undefined ? undefined : response.content[type];
  if (type === undefined || media === undefined) return `${type} is not described`;
  return media.schema === undefined
    ? undefined
    : faultIn(pointerTo(...place, 'content', type, 'schema'), jsonOf(answer));
}

/** What an answer has that is not described; undefined when it is as described. */
export function undescribedIn(method: string, url: string, answer: Response): string | undefined {
  const path = url.split('?', 1)[0] ?? url;
  const template = templateOf(path);
  if (template === undefined) {
    return undescribed.test(path) ? undefined : faultElsewhere(answer, [400, 404, 414]);
  }
  const asked = method.toLowerCase();
  const of = (asked === 'head' ? 'get' : asked) as keyof PathItem;
  const operation = template.item[of];
  if (operation === undefined) {
    return answer.headers.allow === undefined ? 'Allow is missing' : faultElsewhere(answer, [405]);
  }
  return faultAt(template.path, operation, of, asked === 'head', answer);
}

/** Nobody has to ask: every answer to supertest is looked at, and fails its test when it is not described. */
interface Asked {
  method: string;
  url: string;
  expect(check: (answer: Response) => void): unknown;
  assert(error: unknown, answer: Response | undefined, done: unknown): void;
}

const asked = (supertest as unknown as { readonly Test: { readonly prototype: Asked } }).Test.prototype;
const { assert } = asked;
/** The same suite on real rows has the same answers, and takes its time already. */
const once = process.env.TEST_HTTP_DATABASE === undefined;
asked.assert = function (error, answer, done) {
  if (once && answer?.headers['tfp-appname'] === 'Gatehouse') {
    this.expect(() => {
      const { pathname, search } = new URL(this.url);
      const fault = undescribedIn(this.method, pathname + search, answer);
      if (fault !== undefined) throw new Error(`${this.method} ${pathname}: ${answer.status}: ${fault} (${hint})`);
    });
  }
  assert.call(this, error, answer, done);
};

afterAll(() => {
  const folder = process.env.GATEHOUSE_SEEN;
  if (folder !== undefined && seen.size > 0) {
    appendFileSync(join(folder, `${process.pid}.txt`), [...seen].map((line) => `${line}\n`).join(''));
  }
});
