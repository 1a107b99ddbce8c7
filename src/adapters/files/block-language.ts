import { type Block, BlockFault, type BlockValue } from '../../domain/index.js';

// Both with comments.
const blanks = /(?:[ \t\r]|\/\*[\s\S]*?\*\/|(?:#|\/\/)[^\n]*)*/y;
const blanksAndLines = /(?:\s|\/\*[\s\S]*?\*\/|(?:#|\/\/)[^\n]*)*/y;
const identifier = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy;
const quoted = /"((?:[^"\\\n]|\\.)*)"/y;
const number = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const escaped = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/gu;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };
const deepest = 16;
const literals: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * Reads blocks and attributes with literal values, the part of HCL that policy sets are described in. Throws `BlockFault` for
 * anything else: expressions, templates and heredocs among it.
 */
export const readBlocks = (text: string): readonly Block[] => new BlockReader(text).file();

class BlockReader {
  private at = 0;
  private counted = 0;
  private lines = 1;

  constructor(private readonly text: string) {}

  file(): readonly Block[] {
    const { attributes, blocks } = this.body(0);
    if (this.at < this.text.length) throw this.fault('expected a block');
    const [name] = attributes.keys();
    if (name !== undefined) throw this.fault(`the attribute ${name} must be inside a block`);
    return blocks;
  }

  /** Up to the `}` of its block, or the end of the text. */
  private body(depth: number): Pick<Block, 'attributes' | 'blocks'> {
    if (depth > deepest) throw this.fault(`blocks are nested more than ${deepest} levels deep`);
    const attributes = new Map<string, BlockValue>();
    const blocks: Block[] = [];
    for (;;) {
      this.skip(blanksAndLines);
      const line = this.line;
      const name = this.match(identifier);
      if (name === undefined) return { attributes, blocks };
      this.skip(blanks);
      if (this.takes('=')) {
        if (attributes.has(name)) throw this.fault(`the attribute ${name} is set twice`);
        this.skip(blanks);
        attributes.set(name, this.value(depth));
      } else blocks.push(this.block(name, line, depth));
      this.endOfLine();
    }
  }

  private block(type: string, line: number, depth: number): Block {
    const labels: string[] = [];
    while (!this.takes('{')) {
      const label = this.label();
      if (label === undefined) throw this.fault(`expected = or { after ${type}`);
      labels.push(label);
      this.skip(blanks);
    }
    const body = this.body(depth + 1);
    if (!this.takes('}')) throw this.fault(`expected } at the end of the block ${type}`);
    return { type, labels, line, ...body };
  }

  private value(depth: number): BlockValue {
    if (depth > deepest) throw this.fault(`values are nested more than ${deepest} levels deep`);
    if (this.text[this.at] === '"') return this.string();
    if (this.takes('[')) return this.list(depth);
    if (this.takes('{')) return this.object(depth);
    const digits = this.match(number);
    if (digits !== undefined) return Number(digits);
    const word = this.match(identifier);
    const literal = word === undefined ? undefined : literals.get(word);
    if (literal !== undefined) return literal;
    throw this.fault('expected a literal value: expressions, templates and heredocs are not supported');
  }

  private list(depth: number): readonly BlockValue[] {
    const items: BlockValue[] = [];
    for (;;) {
      this.skip(blanksAndLines);
      if (this.takes(']')) return items;
      items.push(this.value(depth + 1));
      this.skip(blanksAndLines);
      if (!this.takes(',') && this.text[this.at] !== ']') throw this.fault('expected , or ] in a list');
    }
  }

  private object(depth: number): BlockValue {
    const members: [string, BlockValue][] = [];
    for (;;) {
      this.skip(blanksAndLines);
      if (this.takes('}')) return Object.fromEntries(members);
      const name = this.label();
      this.skip(blanks);
      if (name === undefined || !(this.takes('=') || this.takes(':'))) throw this.fault('expected NAME = VALUE');
      this.skip(blanks);
      members.push([name, this.value(depth + 1)]);
      this.skip(blanks);
      if (!this.takes(',') && !/[\n}]/.test(this.text[this.at] ?? '')) throw this.fault('expected , or } in an object');
    }
  }

  private label(): string | undefined {
    return this.text[this.at] === '"' ? this.string() : this.match(identifier);
  }

  private string(): string {
    const source = this.match(quoted);
    if (source === undefined) throw this.fault('a text has no closing quotation mark');
    const content = source.slice(1, -1);
    if (/(?<![$%])[$%]\{/.test(content)) throw this.fault('templates are not supported: write $${ for ${');
    const plain = content.replace(escaped, (whole, short?: string, long?: string, letter?: string) => {
      const code = short ?? long;
      const character = code === undefined ? escapes[letter ?? ''] : characterOf(Number.parseInt(code, 16));
      if (character === undefined) throw this.fault(`${whole} is not an escape sequence`);
      return character;
    });
    return plain.replaceAll('$${', '${').replaceAll('%%{', '%{');
  }

  private endOfLine(): void {
    this.skip(blanks);
    const next = this.text[this.at];
    if (next !== undefined && next !== '\n' && next !== '}') throw this.fault('expected the end of the line');
  }

  private takes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private skip(pattern: RegExp): void {
    this.match(pattern);
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private fault(message: string): BlockFault {
    return new BlockFault(this.line, message);
  }

  /** Counts on from the last time: the position only moves forward. */
  private get line(): number {
    for (; this.counted < this.at; this.counted += 1) if (this.text[this.counted] === '\n') this.lines += 1;
    return this.lines;
  }
}

const characterOf = (code: number): string | undefined =>
  code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : undefined;
