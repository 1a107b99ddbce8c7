import type { WorkspaceVariable } from './job.js';

/** Shorter ones would be found in ordinary text. */
const shortest = 4;
const mask = '***';

interface Found {
  readonly start: number;
  readonly end: number;
}

/** Replaces the values of sensitive variables, wherever they turn up. */
export class Secrets {
  private readonly texts: readonly string[];

  constructor(variables: readonly WorkspaceVariable[]) {
    const forms = variables.filter(({ sensitive }) => sensitive).flatMap(formsOf);
    // The longest first: one may begin with another.
    this.texts = [...new Set(forms)]
      .filter(({ length }) => length >= shortest)
      .sort((one, other) => other.length - one.length);
  }

  masked(text: string): string {
    let masked = '';
    let from = 0;
    for (const { start, end } of this.foundIn(text)) {
      masked += text.slice(from, start) + mask;
      from = end;
    }
    return masked + text.slice(from);
  }

  /** The same in every text of a value, however deep. A number that is one becomes 0. */
  maskedIn(value: unknown): unknown {
    if (typeof value === 'string') return this.masked(value);
    if (typeof value === 'number') return this.texts.includes(String(value)) ? 0 : value;
    if (Array.isArray(value)) return value.map((item) => this.maskedIn(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.masked(name), this.maskedIn(member)]),
    );
  }

  /** Up to where `text` can be masked, whatever follows it: its end may be the beginning of a value. */
  settled(text: string): number {
    let end = text.length;
    for (const secret of this.texts) {
      for (let length = Math.min(secret.length - 1, text.length); text.length - length < end; length -= 1) {
        if (text.endsWith(secret.slice(0, length))) end = text.length - length;
      }
    }
    return this.foundIn(text).find((found) => found.start < end && found.end > end)?.start ?? end;
  }

  /** From the beginning on, none over another. */
  private foundIn(text: string): readonly Found[] {
    const found: Found[] = [];
    // Where each turns up next, so that a text is searched once for each.
    const next = new Map(this.texts.map((secret) => [secret, text.indexOf(secret)]));
    for (let from = 0; ; ) {
      let first: Found | undefined;
      for (const [secret, known] of next) {
        const start = known >= 0 && known < from ? text.indexOf(secret, from) : known;
        next.set(secret, start);
        if (start >= 0 && start < (first?.start ?? text.length)) first = { start, end: start + secret.length };
      }
      if (first === undefined) return found;
      found.push(first);
      from = first.end;
    }
  }
}

/** A value as it is, as programs quote it, and line by line, since text of several lines is printed with indents. */
function formsOf({ value, hcl }: WorkspaceVariable): readonly string[] {
  const quoted = JSON.stringify(value).slice(1, -1);
  const lines = value.includes('\n') ? value.split('\n').map((line) => line.trim()) : [];
  // Of a literal, what is in its quotation marks is what gets printed.
  const inside = hcl ? [...value.matchAll(/\\.|"((?:[^"\\]|\\.)*)"?/gs)].map(([, text = '']) => text) : [];
  return [value, quoted, ...lines, ...inside];
}
