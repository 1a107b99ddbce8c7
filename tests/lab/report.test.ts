import { describe, expect, it } from '@jest/globals';
import { chartOf } from '../../lab/bench/chart.js';
import { type Finding, meets } from '../../lab/bench/finding.js';
import { headlines, inserted, line, markdownOf, type Report, textOf } from '../../lab/bench/report.js';

const ratio = (given: Partial<Finding> = {}): Finding => ({
  name: 'GET a thing, of bare',
  unit: '×',
  measured: 0.5,
  spread: [0.45, 0.62],
  target: { atLeast: 0.4 },
  ...given,
});

const reportOf = (...findings: readonly Finding[]): Report => ({
  machine: { processor: 'Some & Co <fast>', cores: '2 cores', date: '2030-01-31 09:00' },
  groups: [{ name: 'reads', title: 'Reads at saturation', seconds: 12.3, findings }],
});

describe('a target', () => {
  it.each([
    [ratio({ measured: 0.4 }), true],
    [ratio({ measured: 0.399 }), false],
    [ratio({ measured: 1.5, target: { atMost: 1.5 } }), true],
    [ratio({ measured: 1.51, target: { atMost: 1.5 } }), false],
  ])('is met at it and beyond it only', (finding, met) => {
    expect(meets(finding)).toBe(met);
  });
});

describe('the table', () => {
  it('has a line for each finding, in columns', () => {
    const memory: Finding = { name: 'peak', unit: 'MiB', measured: 1234.5, spread: [1234.5, 1234.5] };
    const [head, first, second, empty, ...rest] = textOf(reportOf(ratio({ measured: 0.3 }), memory)).split('\n');
    expect(head).toBe('                       measured    between    target  met');
    expect(first).toBe('GET a thing, of bare     0.30 ×  0.45–0.62  ≥ 0.40 ×   no');
    expect(second).toBe('peak                  1,235 MiB');
    expect(empty).toBe('');
    expect(rest).toEqual([
      'processor: Some & Co <fast>',
      'cores: 2 cores',
      'date: 2030-01-31 09:00',
      'took: reads 12 s',
    ]);
  });

  it('says of a finding as it comes whether it is what it should be', () => {
    expect(line(ratio())).toBe('GET a thing, of bare: 0.50 × (0.45–0.62), ≥ 0.40 ×: met');
    expect(line(ratio({ measured: 0.1, note: 'why' }))).toBe(
      'GET a thing, of bare: 0.10 × (0.45–0.62), ≥ 0.40 ×: NOT MET\n    why',
    );
  });

  it('is put into a page between its markers, again and again', () => {
    const page = 'before\n\n<!-- bench: begin -->\nold\n<!-- bench: end -->\n\nafter\n';
    const report = reportOf(ratio({ name: 'a | b' }), ratio({ name: 'missed', measured: 0.3 }));
    const once = inserted(page, report);
    expect(once).toBe(`before\n\n<!-- bench: begin -->\n\n${markdownOf(report)}\n\n<!-- bench: end -->\n\nafter\n`);
    expect(once).toContain('| a \\| b | 0.50 × | 0.45–0.62 | ≥ 0.40 × |');
    expect(once).toContain('| missed | **0.30 ×** | 0.45–0.62 | ≥ 0.40 × |');
    expect(inserted(once, report)).toBe(once);
    expect(() => inserted('no markers', report)).toThrow('<!-- bench: begin -->');
  });
});

