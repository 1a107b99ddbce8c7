import type { Segment } from './ansi.ts';

export type LogLine = readonly Segment[];

/** Puts the pieces of a log together as lines. A line that is not the last one never changes. */
export class LogLines {
  private readonly lines: LogLine[] = [];

  /** Whether what comes next begins a line. */
  private isEnded = true;

  add(segments: readonly Segment[]): void {
    for (const { text, classes } of segments) {
      text.split('\n').forEach((part, index) => {
        if (index > 0) this.end();
        if (part !== '') this.write({ text: part, classes });
      });
    }
  }

  private write(segment: Segment): void {
    this.lines.push(this.isEnded ? [segment] : [...(this.lines.pop() ?? []), segment]);
    this.isEnded = false;
  }

  private end(): void {
    if (this.isEnded) this.lines.push([]);
    this.isEnded = true;
  }

  all(): readonly LogLine[] {
    return [...this.lines];
  }
}

export const textOf = (line: LogLine): string => line.map(({ text }) => text).join('');

export interface Match {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/** The lines that contain the text, in any case. */
export function matchesIn(lines: readonly LogLine[], sought: string): readonly Match[] {
  const lower = sought.toLowerCase();
  return lines.flatMap((line, index) => {
    const text = textOf(line);
    return text.toLowerCase().includes(lower) ? [{ number: index + 1, text }] : [];
  });
}

/** The parts of a text, of which every second one is the sought text. */
export function partsOf(text: string, sought: string): readonly string[] {
  const lower = text.toLowerCase();
  // A few letters have another length in lower case, and then the places differ.
  if (sought === '' || lower.length !== text.length) return [text];
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const at = lower.indexOf(sought.toLowerCase(), from);
    if (at === -1) return [...parts, text.slice(from)];
    parts.push(text.slice(from, at), text.slice(at, at + sought.length));
    from = at + sought.length;
  }
}
