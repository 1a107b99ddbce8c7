/** Receives the parts of a JSON text that it asks for. `depth` is the number of lists and objects around a part. */
export interface JsonVisitor {
  /** Nothing is reported of what lies deeper. */
  readonly deepest: number;
  /** Whether the visitor asks for the name that begins. */
  wantsName(depth: number): boolean;
  /** The name of a member, lent until the method returns. */
  name(depth: number, name: KeptJson): void;
  /** A value begins with this byte. Returns how many bytes of it may be kept for `kept`; 0 keeps none of it. */
  value(depth: number, first: number): number;
  /** The value without whitespace, lent until the method returns. */
  kept(depth: number, value: KeptJson): void;
  /** A list or an object ends; `depth` as at its beginning. */
  end(depth: number): void;
}

export const opens = { list: 0x5b, object: 0x7b, text: 0x22 } as const;

/** Bytes of JSON that were kept. */
export interface KeptJson {
  /** Whether there were more bytes than may be kept, or too many levels. Then the rest is undefined. */
  readonly isTooLong: boolean;
  /** In bytes. */
  readonly length: number;
  /** Whether it is this JSON, byte by byte. */
  is(json: Uint8Array): boolean;
  /** The JSON itself. Bytes that are not UTF-8 become the replacement character. */
  json(): string;
  /** The content of a text. */
  text(): string;
}

/** As other programs that read states have it. */
const maxLevels = 10_000;
/** In a value that is kept, since its readers may be recursive. */
const maxLevelsKept = 512;
/** In bytes, with quotation marks and escapes. */
const longestName = 4096;

/** The tokens that may come next outside of a text, a number and a word. */
const [value, valueOrEnd, nameOrEnd, name, colon, commaOrEnd, nothing] = [0, 1, 2, 3, 4, 5, 6] as const;
/** The token that the scanner is in. */
const [between, inText, inNumber, inWord] = [0, 1, 2, 3] as const;
/** The parts of a number. Whether it may end after each of them is in `endsNumber`. */
const [sign, zero, integer, point, fraction, exponent, exponentSign, exponentDigits] = [
  0, 1, 2, 3, 4, 5, 6, 7,
] as const;
const endsNumber = [false, true, true, false, true, false, false, true];

const [quote, backslash, comma, colonByte] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const [listEnd, objectEnd, minus, plus, dot, digit0, digit9] = [0x5d, 0x7d, 0x2d, 0x2b, 0x2e, 0x30, 0x39] as const;
const words: ReadonlyMap<number, Uint8Array> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
);
const afterBackslash = new Set(Buffer.from('"\\/bfnrtu'));

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isDigit = (byte: number): boolean => byte >= digit0 && byte <= digit9;
const isHex = (byte: number): boolean => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

/**
 * Reads JSON as its bytes pass, in memory that does not depend on its length, the number of its parts or their nesting.
 * Takes exactly what the grammar allows, to 10,000 levels, except that it does not check that texts are UTF-8.
 */
export class JsonScanner {
  /** The reason why the bytes so far are not the beginning of a JSON text. */
  fault: string | undefined;
  private bytes = 0;
  private expects: number = value;
  private within: number = between;
  private depth = 0;
  private readonly lists = new Uint8Array(maxLevels + 1);
  /** In a text: 0, 1 after a backslash, else one more than the hexadecimal digits that are missing. */
  private escape = 0;
  private isName = false;
  private number: number = sign;
  private word: Uint8Array = new Uint8Array();
  private matched = 0;
  private readonly copy = new Copy();
  /** The depth of the value or name that is being kept. */
  private keptAt: number | undefined;

  constructor(private readonly visitor: JsonVisitor) {}

