import { freeBytes } from './free-bytes.js';
import { bytesPerValue, notJson, tooDeep, tooManyValues } from './read-json.js';
import type { RequestError } from './request-error.js';

/** The token that may come next. */
type Expected = 'value' | 'first value' | 'first name' | 'name' | 'colon' | 'comma' | 'nothing';

interface Container {
  readonly isArray: boolean;
  readonly made: unknown[] | Record<string, unknown>;
  /** The name of the member whose value is read. */
  name: string;
}

const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const endsWord = (byte: number) => byte === 0x2c || byte === 0x5d || byte === 0x7d || isBlank(byte);

/** Longer than a slice, so that its bytes are a copy. */
const longText = 256 * 1024;

/** The limits on what is parsed. */
export interface Bounds {
  readonly levels: number;
  readonly values: number;
}

/**
 * Parses JSON in slices, as `JSON.parse` does whole. It holds what it made and never the whole text, and it stops as soon
 * as there are too many values, so its memory is bounded.
 */
export class JsonReader {
  private readonly stack: Container[] = [];
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private expected: Expected = 'value';
  private result: unknown;
  private values = 0;
  private textBytes = 0;
  /** A text or another word that began in an earlier slice: its bytes so far. */
  private parts: Uint8Array[] | undefined;
  private inText = false;
  private escaped = false;
  private hasEscapes = false;
  private begun = false;
  /** The position of the slice in the text. */
  private passed = 0;
  /** The position at which the line begins, less what its text is shorter than its bytes, and its number. */
  private lineStart = 0;
  private line = 1;
  /** The position of the word or text that is read. */
  private wordStart = 0;

  constructor(private readonly bounds: Bounds) {}

  /** The memory of what it made so far, in bytes. */
  get taken(): number {
    return this.textBytes + this.values * bytesPerValue;
  }

  /** Throws a 400. The slice may be reused afterwards. */
  read(slice: Uint8Array): void {
    let at = this.begun ? 0 : afterMark(slice);
    this.begun ||= slice.length > 0;
    if (this.parts !== undefined) at = this.inText ? this.text(slice, at) : this.word(slice, at);
    while (at < slice.length) {
      const byte = slice[at] as number;
      if (isBlank(byte)) {
        at += 1;
        if (byte === 0x0a) this.newLine(at);
      } else if (byte === 0x22) {
        // At any other wrong place it is refused once it ends.
        if (this.expected === 'nothing') throw this.fault(at);
        this.wordStart = this.passed + at;
        this.inText = true;
        at = this.text(slice, at + 1);
      } else if (byte === 0x7b) at = this.open(at, { isArray: false, made: {}, name: '' }, 'first name');
      else if (byte === 0x5b) at = this.open(at, { isArray: true, made: [], name: '' }, 'first value');
      else if (byte === 0x7d || byte === 0x5d) at = this.close(at, byte === 0x5d);
      else if (byte === 0x2c) at = this.step(at, 'comma', this.stack.at(-1)?.isArray ? 'value' : 'name');
      else if (byte === 0x3a) at = this.step(at, 'colon', 'value');
      else {
        this.wordStart = this.passed + at;
        at = this.word(slice, at);
      }
    }
    this.passed += slice.length;
  }

  private newLine(at: number): void {
    this.line += 1;
    this.lineStart = this.passed + at;
  }

  /** The refusal of what is at this index of the slice. Columns count as editors do, from 1. */
  private fault(at: number): RequestError {
    return this.faultAt(this.passed + at);
  }

  private faultAt(position: number): RequestError {
    return notJson(`unexpected character at line ${this.line}, column ${position - this.lineStart + 1}`);
  }

  /** The value. Throws a 400 when the text has no end. */
  end(): unknown {
    if (this.parts !== undefined && !this.inText) this.wordEnds(Buffer.concat(this.parts));
    if (this.parts !== undefined || this.expected !== 'nothing') throw notJson('it ends before it is complete');
    return this.result;
  }

  private step(at: number, needed: Expected, next: Expected): number {
    if (this.expected !== needed) throw this.fault(at);
    this.expected = next;
    return at + 1;
  }

