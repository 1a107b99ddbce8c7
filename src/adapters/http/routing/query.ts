import { z } from 'zod';
import { badRequest, invalidParameter } from './request-error.js';

/** For the description of the API: the words that a comma-separated `include` takes. */
export const includeParameter = (known: Readonly<Record<string, unknown>>) =>
  z
    .array(z.enum(Object.keys(known)))
    .optional()
    .meta({ description: 'Related resources to return in `included`, separated by commas.' });

/** The query parameters of one request, read by their literal names: `page[number]` is a name like any other. */
export class Query {
  private parsed: URLSearchParams | undefined;

  /** `text` is what follows the question mark. */
  constructor(private readonly text: string) {}

  private get parameters(): URLSearchParams {
    this.parsed ??= new URLSearchParams(this.text);
    return this.parsed;
  }

  /** Throws a 422 when a parameter that has one value is given more than once. */
  one(name: string): string | undefined {
    if (this.text === '') return undefined;
    const values = this.parameters.getAll(name);
    if (values.length > 1) throw invalidParameter(name, `${name} may be given only once`);
    return values[0];
  }

  /** Names with values, in the order of the query; what is given twice is there twice. */
  all(): readonly (readonly [name: string, value: string])[] {
    return [...this.parameters];
  }

  /** The names in a comma-separated `include`. Throws a 400 for one that `known` does not have. */
  include<Name extends string>(known: Readonly<Record<string, Name>>): ReadonlySet<Name> {
    const include = this.one('include');
    if (include === undefined) return new Set();
    const asked = include.split(',').filter((word) => word !== '');
    return new Set(
      asked.map((word) => {
        const name = Object.hasOwn(known, word) ? known[word] : undefined;
        if (name === undefined) throw badRequest('Invalid include parameter');
        return name;
      }),
    );
  }

  /** The names in a comma-separated list; words that `table` does not have are passed over. */
  known<Name extends string>(parameter: string, table: Readonly<Record<string, readonly Name[]>>): ReadonlySet<Name> {
    const words = (this.one(parameter) ?? '').split(',');
    return new Set(words.flatMap((word) => (Object.hasOwn(table, word) ? (table[word] ?? []) : [])));
  }

  /** All parameters but those of these names, encoded, for others to follow: empty, or with an ampersand at the end. */
  without(...names: readonly string[]): string {
    if (this.text === '') return '';
    const others = new URLSearchParams(this.parameters);
    for (const name of names) others.delete(name);
    return others.size === 0 ? '' : `${others}&`;
  }
}

/** The path of a request's URL, and its parameters. */
export const partsOf = (url: string): readonly [path: string, query: Query] => {
  const at = url.indexOf('?');
  return at === -1 ? [url, new Query('')] : [url.slice(0, at), new Query(url.slice(at + 1))];
};
