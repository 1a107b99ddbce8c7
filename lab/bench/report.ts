import { type Finding, meets } from './finding.js';

export interface GroupReport {
  readonly name: string;
  readonly title: string;
  readonly seconds: number;
  /** Why the rest of it is missing. */
  readonly broken?: string;
  readonly findings: readonly Finding[];
}

/** The conditions of the measurements, by label. */
export type Machine = Readonly<Record<string, string>>;

export interface Report {
  readonly machine: Machine;
  readonly groups: readonly GroupReport[];
}

const digitsOf = (value: number): number => {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return 0;
  return Math.abs(value) >= 10 ? 1 : 2;
};

const numeral = (value: number): string =>
  value.toLocaleString('en', { minimumFractionDigits: digitsOf(value), maximumFractionDigits: digitsOf(value) });

const withUnit = (value: number, unit: Finding['unit']): string =>
  unit === '×' ? `${value.toFixed(2)} ×` : `${numeral(value)} ${unit}`;

const targetOf = ({ target, unit }: Finding): string => {
  if (target === undefined) return '';
  return 'atLeast' in target ? `≥ ${withUnit(target.atLeast, unit)}` : `≤ ${withUnit(target.atMost, unit)}`;
};

const verdictOf = (finding: Finding): string => {
  if (finding.target === undefined) return '';
  return meets(finding) ? 'yes' : 'no';
};

const headings = ['', 'measured', 'between', 'target', 'met'] as const;

const cellsOf = (finding: Finding): readonly string[] => {
  const { name, measured, spread, unit } = finding;
  const [lowest, highest] = spread.map((value) => (unit === '×' ? value.toFixed(2) : numeral(value)));
  return [
    name,
    withUnit(measured, unit),
    lowest === highest ? '' : `${lowest}–${highest}`,
    targetOf(finding),
    verdictOf(finding),
  ];
};

/** One finding as a line for a terminal. */
export const line = (finding: Finding): string => {
  const [name = '', measured = '', spread, target, verdict] = cellsOf(finding);
  const between = spread ? ` (${spread})` : '';
  const said = target ? `, ${target}: ${verdict === 'yes' ? 'met' : 'NOT MET'}` : '';
  return `${name}: ${measured}${between}${said}${finding.note === undefined ? '' : `\n    ${finding.note}`}`;
};

const padded = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
};

/** The whole report for a terminal. */
export function textOf({ machine, groups }: Report): string {
  const rows = [headings, ...groups.flatMap(({ findings }) => findings.map(cellsOf))];
  const labels = Object.entries(machine).map(([label, value]) => `${label}: ${value}`);
  const times = groups.map(({ name, seconds }) => `${name} ${Math.round(seconds)} s`).join(', ');
  return [...padded(rows), '', ...labels, `took: ${times}`].join('\n');
}

const escaped = (text: string): string => text.replaceAll('|', '\\|');

/** Each kind of case as one finding: the worst of them, between the best and the worst. `pattern` captures the kind. */
function worstCases(findings: readonly Finding[], pattern: RegExp, cases: string): readonly Finding[] {
  const kinds = Map.groupBy(findings, ({ name }) => pattern.exec(name)?.slice(1).join(', ') ?? '');
  return [...kinds].flatMap(([kind, ofKind]) => {
    const [first] = ofKind;
    if (kind === '' || first === undefined) return [];
    const measured = ofKind.map((finding) => finding.measured);
    const met = ofKind.filter(meets).length;
    const worst = Math.max(...measured);
    const name = `${kind}: worst of ${ofKind.length} ${cases}, ${met} within the target`;
    return [{ ...first, name, measured: worst, spread: [Math.min(...measured), worst] }];
  });
}

const worstRequests = (findings: readonly Finding[]): readonly Finding[] =>
  worstCases(findings, /^(SQLite|Postgres): .*, (p50 alone|p50|p99)$/, 'requests');

const tailOfWrites = /, (SQLite|Postgres), .*(p99 of p50)$/;

/** Groups with more findings than a page can show. */
const condensed: Readonly<Record<string, (findings: readonly Finding[]) => readonly Finding[]>> = {
  growth: worstRequests,
  organization: worstRequests,
  writes: (findings) => [
    ...findings.filter(({ name, target }) => target !== undefined && !tailOfWrites.test(name)),
    ...worstCases(findings, tailOfWrites, 'loads'),
  ],
};

/** The findings on the page and its chart: ratios, memory and startup. The JSON of a run has all of them. */
export function headlines({ machine, groups }: Report): Report {
  const shown = groups.filter(({ name }) => name !== 'layers' && name !== 'processes');
  return {
    machine,
    groups: shown.map((group) => ({ ...group, findings: condensed[group.name]?.(group.findings) ?? group.findings })),
  };
}

/** The table and the machine, for `docs/performance.md`. A figure that misses its target is bold. */
export function markdownOf({ machine, groups }: Report): string {
  const rows = groups.flatMap(({ title, findings, broken }) => [
    `| **${escaped(title)}** | | | |`,
    ...(broken === undefined ? [] : [`| **Incomplete:** ${escaped(broken)} | | | |`]),
    ...findings.map((finding) => {
      const [name = '', measured = '', spread = '', target = '', verdict] = cellsOf(finding).map(escaped);
      return `| ${[name, verdict === 'no' ? `**${measured}**` : measured, spread, target].join(' | ')} |`;
    }),
  ]);
  const labels = Object.entries(machine).map(([label, value]) => `${label}: ${value}`);
  return ['| | Measured | Range | Target |', '|---|--:|--:|--:|', ...rows, '', `${labels.join('; ')}.`].join('\n');
}

const markers = ['<!-- bench: begin -->', '<!-- bench: end -->'] as const;

/** The page with the report between its markers. Throws if the markers are missing. */
export function inserted(page: string, report: Report): string {
  const [begin, end] = markers.map((marker) => page.indexOf(marker)) as [number, number];
  if (begin < 0 || end < begin) throw new Error(`the page has no ${markers.join(' … ')}`);
  return `${page.slice(0, begin + markers[0].length)}\n\n${markdownOf(report)}\n\n${page.slice(end)}`;
}
