import { invalidParameter } from './request-error.js';

/** The query parameters of one request, read by their literal names: `page[number]` is a name like any other. */
export class Query {
  private parsed: URLSearchParams | undefined;

  /** `text` is what follows the question mark. */
  constructor(private readonly text: string) {}

  private get parameters(): URLSearchParams {
    this.parsed ??= new URLSearchParams(this.text);
    return this.parsed;
  }

  get isEmpty(): boolean {
    return this.text === '';
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

  /** Each name once. */
  names(): readonly string[] {
    return this.text === '' ? [] : [...new Set(this.parameters.keys())];
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
