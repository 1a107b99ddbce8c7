import { z } from 'zod';
import { limits } from './limits.js';
import { type Fault, invalid } from './request-error.js';
import type { Route } from './route.js';
import { membersOf, wrappedIn } from './schema-parts.js';

/** Shorter names are too often near to each other. */
const fewestLetters = 5;

const lettersOf = (name: string): string => name.replaceAll(/[-_]/g, '').toLowerCase();

/** Whether one letter was changed, left out or added. */
function differInOneLetter(one: string, other: string): boolean {
  let alike = 0;
  while (alike < one.length && one[alike] === other[alike]) alike += 1;
  const [left, right] = [one.slice(alike), other.slice(alike)];
  return left.slice(1) === right.slice(1) || left.slice(1) === right || left === right.slice(1);
}

/** The names of an object's members, and within each those of its value. The items of a list are as one object. */
class Names {
  private readonly members = new Map<string, Names>();
  /** Names by their letters. */
  private readonly spelled = new Map<string, string>();

  add(schema: z.core.$ZodType): this {
    for (const [name, member] of Object.entries(membersOf(schema))) {
      this.members.set(name, (this.members.get(name) ?? new Names()).add(member));
      this.spelled.set(lettersOf(name), name);
    }
    for (const part of wrappedIn(schema)) this.add(part);
    return this;
  }

  within(name: string): Names | undefined {
    return this.members.get(name);
  }

  /** The name that was meant, if it is one of these. */
  nearest(name: string): string | undefined {
    const letters = lettersOf(name);
    if (letters.length < fewestLetters) return undefined;
    const found = this.spelled.get(letters);
    if (found !== undefined) return found;
    for (const [other, meant] of this.spelled) {
      const near = other.length >= fewestLetters && Math.abs(other.length - letters.length) <= 1;
      if (near && differInOneLetter(other, letters)) return meant;
    }
    return undefined;
  }
}

interface Documents {
  /** The request. */
  readonly asked: Names;
  /** The responses, which clients may send back. */
  readonly shown: Names;
}

const known = new WeakMap<Route['reference'], Documents>();

function documentsOf({ reference }: Pick<Route, 'reference'>): Documents {
  let documents = known.get(reference);
  if (documents === undefined) {
    const { body, answers } = reference();
    documents = { asked: new Names(), shown: new Names() };
    if (body instanceof z.ZodType) documents.asked.add(body);
    for (const answer of Object.values(answers)) if (answer instanceof z.ZodType) documents.shown.add(answer);
    known.set(reference, documents);
  }
  return documents;
}

/** Names in the structs of go-tfe and the tfe provider that are near to attributes of other resources. */
export const namesOfClients: ReadonlySet<string> = new Set([
  '@message',
  'enforcement_level',
  'stage',
  'state',
  'state-version',
  'values',
]);

interface Place {
  readonly ignored: ReadonlySet<string>;
  readonly asked: Names;
  readonly shown: Names | undefined;
  readonly pointer: string;
  readonly inAttributes: boolean;
}

function misspelledIn(value: unknown, place: Place): readonly Fault[] {
  const { ignored, asked, shown, pointer, inAttributes } = place;
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => misspelledIn(item, { ...place, pointer: `${pointer}/${index}` }));
  }
  return Object.entries(value).flatMap(([name, member]): readonly Fault[] => {
    const at = `${pointer}/${name}`;
    const within = asked.within(name);
    if (within !== undefined) {
      return misspelledIn(member, {
        ignored,
        asked: within,
        shown: shown?.within(name),
        pointer: at,
        inAttributes: inAttributes || name === 'attributes',
      });
    }
    const isIgnored = !inAttributes || ignored.has(name) || shown?.within(name) !== undefined;
    const meant = isIgnored ? undefined : asked.nearest(name);
    return meant === undefined ? [] : [{ pointer: at, detail: `${name} is not an attribute: use ${meant}` }];
  });
}

/** The attributes of a document that are nearly known ones. Those that are ignored or that a response shows are not. */
export const misspelledAttributes = (
  route: Pick<Route, 'reference'>,
  document: unknown,
  ignored: ReadonlySet<string> = namesOfClients,
): readonly Fault[] => misspelledIn(document, { ...documentsOf(route), ignored, pointer: '', inAttributes: false });

/** Throws a 422 for misspelled attributes: ignored, the change would look made. Other unknown ones are ignored. */
export function refuseMisspelled(route: Pick<Route, 'reference' | 'body'>, body: unknown): void {
  const isDocument = route.body === 'read' || (route.body !== 'ignored' && 'document' in route.body);
  const faults = isDocument ? misspelledAttributes(route, body) : [];
  if (faults.length > 0) throw invalid(faults.slice(0, limits.faults.max));
}
