import type { AccessReportParts, AccessReportRow } from '../../../application/index.js';
import { linesType } from '../routing/route.js';

type Cell = string | boolean | readonly string[] | null;

const columns: readonly (readonly [name: string, cell: (row: AccessReportRow) => Cell])[] = [
  ['person', ({ person }) => person.name],
  ['person-id', ({ person }) => person.userId],
  ['invited', ({ person }) => person.invited],
  ['team', ({ team }) => team?.name ?? null],
  ['team-id', ({ team }) => team?.teamId ?? null],
  ['on', ({ place }) => place.kind],
  ['place', ({ place }) => place.name],
  ['place-id', ({ place }) => place.id],
  ['level', ({ level }) => level],
  ['rights', ({ rights }) => rights],
  ['since', ({ since }) => since],
  ['until', ({ until }) => until],
  ['then', ({ fallback }) => fallback],
];

/** Spreadsheets take a cell that begins so for a formula; they take an apostrophe before it for a sign of text. */
const formula = /^[=+\-@\t\r]/;

function csvCell(value: string): string {
  const text = formula.test(value) ? `'${value}` : value;
  return text === value && !/[",\r\n]/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

const jsonLine = (value: object): string => `${JSON.stringify(value)}\n`;

interface Format {
  readonly mediaType: string;
  readonly head: string;
  row(row: AccessReportRow): string;
  /** No row of a person begins so: a name has no space. */
  last(count: number, at: string): string;
}

const asText = (value: Cell): string => {
  if (value === null) return '';
  return typeof value === 'object' ? value.join('; ') : String(value);
};

/** The formats of a report, by the value of `format`. */
export const reportFormats = {
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    head: csvLine(columns.map(([name]) => name)),
    row: (row) => csvLine(columns.map(([, cell]) => asText(cell(row)))),
    last: (count, at) => csvLine(['rows in all', String(count), at, ...Array(columns.length - 3).fill('')]),
  },
  lines: {
    mediaType: linesType,
    head: '',
    row: (row) => jsonLine(Object.fromEntries(columns.map(([name, cell]) => [name, cell(row)]))),
    last: (count, at) => jsonLine({ rows: count, at }),
  },
} as const satisfies Record<string, Format>;

export type ReportFormat = keyof typeof reportFormats;

/** A check takes two statements: as long as reading some hundred rows. */
const rowsBetweenChecks = 1_000;

async function* textOf(
  { head, row, last }: Format,
  parts: AccessReportParts,
  check: () => Promise<void>,
): AsyncGenerator<string, undefined> {
  let [count, checked, moment] = [0, 0, ''];
  let text = head;
  for await (const { at, rows } of parts) {
    moment = at;
    count += rows.length;
    yield text + rows.map(row).join('');
    text = '';
    if (count < checked + rowsBetweenChecks) continue;
    checked = count;
    await check();
  }
  yield last(count, moment);
}

/**
 * The text of a report, whose last line counts the rows: without it, the report was cut off. `check` is called after each
 * thousand rows, and ends the report if it rejects. `return` ends it even before its first part.
 */
export function reportText(
  format: ReportFormat,
  parts: AccessReportParts,
  check: () => Promise<void>,
): Required<AsyncIterableIterator<string, undefined>> {
  const text = textOf(reportFormats[format], parts, check);
  const stop = async () => {
    await parts.return();
    return text.return(undefined);
  };
  const iterator: Required<AsyncIterableIterator<string, undefined>> = {
    next: () => text.next(),
    return: stop,
    throw: stop,
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