  take(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.fault === undefined; ) {
      switch (this.within) {
        case inText:
          at = this.takeText(chunk, at);
          break;
        case inNumber:
          at = this.takeNumber(chunk, at);
          break;
        case inWord:
          at = this.takeWord(chunk, at);
          break;
        default: {
          const byte = chunk[at] as number;
          if (!isSpace(byte)) this.takeSign(byte, at);
          at += 1;
        }
      }
    }
    this.bytes += chunk.length;
  }

  /** To be called after the last byte. */
  end(): void {
    if (this.fault !== undefined) return;
    if (this.within === inNumber && endsNumber[this.number]) {
      this.within = between;
      this.endValue();
    }
    if (this.within !== between || this.expects !== nothing) this.fault = `ends too early, after ${this.bytes} bytes`;
  }

  private takeSign(byte: number, at: number): void {
    const { expects } = this;
    if (byte === quote && (expects === name || expects === nameOrEnd)) this.beginName();
    else if (expects === value || (expects === valueOrEnd && byte !== listEnd)) this.beginValue(byte, at);
    else if (byte === colonByte && expects === colon) this.goOn(byte, value);
    else if (byte === comma && expects === commaOrEnd) this.goOn(byte, this.lists[this.depth] === 1 ? value : name);
    else if (byte === listEnd || byte === objectEnd) this.close(byte, at);
    else this.fail(at);
  }

  private goOn(byte: number, expects: number): void {
    if (this.keptAt !== undefined) this.copy.add(byte);
    this.expects = expects;
  }

  private beginName(): void {
    this.within = inText;
    this.isName = true;
    if (this.keptAt === undefined && this.depth <= this.visitor.deepest && this.visitor.wantsName(this.depth)) {
      this.keptAt = this.depth;
      this.copy.begin(longestName);
    }
    if (this.keptAt !== undefined) this.copy.add(quote);
  }

  private beginValue(byte: number, at: number): void {
    if (this.keptAt === undefined && this.depth <= this.visitor.deepest) {
      const max = this.visitor.value(this.depth, byte);
      if (max > 0) {
        this.keptAt = this.depth;
        this.copy.begin(max);
      }
    }
    if (this.keptAt !== undefined) this.copy.add(byte);
    if (byte === opens.list || byte === opens.object) this.open(byte === opens.list, at);
    else if (byte === quote) {
      this.within = inText;
      this.isName = false;
    } else if (byte === minus || isDigit(byte)) {
      this.within = inNumber;
      this.number = byte === minus ? sign : byte === digit0 ? zero : integer;
    } else {
      const word = words.get(byte);
      if (word === undefined) this.fail(at);
      else this.beginWord(word);
    }
  }

  private beginWord(word: Uint8Array): void {
    this.within = inWord;
    this.word = word;
    this.matched = 1;
  }

  private open(isList: boolean, at: number): void {
    if (this.depth === maxLevels) {
      this.fault = `is nested deeper than ${maxLevels} levels at byte ${this.bytes + at}`;
      return;
    }
    this.depth += 1;
    this.lists[this.depth] = isList ? 1 : 0;
    this.expects = isList ? valueOrEnd : nameOrEnd;
    if (this.keptAt !== undefined && this.depth - this.keptAt > maxLevelsKept) this.copy.giveUp();
  }

  private close(byte: number, at: number): void {
    const isList = this.lists[this.depth] === 1;
    const isDue = this.expects === commaOrEnd || this.expects === (isList ? valueOrEnd : nameOrEnd);
    if (this.depth === 0 || !isDue || byte !== (isList ? listEnd : objectEnd)) {
      this.fail(at);
      return;
    }
    this.depth -= 1;
    if (this.keptAt !== undefined) this.copy.add(byte);
    else if (this.depth <= this.visitor.deepest) this.visitor.end(this.depth);
    this.endValue();
  }

  private endValue(): void {
    this.expects = this.depth === 0 ? nothing : commaOrEnd;
    if (this.keptAt !== this.depth) return;
    this.keptAt = undefined;
    this.visitor.kept(this.depth, this.copy);
  }

  private endName(): void {
    this.expects = colon;
    // Otherwise it is a name within a value that is kept.
    if (this.keptAt !== this.depth) return;
    this.keptAt = undefined;
    this.visitor.name(this.depth, this.copy);
  }

  private takeText(chunk: Uint8Array, from: number): number {
    let at = from;
    let ended = false;
    for (; at < chunk.length && !ended; at += 1) {
      const byte = chunk[at] as number;
      if (this.escape === 0) {
        if (byte === quote) ended = true;
        else if (byte === backslash) this.escape = 1;
        else if (byte < 0x20) return this.fail(at);
      } else if (this.escape === 1) {
        if (!afterBackslash.has(byte)) return this.fail(at);
        this.escape = byte === 0x75 ? 5 : 0;
      } else {
        if (!isHex(byte)) return this.fail(at);
        this.escape = this.escape === 2 ? 0 : this.escape - 1;
      }
    }
    if (this.keptAt !== undefined) this.copy.addAll(chunk, from, at);
    if (ended) {
      this.within = between;
      if (this.isName) this.endName();
      else this.endValue();
    }
    return at;
  }

  private takeNumber(chunk: Uint8Array, from: number): number {
    let at = from;
    for (; at < chunk.length; at += 1) {
      const next = afterIn(this.number, chunk[at] as number);
      if (next === undefined) {
        if (!endsNumber[this.number]) return this.fail(at);
        this.within = between;
        break;
      }
      this.number = next;
    }
    if (this.keptAt !== undefined) this.copy.addAll(chunk, from, at);
    if (this.within === between) this.endValue();
    return at;
  }

  private takeWord(chunk: Uint8Array, from: number): number {
    let at = from;
    for (; at < chunk.length && this.matched < this.word.length; at += 1) {
      if (chunk[at] !== this.word[this.matched]) return this.fail(at);
      this.matched += 1;
    }
    if (this.keptAt !== undefined) this.copy.addAll(chunk, from, at);
    if (this.matched === this.word.length) {
      this.within = between;
      this.endValue();
    }
    return at;
  }

  private fail(at: number): number {
    this.fault = `is not JSON at byte ${this.bytes + at}`;
    return at;
  }
}

