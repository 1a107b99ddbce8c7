import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Response as Described, OpenApi, Operation, PathItem } from '../../src/adapters/http/openapi/openapi.js';

/** An answer, as far as it is described. */
export interface Answered {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const escaped = (word: string): string => encodeURIComponent(word.replaceAll('~', '~0').replaceAll('/', '~1'));

/** The schema at this place of the description. */
export const pointerTo = (...words: readonly string[]): string => `openapi#/${words.map(escaped).join('/')}`;

const errorsPointer = pointerTo('components', 'schemas', 'Errors');

interface Template {
  readonly path: string;
  readonly pattern: RegExp;
  readonly item: PathItem;
}

const depthOf = (path: string): number => path.split('/').length;

const headersOf = (response: Described): readonly string[] =>
  Object.keys(response.headers ?? {}).filter((name) => !name.startsWith('X-RateLimit-'));

/** A description of the API, to hold answers to. */
export class Description {
  /** Which statuses were answered, by method and path of the description. */
  readonly seen = new Set<string>();
  private readonly ajv = new Ajv2020({
    strict: false,
    unicodeRegExp: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  private readonly compiled = new Map<string, ValidateFunction>();
  /** Fixed words first, as the routes have them. */
  private readonly templates: readonly Template[];
  /** By the number of slashes. */
  private readonly byDepth: ReadonlyMap<number, readonly Template[]>;

  constructor(private readonly openApi: OpenApi) {
    addFormats.default(this.ajv);
    this.ajv.addSchema(openApi, 'openapi', false, false);
    this.templates = Object.entries(openApi.paths)
      .map(([path, item]) => ({
        path,
        pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
        item,
      }))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
    this.byDepth = Map.groupBy(this.templates, ({ path }) => depthOf(path));
  }

  private templateOf(url: string): Template | undefined {
    const path = (url.split('?', 1)[0] ?? url).replace(/(?<=.)\/$/, '');
    return this.byDepth.get(depthOf(path))?.find(({ pattern }) => pattern.test(path));
  }

  /** The fault in a value, in words; undefined when it fits. */
  faultIn(pointer: string, value: unknown): string | undefined {
    const validate = this.compiled.get(pointer) ?? this.ajv.compile({ $ref: pointer });
    this.compiled.set(pointer, validate);
    return validate(value) ? undefined : this.ajv.errorsText(validate.errors, { dataVar: 'body' });
  }

  /** The key of the example: the operation, whether it reads a document, and the response that describes a refusal. */
  placeOf(method: string, url: string, status: number) {
    const operation = this.templateOf(url)?.item[method.toLowerCase() as 'get'];
    const response = operation?.responses[status];
    if (operation === undefined || response === undefined) return undefined;
    const reads = Object.values(operation.requestBody?.content ?? {}).some(({ schema }) => schema !== undefined);
    return {
      operationId: operation.operationId,
      reads,
      refusal: '$ref' in response ? response.$ref.split('/').at(-1) : undefined,
    };
  }

  /** Every response of every operation; `shared` names the component that it refers to. */
  responses(): readonly { method: string; path: string; status: string; shared?: string | undefined }[] {
    return this.templates.flatMap(({ path, item }) =>
      Object.entries(item as Readonly<Record<string, Operation>>).flatMap(([method, operation]) =>
        Object.entries(operation.responses).map(([status, response]) => ({
          method,
          path,
          status,
          shared: '$ref' in response ? response.$ref.split('/').at(-1) : undefined,
        })),
      ),
    );
  }

  /** The part of a response that is not described; undefined when all of it is. */
  undescribedIn(method: string, url: string, answer: Answered): string | undefined {
    const template = this.templateOf(url);
    if (template === undefined) return this.faultElsewhere(answer, [400, 401, 404, 414]);
    const asked = method.toLowerCase();
    const of = (asked === 'head' ? 'get' : asked) as keyof PathItem;
    const operation = template.item[of];
    if (operation === undefined) {
      if (answer.status === 405 && answer.headers.allow === undefined) return 'Allow is missing';
      return this.faultElsewhere(answer, [400, 405, 414]);
    }
    return this.faultAt(template.path, operation, of, asked === 'head', answer);
  }

  /** The fault in the response to a request that no described endpoint takes. */
  private faultElsewhere({ status, text }: Answered, allowed: readonly number[]): string | undefined {
    if (!allowed.includes(status)) return `${status} is not described`;
    return text ? this.faultIn(errorsPointer, JSON.parse(text)) : undefined;
  }

  private faultAt(
    path: string,
    operation: Operation,
    method: string,
    head: boolean,
    answer: Answered,
  ): string | undefined {
    const place = ['paths', path, method, 'responses', String(answer.status)];
    let response = operation.responses[answer.status];
    if (response === undefined) return `${answer.status} is not described`;
    if ('$ref' in response) {
      const name = response.$ref.split('/').at(-1) ?? '';
      place.splice(0, place.length, 'components', 'responses', name);
      response = this.openApi.components.responses[name];
      if (response === undefined) return `${name} is not described`;
    }
    const missing = headersOf(response).find((name) => answer.headers[name.toLowerCase()] === undefined);
    if (missing !== undefined) return `the header ${missing} is missing`;
    if (head) return undefined;
    this.seen.add(`${method} ${path} ${answer.status}`);
    const type = answer.headers['content-type'] as string | undefined;
    if (response.content === undefined) {
      return answer.text || type !== undefined ? `${answer.status} has a body that is not described` : undefined;
    }
    const media = type === undefined ? undefined : response.content[type];
    if (type === undefined || media === undefined) return `${type} is not described`;
    return media.schema === undefined
      ? undefined
      : this.faultIn(pointerTo(...place, 'content', type, 'schema'), JSON.parse(answer.text));
  }
}
