import type { ReportedOutput } from '../../../domain/index.js';

/** In bytes of one output. A longer one is skipped. The domain has a lower limit, in characters. */
const longestMember = 4 * 1024 * 1024;
/** In bytes of all outputs. */
const longestInAll = 16 * 1024 * 1024;
/** In levels of lists and objects: types and values are walked by recursion. */
const deepest = 512;
const longestName = 4096;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
// The brackets of lists differ from those of objects by this bit.
const bit = 0x20;
const opening = 0x7b;
const closing = 0x7d;

/** Bytes that are kept, up to a limit. */
class Kept {
  private parts: Uint8Array[] = [];
  private size = 0;

  constructor(private readonly most: number) {}

  add(part: Uint8Array): void {
    this.size += part.byteLength;
    // Chunks are lent: their memory may be used again.
    if (this.size <= this.most) this.parts.push(Uint8Array.from(part));
    else this.parts = [];
  }

  /** Undefined for what is too long, or not JSON. */
  json(): unknown {
    if (this.size > this.most) return undefined;
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(this.parts)));
    } catch {
      return undefined;
    }
  }

  get length(): number {
    return this.size;
  }
}

/**
 * Finds the outputs in a state of format 4 while it passes, byte by byte: the state itself may be too long to be held in
 * memory. It looks at `outputs` alone, which is a member of the outermost object; what is not of that form has none.
 */
export class OutputScanner {
  readonly found: ReportedOutput[] = [];
  private depth = 0;
  private inText = false;
  private escaped = false;
  /** In the outermost object, and in the outputs: whether the next text names a member. */
  private awaitsName = false;
  private name: Kept | undefined;
  private member: string | undefined;
  private inOutputs = false;
  private value: Kept | undefined;
  private tooDeep = false;
  private left = longestInAll;

  take(chunk: Uint8Array): void {
    // From here on the chunk belongs to the name, or to the value, that is being kept.
    let from = 0;
    const keep = (until: number) => {
      (this.name ?? this.value)?.add(chunk.subarray(from, until));
      from = until;
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.inText) {
        if (this.escaped) this.escaped = false;
        else if (byte === backslash) this.escaped = true;
        else if (byte === quote) {
          this.inText = false;
          if (this.name !== undefined) {
            keep(at + 1);
            this.member = String(this.name.json() ?? '');
            this.name = undefined;
            this.awaitsName = false;
          }
        }
      } else if (byte === quote) {
        this.inText = true;
        if (this.awaitsName) {
          from = at;
          this.name = new Kept(longestName);
        }
      } else if (byte === colon) {
        if (this.inOutputs && this.depth === 2 && this.value === undefined && this.member !== undefined) {
          from = at + 1;
          this.value = new Kept(Math.min(longestMember, this.left));
          this.tooDeep = false;
        }
      } else if ((byte | bit) === opening) {
        this.depth += 1;
        if (this.depth === 1) this.awaitsName = true;
        else if (this.depth === 2 && this.member === 'outputs' && !this.inOutputs) {
          this.inOutputs = true;
          this.member = undefined;
          this.awaitsName = true;
        } else if (this.depth > deepest) this.tooDeep = true;
      } else if ((byte | bit) === closing) {
        if (this.inOutputs && this.depth === 2) {
          keep(at);
          this.endValue();
          this.inOutputs = false;
        }
        this.depth -= 1;
      } else if (byte === comma) {
        if (this.inOutputs && this.depth === 2) {
          keep(at);
          this.endValue();
          this.awaitsName = true;
        } else if (this.depth === 1) {
          this.member = undefined;
          this.awaitsName = true;
        }
      }
    }
    keep(chunk.length);
  }

  private endValue(): void {
    const { value, member: name } = this;
    this.value = undefined;
    this.member = undefined;
    this.awaitsName = false;
    if (value === undefined || name === undefined) return;
    this.left = Math.max(0, this.left - value.length);
    const read = this.tooDeep ? undefined : value.json();
    if (typeof read !== 'object' || read === null) return;
    const { value: given = null, type = 'dynamic', sensitive } = read as Readonly<Record<string, unknown>>;
    this.found.push({ name, type, value: given, sensitive: sensitive === true });
  }
}

/** The outputs of a state, in the order in which it has them; none in bytes that are not a state. */
export async function outputsIn(bytes: AsyncIterable<Uint8Array>): Promise<readonly ReportedOutput[]> {
  const scanner = new OutputScanner();
  for await (const chunk of bytes) scanner.take(chunk);
  return scanner.found;
}
