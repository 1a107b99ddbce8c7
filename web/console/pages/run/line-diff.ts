/** A line of one side or of both. */
export interface DiffLine<Line> {
  readonly side: 'before' | 'after' | 'both';
  readonly line: Line;
}

interface Keyed {
  readonly key: string;
}

/** The cells of a table that is computed to find the longest common part; longer texts are shown as replaced. */
const maxCells = 1_000_000;

/** The lines of both texts in one list, in which those that both have come once. */
function lineDiff<Line extends Keyed>(before: readonly Line[], after: readonly Line[]): readonly DiffLine<Line>[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start]?.key === after[start]?.key) start += 1;
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before.at(-1 - end)?.key === after.at(-1 - end)?.key) end += 1;
  const both = (lines: readonly Line[]) => lines.map((line) => ({ side: 'both' as const, line }));
  return [
    ...both(after.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...both(after.slice(after.length - end)),
  ];
}

function middle<Line extends Keyed>(before: readonly Line[], after: readonly Line[]): readonly DiffLine<Line>[] {
  const removed = before.map((line) => ({ side: 'before' as const, line }));
  const added = after.map((line) => ({ side: 'after' as const, line }));
  if (before.length === 0 || after.length === 0 || before.length * after.length > maxCells) {
    return [...removed, ...added];
  }
  const common = commonLengths(before, after);
  const width = after.length + 1;
  const lines: DiffLine<Line>[] = [];
  let [from, to] = [0, 0];
  while (from < before.length || to < after.length) {
    const [left, right] = [removed[from], added[to]];
    if (left !== undefined && right !== undefined && left.line.key === right.line.key) {
      lines.push({ side: 'both', line: right.line });
      [from, to] = [from + 1, to + 1];
    } else if (
      left !== undefined &&
      (right === undefined || (common[(from + 1) * width + to] ?? 0) >= (common[from * width + to + 1] ?? 0))
    ) {
      lines.push(left);
      from += 1;
    } else if (right !== undefined) {
      lines.push(right);
      to += 1;
    }
  }
  return lines;
}

/** For each pair of positions, the number of lines that the rests have in common, row by row. */
function commonLengths(before: readonly Keyed[], after: readonly Keyed[]): Uint32Array {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let from = before.length - 1; from >= 0; from -= 1) {
    for (let to = after.length - 1; to >= 0; to -= 1) {
      const next = (from + 1) * width + to;
      common[from * width + to] =
        before[from]?.key === after[to]?.key
          ? (common[next + 1] ?? 0) + 1
          : Math.max(common[next] ?? 0, common[from * width + to + 1] ?? 0);
    }
  }
  return common;
}

/** Lines that both sides have, and that are left out. */
export interface Gap {
  readonly side: 'gap';
  readonly count: number;
}

/**
 * Leaves out what is further than `context` lines from a difference, but for the first line, which names the attribute.
 * A gap of one line is not worth a line that says so.
 */
function folded<Line>(lines: readonly DiffLine<Line>[], context = 3): readonly (DiffLine<Line> | Gap)[] {
  const near = new Set([0]);
  lines.forEach(({ side }, index) => {
    if (side === 'both') return;
    for (let at = index - context; at <= index + context; at += 1) near.add(at);
  });
  const shown: (DiffLine<Line> | Gap)[] = [];
  let hidden: DiffLine<Line>[] = [];
  const close = (): void => {
    if (hidden.length > 1) shown.push({ side: 'gap', count: hidden.length });
    else shown.push(...hidden);
    hidden = [];
  };
  lines.forEach((line, index) => {
    if (!near.has(index)) {
      hidden.push(line);
      return;
    }
    close();
    shown.push(line);
  });
  close();
  return shown;
}

export interface Diff<Line> {
  readonly lines: readonly (DiffLine<Line> | Gap)[];
  /** The number of texts that are the same on both sides, which have no lines. */
  readonly unchanged: number;
}

/** The texts that differ, each as a unified diff. */
export function diffOf<Line extends Keyed>(
  texts: readonly (readonly [before: readonly Line[], after: readonly Line[]])[],
): Diff<Line> {
  const diffs = texts
    .filter(([before, after]) => before.length + after.length > 0)
    .map(([before, after]) => lineDiff(before, after));
  const changed = diffs.filter((lines) => lines.some(({ side }) => side !== 'both'));
  return { lines: changed.flatMap((lines) => folded(lines)), unchanged: diffs.length - changed.length };
}
