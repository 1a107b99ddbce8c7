import type { WorkspaceVariable } from './job.js';
import { formsOf, formsOfLines } from './secret-forms.js';
import { TextAutomaton } from './text-automaton.js';

const mask = '***';

/** Replaces secrets wherever they turn up, in the forms that are known: values of sensitive variables, and `own` ones. */
export class Secrets {
  private readonly forms: ReadonlySet<string>;
  private readonly automaton: TextAutomaton;

  constructor(variables: readonly WorkspaceVariable[], own: readonly string[] = []) {
    const values = variables
      .filter(({ sensitive }) => sensitive)
      .flatMap(({ value, hcl }) => [value, ...(hcl ? literalsIn(value) : [])]);
    this.forms = new Set([...values, ...own].flatMap((value) => [...formsOf(value), ...formsOfLines(value)]));
    this.automaton = new TextAutomaton(this.forms);
  }

  masked(text: string): string {
    const masking = new Masking(this.automaton);
    return masking.write(text) + masking.end();
  }

  /** For a text that comes in parts. */
  masking(): Masking {
    return new Masking(this.automaton);
  }

  /** The same in every text of a value, however deep. A number that is one becomes 0. */
  maskedIn(value: unknown): unknown {
    if (typeof value === 'string') return this.masked(value);
    if (typeof value === 'number') return this.forms.has(String(value)) ? 0 : value;
    if (Array.isArray(value)) return value.map((item) => this.maskedIn(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.masked(name), this.maskedIn(member)]),
    );
  }
}

/** What is in the quotation marks of a literal, as it stands there and as the text that it means: one of them gets printed. */
const literalsIn = (literal: string): readonly string[] =>
  [...literal.matchAll(/\\.|"((?:[^"\\]|\\.)*)"?/gs)].flatMap(([, text = '']) => [text, meant(text)]);

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
  /** Whether its mask was returned already. */
  shown: boolean;
}

/**
 * Masks a text that comes in parts. Every character that is part of a secret is hidden, and characters that overlapping
 * secrets hide are one mask, so that where the text is cut makes no difference. The work is in proportion to the text,
 * and what is held back is shorter than the longest form of a secret.
 */
export class Masking {
  private node = 0;
  /** The end of the text so far, of which a secret may be the continuation, and where it begins. */
  private held = '';
  private heldFrom = 0;
  /** What is hidden of the held text, in order; none overlaps another. */
  private hidden: Hidden[] = [];

  constructor(private readonly automaton: TextAutomaton) {}

  /** Returns what is certain: no continuation of the text changes it. */
  write(part: string): string {
    const { automaton } = this;
    const from = this.heldFrom + this.held.length;
    for (let at = 0; at < part.length; at += 1) {
      this.node = automaton.next(this.node, part.charCodeAt(at));
      const length = automaton.foundAt(this.node);
      if (length > 0) this.hide(from + at + 1 - length, from + at + 1);
    }
    this.held += part;
    return this.shownUpTo(from + part.length - automaton.depthOf(this.node));
  }

  /** Returns the rest. */
  end(): string {
    this.node = 0;
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
