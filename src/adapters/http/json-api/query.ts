import { badRequest, invalidParameter } from './request-error.js';

/** The query parameters of one request, read by their literal names: `page[number]` is a name like any other. */
export class Query {
  private readonly parameters: URLSearchParams;

  /** `text` is what follows the question mark. */
  constructor(text: string) {
    this.parameters = new URLSearchParams(text);
  }

  /** Throws a 422 when a parameter that has one value is given more than once. */
  one(name: string): string | undefined {
    const values = this.parameters.getAll(name);
    if (values.length > 1) throw invalidParameter(name, `${name} may be given only once`);
    return values[0];
  }

  /** The names in a comma-separated `include`. Throws a 400 for one that `known` does not have. */
  include<Name extends string>(known: Readonly<Record<string, Name>>): ReadonlySet<Name> {
    const asked = (this.one('include') ?? '').split(',').filter((word) => word !== '');
    return new Set(
      asked.map((word) => {
        const name = Object.hasOwn(known, word) ? known[word] : undefined;
        if (name === undefined) throw badRequest('Invalid include parameter');
        return name;
      }),
    );
  }

  /** The query with these parameters set, percent-encoded. */
  with(changes: Readonly<Record<string, string>>): string {
    const changed = new URLSearchParams(this.parameters);
    for (const [name, value] of Object.entries(changes)) changed.set(name, value);
    return changed.toString();
  }
}
