import type { AccessReportParts, AccessReportRow } from '../../../application/index.js';

/** `then`, by another name: linters take an object with such a member for a promise. */
const ofFallback = 'then';

/** The cells of a row by name, in the order of the columns. */
const cellsOf = ({ person, team, place, level, rights, since, until, fallback }: AccessReportRow) => ({
  person: person.name,
  'person-id': person.userId,
  invited: person.invited,
  team: team?.name ?? null,
  'team-id': team?.teamId ?? null,
  on: place.kind,
  place: place.name,
  'place-id': place.id,
  level,
  rights,
  since,
  until,
  [ofFallback]: fallback,
});

type Cells = ReturnType<typeof cellsOf>;

const columns: readonly (keyof Cells)[] = [
  'person',
  'person-id',
  'invited',
  'team',
  'team-id',
  'on',
  'place',
  'place-id',
  'level',
  'rights',
  'since',
  'until',
  'then',
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
  row(cells: Cells): string;
  /** No row of a person begins so: a name has no space. */
  last(count: number, at: string): string;
}

const asText = (value: Cells[keyof Cells]): string => {
  if (value === null) return '';
  return typeof value === 'object' ? value.join('; ') : String(value);
};

/** The formats of a report, by the value of `format`. */
export const reportFormats = {
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    head: csvLine(columns),
    row: (cells) => csvLine(columns.map((name) => asText(cells[name]))),
    last: (count, at) => csvLine(['rows in all', String(count), at, ...Array(columns.length - 3).fill('')]),
  },
  lines: {
    mediaType: 'application/x-ndjson',
    head: '',
    row: jsonLine,
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
    yield text + rows.map((one) => row(cellsOf(one))).join('');
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
