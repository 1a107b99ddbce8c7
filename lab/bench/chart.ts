import { type Finding, meets } from './finding.js';
import type { Report } from './report.js';

const bars = 480;
const values = 90;
/** The approximate width of a letter in labels. */
const letter = 6.8;
const row = 24;
const head = 56;
const bar = 12;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const targetOf = ({ target }: Finding): number | undefined =>
  target && ('atLeast' in target ? target.atLeast : target.atMost);

/** Longer bars are cut: the number next to them gives the value. */
const longest = 2;

/** Ratios as bars from 0, each with its spread and its target, one line for each group and finding. The p99 is in the tables. */
export function chartOf({ groups, machine }: Report): string {
  const charted = groups
    .map((group) => ({
      ...group,
      findings: group.findings.filter(({ unit, name }) => unit === '×' && !name.endsWith(', p99')),
    }))
    .filter(({ findings }) => findings.length > 0);
  const all = charted.flatMap(({ findings }) => findings);
  const needed = Math.max(1, ...all.flatMap((finding) => [finding.spread[1], targetOf(finding) ?? 0]));
  const max = Math.min(longest, Math.ceil(needed * 5) / 5);
  const labels = Math.ceil(Math.max(0, ...all.map(({ name }) => name.length)) * letter) + 16;
  const width = labels + bars + values;
  const at = (value: number): number => labels + (Math.min(Math.max(value, 0), max) / max) * bars;
  const height = head + row * (charted.length + all.length) + 40;
  const parts: string[] = [];
  for (let tick = 0; tick <= max + 1e-9; tick += 0.2) {
    const x = at(tick).toFixed(1);
    const kind = Math.abs(tick - 1) < 1e-9 ? 'one' : 'tick';
    parts.push(`<line class="${kind}" x1="${x}" y1="${head - 8}" x2="${x}" y2="${height - 32}"/>`);
    parts.push(`<text class="axis" x="${x}" y="${head - 14}" text-anchor="middle">${tick.toFixed(1)}</text>`);
  }
  let top = head;
  for (const { title, findings } of charted) {
    parts.push(`<text class="group" x="8" y="${top + 16}">${escaped(title)}</text>`);
    top += row;
    for (const finding of findings) {
      parts.push(...barOf(finding, top, at));
      top += row;
    }
  }
  const told = [machine.processor, machine.cores, machine.date].filter((words) => words !== undefined).join(', ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">
<title id="title">Gatehouse measured against its baselines</title>
<desc id="desc">${escaped(all.map((finding) => `${finding.name}: ${finding.measured.toFixed(2)}`).join('; '))}</desc>
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.group { font-weight: 600 } .axis, .foot { font-size: 11px; fill: #57606a }
.tick { stroke: #d0d7de } .one { stroke: #57606a }
.met { fill: #2da44e } .missed { fill: #cf222e } .plain { fill: #6e7781 }
.spread { stroke: #24292f } .target { stroke: #0969da; stroke-width: 3 }
</style>
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text class="group" x="8" y="20">Ratios: bar is the median of the rounds, thin line their spread, blue mark the target</text>
${parts.join('\n')}
<text class="foot" x="8" y="${height - 12}">${escaped(told)}</text>
</svg>
`;
}

function barOf(finding: Finding, top: number, at: (value: number) => number): readonly string[] {
  const target = targetOf(finding);
  const kind = target === undefined ? 'plain' : meets(finding) ? 'met' : 'missed';
  const left = at(0);
  const [lowest, highest] = finding.spread.map((value) => at(value).toFixed(1));
  const y = top + (row - bar) / 2;
  const middle = top + row / 2;
  const mark = target === undefined ? undefined : at(target).toFixed(1);
  return [
    `<text x="${left - 8}" y="${top + 16}" text-anchor="end">${escaped(finding.name)}</text>`,
    `<rect class="${kind}" x="${left}" y="${y}" width="${(at(finding.measured) - left).toFixed(1)}" height="${bar}"/>`,
    `<line class="spread" x1="${lowest}" y1="${middle}" x2="${highest}" y2="${middle}"/>`,
    ...(mark === undefined
      ? []
      : [`<line class="target" x1="${mark}" y1="${top + 2}" x2="${mark}" y2="${top + row - 2}"/>`]),
    `<text x="${left + bars + 12}" y="${top + 16}">${finding.measured.toFixed(2)} ×</text>`,
  ];
}
