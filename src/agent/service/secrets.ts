import type { WorkspaceVariable } from './job.js';
import { Pace } from './pace.js';
import { Pieces, pieceLength, RollingHash } from './pieces.js';
import { formsOf, formsOfLines } from './secret-forms.js';
import { TextAutomaton } from './text-automaton.js';

const mask = '***';

/** Replaces secrets in any of their known forms: the values of sensitive variables, and the agent's `own` secrets. */
export class Secrets {
  /** The work is divided by `pace`: all variables of a workspace together take seconds. */
  static async of(
    variables: readonly WorkspaceVariable[],
    own: readonly string[] = [],
    pace = new Pace(),
  ): Promise<Secrets> {
    const patterns = new Set<string>();
    const pieces = new Pieces();
    for (const value of valuesOf(variables, own)) {
      for (const form of allFormsOf(value)) {
        patterns.add(form.length > pieceLength ? beginningOf(form) : form);
        if (form.length > pieceLength) await pieces.add(form, pace);
        else if (pace.isDue(form.length)) await pace.rest();
      }
    }
    return new Secrets(await TextAutomaton.of(patterns, pace), pieces);
  }

  private constructor(
    private readonly automaton: TextAutomaton,
    private readonly pieces: Pieces,
  ) {}

  masked(text: string): string {
    const masking = this.masking();
    return masking.write(text) + masking.end();
  }

  /** Masks a text that arrives in parts. */
  masking(): Masking {
    return new Masking(this.automaton, this.pieces);
  }

  /** Masks every string inside a value. A number that is a secret becomes 0. */
  maskedIn(value: unknown): unknown {
    if (typeof value === 'string') return this.masked(value);
    if (typeof value === 'number') return this.has(String(value)) ? 0 : value;
    if (Array.isArray(value)) return value.map((item) => this.maskedIn(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.masked(name), this.maskedIn(member)]),
    );
  }

  private has(text: string): boolean {
    let node = 0;
    for (let at = 0; at < text.length; at += 1) node = this.automaton.next(node, text.charCodeAt(at));
    return this.automaton.foundAt(node) === text.length;
  }
}

function* valuesOf(variables: readonly WorkspaceVariable[], own: readonly string[]): Generator<string> {
  yield* own;
  for (const { sensitive, value, hcl } of variables) {
    if (!sensitive) continue;
    yield value;
    if (hcl) yield* literalsIn(value);
  }
}

/** Most forms equal the value itself. */
function* allFormsOf(value: string): Generator<string> {
  const seen = new Set<string>();
  for (const forms of [formsOf(value), formsOfLines(value)]) {
    for (const form of forms) {
      if (seen.has(form)) continue;
      seen.add(form);
      yield form;
    }
  }
}

/** A copy: a slice would keep the whole text in memory. */
const beginningOf = (text: string): string => Buffer.from(text.slice(0, pieceLength), 'utf16le').toString('utf16le');

/** The quoted strings of an expression, both as written and unescaped: programs print one of them. */
function* literalsIn(literal: string): Generator<string> {
  for (const [, text = ''] of literal.matchAll(/\\.|"((?:[^"\\]|\\.)*)"?/gs)) {
    yield text;
    yield meant(text);
  }
}

function meant(literal: string): string {
  try {
    return JSON.parse(`"${literal.replace(/([$%])\1\{/g, '$1{')}"`);
  } catch {
    return literal;
  }
}

interface Hidden {
  readonly start: number;
  readonly end: number;
  /** Whether its mask was already returned. */
  shown: boolean;
}

/**
 * Masks a text that arrives in parts. Every character that is part of a secret is hidden, and overlapping secrets are
 * hidden by one mask, so that the division into parts makes no difference. The first piece of a long form is hidden
 * wherever it is found, and each further piece that begins in its hidden text. The work is in proportion to the text,
 * and at most one piece of it is held back.
 */
export class Masking {
  private node = 0;
  private readonly hash = new RollingHash();
  /** The end of the last piece of a long form. */
  private pieceEnd = Number.NEGATIVE_INFINITY;
  /** The end of the text so far, which may be the beginning of a secret, and its offset. */
  private held = '';
  private heldFrom = 0;
  /** The hidden ranges of the held text, in order, without overlaps. */
  private hidden: Hidden[] = [];

  constructor(
    private readonly automaton: TextAutomaton,
    private readonly pieces: Pieces,
  ) {}

  /** Returns the text that no continuation can change. */
  write(part: string): string {
    const { automaton, pieces, hash } = this;
    const long = !pieces.isEmpty;
    const from = this.heldFrom + this.held.length;
    for (let at = 0; at < part.length; at += 1) {
      const unit = part.charCodeAt(at);
      const end = from + at + 1;
      this.node = automaton.next(this.node, unit);
      const length = automaton.foundAt(this.node);
      if (length > 0) this.hide(end - length, end);
      if (!long) continue;
      hash.push(unit);
      if (length === pieceLength) this.pieceEnd = end;
      else if (end - pieceLength < this.pieceEnd && pieces.has(hash)) {
        this.hide(end - pieceLength, end);
        this.pieceEnd = end;
      }
    }
    this.held += part;
    const end = from + part.length;
    const certain = end - automaton.depthOf(this.node);
    // The last unit of a piece is held back as well: a further piece shares it and extends its mask.
    const mayGoOn = end < this.pieceEnd + pieceLength - 1;
    return this.shownUpTo(mayGoOn ? Math.min(certain, this.pieceEnd - 1) : certain);
  }

  /** Returns the rest. */
  end(): string {
    this.node = 0;
    this.pieceEnd = Number.NEGATIVE_INFINITY;
    return this.shownUpTo(this.heldFrom + this.held.length);
  }

  private hide(from: number, end: number): void {
    let start = from;
    let shown = false;
    for (let last = this.hidden.at(-1); last !== undefined && last.end > start; last = this.hidden.at(-1)) {
      start = Math.min(start, last.start);
      shown ||= last.shown;
      this.hidden.pop();
    }
    this.hidden.push({ start, end, shown });
  }

  private shownUpTo(end: number): string {
    if (end === this.heldFrom) return '';
    const parts: string[] = [];
    let from = this.heldFrom;
    let past = 0;
    for (let one = this.hidden[0]; one !== undefined && one.start < end; one = this.hidden[past]) {
      if (one.start > from) parts.push(this.slice(from, one.start));
      if (!one.shown) parts.push(mask);
      from = Math.min(one.end, end);
      one.shown = true;
      if (one.end > end) break;
      past += 1;
    }
    parts.push(this.slice(from, end));
    this.hidden.splice(0, past);
    this.held = this.slice(end);
    this.heldFrom = end;
    return parts.join('');
  }

  private slice(from: number, end = Number.POSITIVE_INFINITY): string {
    return this.held.slice(from - this.heldFrom, end - this.heldFrom);
  }
}