/** The part of a number that a byte continues; undefined if the byte does not belong to it. */
function afterIn(part: number, byte: number): number | undefined {
  if (isDigit(byte)) {
    if (part === sign) return byte === digit0 ? zero : integer;
    if (part === integer || part === fraction) return part;
    if (part === point) return fraction;
    return part === zero ? undefined : exponentDigits;
  }
  if (byte === dot) return part === zero || part === integer ? point : undefined;
  if (byte === minus || byte === plus) return part === exponent ? exponentSign : undefined;
  const mayHaveExponent = part === zero || part === integer || part === fraction;
  return (byte | 0x20) === 0x65 && mayHaveExponent ? exponent : undefined;
}

/** In bytes. A loop is faster than a call up to this length. */
const short = 64;

/** Bytes that are kept until there are too many. A state may have millions of short texts: nothing is made for each. */
class Copy implements KeptJson {
  private memory = Buffer.allocUnsafeSlow(1024);
  length = 0;
  private max = 0;

  begin(max: number): void {
    this.max = max;
    this.length = 0;
    // One long value does not make the scanner hold its memory until the last byte.
    if (this.memory.length > 64 * 1024) this.memory = Buffer.allocUnsafeSlow(1024);
  }

  get isTooLong(): boolean {
    return this.length > this.max;
  }

  is(json: Uint8Array): boolean {
    if (json.length !== this.length) return false;
    for (let at = 0; at < json.length; at += 1) if (json[at] !== this.memory[at]) return false;
    return true;
  }

  json(): string {
    return this.memory.toString('utf8', 0, this.length);
  }

  text(): string {
    if (this.length === 2) return '';
    const text = this.memory.toString('utf8', 1, this.length - 1);
    return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
  }

  add(byte: number): void {
    if (!this.makeRoom(1)) return;
    this.memory[this.length - 1] = byte;
  }

  addAll(chunk: Uint8Array, from: number, to: number): void {
    const before = this.length;
    if (!this.makeRoom(to - from)) return;
    if (to - from > short) this.memory.set(chunk.subarray(from, to), before);
    else for (let at = from; at < to; at += 1) this.memory[before + at - from] = chunk[at] as number;
  }

  giveUp(): void {
    this.length = Number.POSITIVE_INFINITY;
  }

  private makeRoom(bytes: number): boolean {
    this.length += bytes;
    if (this.length > this.max) return false;
    if (this.length > this.memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.max, 2 * this.length));
      larger.set(this.memory);
      this.memory = larger;
    }
    return true;
  }
}
