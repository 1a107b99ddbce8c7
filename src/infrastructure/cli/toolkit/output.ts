/** A destination of text. As in Node, `isTTY` is undefined unless it is a terminal. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** Removes control characters: a terminal acts on them, and names and errors may come from others. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?');

/** Text columns are left-aligned, numbers right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const shown = rows.map((row) => row.map((cell) => printable(cell === null ? '-' : String(cell))));
  const widths = head.map((title, column) => Math.max(title.length, ...shown.map((row) => row[column]?.length ?? 0)));
  const numeric = head.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return numeric[column] ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [line(head.map((title) => title.toUpperCase())), ...shown.map(line)].join('\n');
}

/** One item, with a line for each property. */
export const card = (properties: Readonly<Record<string, string | number | boolean | null>>): string => {
  const width = Math.max(...Object.keys(properties).map(({ length }) => length));
  return Object.entries(properties)
    .map(([name, value]) => `${name.padEnd(width)}  ${value === null ? '-' : printable(String(value))}`)
    .join('\n');
};

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** In powers of 1000, with three or four digits. */
export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit += 1) value /= 1000;
  const decimals = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(decimals)} ${units[unit]}`;
}

export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${count} ${count === 1 ? thing : things}`;

export const fillsSentence = (fills: readonly string[]): string =>
  `rows from before the migration are filled while the service runs: ${fills.join(', ')}`;

/** A table of items, followed by their number. */
export const listing = (head: readonly string[], rows: Parameters<typeof table>[1], thing: string): string =>
  `${table(head, rows)}\n\n${counted(rows.length, thing)}`;

/** The interval between updates, in milliseconds. */
const updateInterval = 100;

/** A progress line for long work, written to a terminal only. */
export class Progress {
  private shownAt = 0;
  private shown = '';

  constructor(private readonly out: Output) {}

  print(text: string): void {
    if (this.out.isTTY !== true || performance.now() < this.shownAt + updateInterval) return;
    this.shownAt = performance.now();
    this.out.write(`\r${text.padEnd(this.shown.length)}`);
    this.shown = text;
  }

  /** Clears the line. */
  end(): void {
    if (this.shown !== '') this.out.write(`\r${' '.repeat(this.shown.length)}\r`);
    this.shown = '';
  }
}
