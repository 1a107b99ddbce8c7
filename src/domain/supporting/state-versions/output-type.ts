/** The JSON type names of values. */
export const outputTypeNames = ['string', 'number', 'boolean', 'array', 'object', 'dynamic'] as const;

export type OutputTypeName = (typeof outputTypeNames)[number];

const primitives: ReadonlyMap<string, OutputTypeName> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['bool', 'boolean'],
  ['dynamic', 'dynamic'],
]);
const collections: ReadonlyMap<string, OutputTypeName> = new Map([
  ['list', 'array'],
  ['set', 'array'],
  ['map', 'object'],
]);
const structures: ReadonlyMap<string, OutputTypeName> = new Map([
  ['tuple', 'array'],
  ['object', 'object'],
]);
const words = new Map([...primitives, ...collections, ...structures]);

/** In levels of brackets: types are read by recursion. */
const deepest = 512;

/** Whether JSON without whitespace is a type of the configuration language. Linear in its length, and builds nothing. */
export function isOutputType(json: string): boolean {
  const reader = new TypeReader(json);
  return reader.takeType(0) && reader.isAtEnd;
}

/** The JSON type name for a type. */
export const nameOfType = (json: string): OutputTypeName => words.get(/^\[?"(\w*)"/.exec(json)?.[1] ?? '') ?? 'dynamic';

class TypeReader {
  private at = 0;

  constructor(private readonly json: string) {}

  get isAtEnd(): boolean {
    return this.at === this.json.length;
  }

  takeType(depth: number): boolean {
    if (depth > deepest) return false;
    if (!this.takes('[')) return primitives.has(this.takeText() ?? '');
    const kind = this.takeText() ?? '';
    if (!this.takes(',')) return false;
    if (collections.has(kind)) return this.takeType(depth + 1) && this.takes(']');
    if (kind === 'tuple')
      return this.takes('[') && this.takeItems(']', () => this.takeType(depth + 2)) && this.takes(']');
    if (kind !== 'object' || !this.takes('{')) return false;
    const takeMember = () => this.takeText() !== undefined && this.takes(':') && this.takeType(depth + 2);
    if (!this.takeItems('}', takeMember)) return false;
    // A third element lists optional attributes: it appears in types that people write, and is harmless elsewhere.
    const takesOptional = () => this.takes('[') && this.takeItems(']', () => this.takeText() !== undefined);
    return (!this.takes(',') || takesOptional()) && this.takes(']');
  }

  private takeItems(end: string, take: () => boolean): boolean {
    if (this.takes(end)) return true;
    do if (!take()) return false;
    while (this.takes(','));
    return this.takes(end);
  }

  /** A text between quotation marks, with its escapes. */
  private takeText(): string | undefined {
    if (!this.takes('"')) return undefined;
    const from = this.at;
    for (; this.at < this.json.length; this.at += 1) {
      const character = this.json[this.at];
      if (character === '"') {
        this.at += 1;
        return this.json.slice(from, this.at - 1);
      }
      if (character === '\\') this.at += 1;
    }
    return undefined;
  }

  private takes(character: string): boolean {
    if (this.json[this.at] !== character) return false;
    this.at += 1;
    return true;
  }
}
