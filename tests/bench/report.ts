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
    lowest === highest ? '' : `${lowest} – ${highest}`,
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

const growthCase = /^(SQLite|Postgres): .*, (p50|p99)$/;

/** The cases of each engine and percentile as one finding: the worst of them, between the best and the worst. */
function worstCases(findings: readonly Finding[]): readonly Finding[] {
  const kinds = Map.groupBy(findings, ({ name }) => growthCase.exec(name)?.slice(1).join(', ') ?? '');
  return [...kinds].flatMap(([kind, cases]) => {
    const [first] = cases;
    if (kind === '' || first === undefined) return [];
    const measured = cases.map((finding) => finding.measured);
    const met = cases.filter(meets).length;
    const worst = Math.max(...measured);
    const name = `${kind}: worst of ${cases.length} requests, ${met} within the target`;
    return [{ ...first, name, measured: worst, spread: [Math.min(...measured), worst] }];
  });
}

/** The findings on the page and its chart: ratios, memory and startup. The JSON of a run has all of them. */
export function headlines({ machine, groups }: Report): Report {
  const shown = groups.filter(({ name }) => name !== 'layers' && name !== 'processes');
  return {
    machine,
    groups: shown.map((group) =>
      group.name === 'growth' ? { ...group, findings: worstCases(group.findings) } : group,
    ),
  };
}

/** The table and the machine, for `docs/performance.md`. */
export function markdownOf({ machine, groups }: Report): string {
  const rows = groups.flatMap(({ title, findings, broken }) => [
    `| **${escaped(title)}** | | | | |`,
    ...(broken === undefined ? [] : [`| **Incomplete:** ${escaped(broken)} | | | | |`]),
    ...findings.map((finding) => `| ${cellsOf(finding).map(escaped).join(' | ')} |`),
  ]);
  const labels = Object.entries(machine).map(([label, value]) => `${label}: ${value}`);
  return ['| | Measured | Range | Target | Met |', '|---|--:|--:|--:|---|', ...rows, '', `${labels.join('; ')}.`].join(
    '\n',
  );
}

const markers = ['<!-- bench: begin -->', '<!-- bench: end -->'] as const;

/** The page with the report between its markers. Throws if the markers are missing. */
export function inserted(page: string, report: Report): string {
  const [begin, end] = markers.map((marker) => page.indexOf(marker)) as [number, number];
  if (begin < 0 || end < begin) throw new Error(`the page has no ${markers.join(' … ')}`);
  return `${page.slice(0, begin + markers[0].length)}\n\n${markdownOf(report)}\n\n${page.slice(end)}`;
}