describe('the page', () => {
  const target = { atMost: 1.5 };
  const growth = [
    ratio({ name: 'SQLite: show a run, p50', measured: 1.1, target }),
    ratio({ name: 'SQLite: show a team, p50', measured: 1.4, target }),
    ratio({ name: 'SQLite: show a run, p99', measured: 2.5, target }),
    { name: 'SQLite: teams, deepest page', unit: 'ms', measured: 3, spread: [2, 4] } as const,
  ];

  it('shows the worst of the cases of growth, and leaves out what only a developer looks at', () => {
    const report = reportOf(ratio());
    const layers = { name: 'layers', title: 'Layers', seconds: 1, findings: [ratio()] };
    const { groups } = headlines({
      ...report,
      groups: [...report.groups, layers, { name: 'growth', title: 'Growth', seconds: 1, findings: growth }],
    });
    expect(groups.map(({ name }) => name)).toEqual(['reads', 'growth']);
    expect(groups[0]?.findings).toEqual([ratio()]);
    expect(groups[1]?.findings.map(({ name, measured, spread }) => [name, measured, spread])).toEqual([
      ['SQLite, p50: worst of 2 requests, 2 within the target', 1.4, [1.1, 1.4]],
      ['SQLite, p99: worst of 1 requests, 0 within the target', 2.5, [2.5, 2.5]],
    ]);
  });

  it('shows the writes that have a target, and the worst of their tails', () => {
    const tail = (name: string, measured: number) => ratio({ name, measured, target: { atMost: 4 } });
    const { target: _, ...withoutTarget } = ratio({ name: 'create a run, SQLite, 64 at once, of bare' });
    const findings = [
      ratio({ name: 'create a run, SQLite, 16 at once, of bare' }),
      tail('create a run, SQLite, 16 at once, p99 of p50', 3),
      withoutTarget,
      tail('create a run, SQLite, 64 at once, p99 of p50', 5),
    ];
    const writes = { name: 'writes', title: 'Writes', seconds: 1, findings };
    const [group] = headlines({ ...reportOf(), groups: [writes] }).groups;
    expect(group?.findings.map(({ name }) => name)).toEqual([
      'create a run, SQLite, 16 at once, of bare',
      'SQLite, p99 of p50: worst of 2 loads, 1 within the target',
    ]);
  });
});

/** The names of the elements, each where it opens. Throws where they are not nested, or where text is not escaped. */
function elementsOf(xml: string): string[] {
  const open: string[] = [];
  const all: string[] = [];
  const text = xml.replaceAll(
    /<(\/?)([a-z]+)((?: [a-zA-Z][\w-]*="[^"<]*")*)(\/?)>/g,
    (_tag, end, name, _given, empty) => {
      if (end) expect(open.pop()).toBe(name);
      else {
        all.push(name);
        if (!empty) open.push(name);
      }
      return '';
    },
  );
  expect(open).toEqual([]);
  expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;)/);
  return all;
}

describe('the chart', () => {
  const findings = [
    ratio(),
    ratio({ name: 'a < b & "c"', measured: 0.3 }),
    ratio({ name: 'much', measured: 40, spread: [30, 50] }),
    ratio({ name: 'growth', measured: 1.2, target: { atMost: 1.5 } }),
    { name: 'memory', unit: 'MiB', measured: 60, spread: [50, 70] } as const,
  ];
  const chart = chartOf(reportOf(...findings));

  it('is well-formed, and named for those who do not see it', () => {
    const [root, title, description] = elementsOf(chart);
    expect([root, title, description]).toEqual(['svg', 'title', 'desc']);
    expect(chart).toContain('a &lt; b &amp; &quot;c&quot;: 0.30;');
  });

  it('has a bar for each ratio, with its spread and its target, and none beyond its edge', () => {
    const count = (pattern: RegExp) => chart.match(pattern)?.length;
    expect(count(/<rect class="met"/g)).toBe(3);
    expect(count(/<rect class="missed"/g)).toBe(1);
    expect(count(/class="spread"/g)).toBe(4);
    expect(count(/class="target"/g)).toBe(4);
    expect(chart).not.toContain('memory');
    for (const [, width] of chart.matchAll(/<rect class="[a-z]+" x="\d+" y="[\d.]+" width="([\d.]+)"/g)) {
      expect(Number(width)).toBeLessThanOrEqual(480);
    }
  });

  it('stands without a single finding', () => {
    expect(elementsOf(chartOf(reportOf()))).toContain('svg');
  });
});