  private open(at: number, container: Container, next: Expected): number {
    this.add(container.made, this.passed + at);
    this.stack.push(container);
    if (this.stack.length > this.bounds.levels) throw tooDeep(this.bounds.levels);
    this.expected = next;
    return at + 1;
  }

  private close(at: number, isArray: boolean): number {
    const closed = this.stack.pop();
    const fits = this.expected === 'comma' || this.expected === (isArray ? 'first value' : 'first name');
    if (closed?.isArray !== isArray || !fits) throw this.fault(at);
    this.expected = this.stack.length === 0 ? 'nothing' : 'comma';
    return at + 1;
  }

  private count(): void {
    this.values += 1;
    if (this.values > this.bounds.values) throw tooManyValues(this.bounds.values);
  }

  private add(value: unknown, position: number): void {
    if (this.expected !== 'value' && this.expected !== 'first value') throw this.faultAt(position);
    this.count();
    const within = this.stack.at(-1);
    if (within === undefined) this.result = value;
    else if (Array.isArray(within.made)) within.made.push(value);
    else if (within.name === '__proto__') {
      Object.defineProperty(within.made, within.name, { value, writable: true, enumerable: true, configurable: true });
    } else within.made[within.name] = value;
    this.expected = within === undefined ? 'nothing' : 'comma';
  }

  /** Reads on to the end of a text, or of the slice. */
  private text(slice: Uint8Array, from: number): number {
    let at = from;
    for (; at < slice.length; at += 1) {
      const byte = slice[at] as number;
      if (this.escaped) this.escaped = false;
      else if (byte === 0x5c) {
        this.escaped = true;
        this.hasEscapes = true;
      } else if (byte === 0x22) {
        this.textEnds(this.joined(slice.subarray(from, at)));
        return at + 1;
      } else if (byte < 0x20) throw this.fault(at);
    }
    this.keep(slice.subarray(from));
    return at;
  }

  private textEnds(bytes: Uint8Array): void {
    const decoded = this.decoded(bytes);
    const text = this.hasEscapes ? (this.parsed(`"${decoded}"`) as string) : decoded;
    this.inText = false;
    this.hasEscapes = false;
    this.textBytes += bytes.length;
    if (bytes.length > longText) freeBytes(bytes);
    const within = this.stack.at(-1);
    if (within === undefined || (this.expected !== 'first name' && this.expected !== 'name')) {
      this.add(text, this.wordStart);
      this.lineStart += bytes.length - decoded.length;
      return;
    }
    this.count();
    within.name = text;
    this.expected = 'colon';
    this.lineStart += bytes.length - decoded.length;
  }

  /** Reads on to the end of a number or literal, or of the slice. */
  private word(slice: Uint8Array, from: number): number {
    let at = from;
    while (at < slice.length && !endsWord(slice[at] as number)) at += 1;
    if (at === slice.length) this.keep(slice.subarray(from));
    else this.wordEnds(this.joined(slice.subarray(from, at)));
    return at;
  }

  private wordEnds(bytes: Uint8Array): void {
    this.parts = undefined;
    this.add(this.parsed(this.decoded(bytes)), this.wordStart);
  }

  private keep(bytes: Uint8Array): void {
    this.parts ??= [];
    this.parts.push(Uint8Array.from(bytes));
  }

  private joined(last: Uint8Array): Uint8Array {
    if (this.parts === undefined) return last;
    const all = Buffer.concat([...this.parts, last]);
    this.parts.forEach(freeBytes);
    this.parts = undefined;
    return all;
  }

  private decoded(bytes: Uint8Array): string {
    try {
      return this.decoder.decode(bytes);
    } catch {
      throw notJson('it is not UTF-8');
    }
  }

  /** Texts and objects do not reach it but as texts. */
  private parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.faultAt(this.wordStart);
    }
  }
}

/** The index at which the text begins after a byte order mark. */
const afterMark = (slice: Uint8Array): number => (slice[0] === 0xef && slice[1] === 0xbb && slice[2] === 0xbf ? 3 : 0);
