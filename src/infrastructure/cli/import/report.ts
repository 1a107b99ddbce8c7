import type { Answer } from '../toolkit/command.js';
import { counted, table } from '../toolkit/output.js';
import { type Reason, reasons } from './reasons.js';

export const outcomes = ['created', 'updated', 'unchanged', 'skipped', 'failed'] as const;

export type Outcome = (typeof outcomes)[number];

/** For one reason or outcome; more are only counted. */
const mostNames = 1000;
/** On a terminal. */
const mostShown = 20;

interface Left {
  /** Undefined if the source does not give it. */
  count: number | undefined;
  readonly names: string[];
}

interface Trouble {
  readonly kind: string;
  readonly name: string;
  readonly outcome: 'skipped' | 'failed';
  readonly detail: string;
}

/** Collects what became of each resource. */
export class Report {
  private readonly kinds = new Map<string, Record<Outcome, number>>();
  private readonly left = new Map<Reason, Left>();
  private readonly troubles: Trouble[] = [];

  constructor(
    private readonly from: string,
    private readonly to: string,
    private readonly applies: boolean,
  ) {}

  /** Shows the kind also if there is nothing of it. */
  begin(kind: string): Record<Outcome, number> {
    const counts = this.kinds.get(kind) ?? { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
    this.kinds.set(kind, counts);
    return counts;
  }

  count(kind: string, outcome: Outcome, number = 1): void {
    this.begin(kind)[outcome] += number;
  }

  trouble(trouble: Trouble): void {
    this.count(trouble.kind, trouble.outcome);
    if (this.troubles.length < mostNames) this.troubles.push(trouble);
  }

  /** Notes something that does not come. */
  leave(reason: Reason, count: number | undefined, name?: string): void {
    const left = this.left.get(reason) ?? { count: 0, names: [] };
    this.left.set(reason, left);
    left.count = left.count === undefined || count === undefined ? undefined : left.count + count;
    if (name !== undefined && left.names.length < mostNames) left.names.push(name);
  }

  private sum(...of: readonly Outcome[]): number {
    return [...this.kinds.values()].reduce((sum, counts) => of.reduce((total, one) => total + counts[one], sum), 0);
  }

  answer(): Answer {
    const left = [...this.left].map(([reason, { count, names }]) => ({ reason, count: count ?? null, names }));
    return {
      json: {
        from: this.from,
        to: this.to,
        applied: this.applies,
        resources: Object.fromEntries(this.kinds),
        'not-imported': left.map(({ reason, count, names }) => {
          const { what, instead } = reasons[reason];
          return { what, instead, count, names };
        }),
        troubles: this.troubles,
      },
      text: this.text(left),
      failed: this.sum('skipped', 'failed') > 0,
    };
  }

  private text(
    left: readonly { readonly reason: Reason; readonly count: number | null; readonly names: readonly string[] }[],
  ): string {
    const head = this.applies
      ? ['resource', ...outcomes]
      : ['resource', 'to create', 'to update', 'unchanged', 'skipped', 'failed'];
    const named = left.filter(({ names }) => names.length > 0);
    return [
      `From ${this.from} to ${this.to}`,
      table(
        head,
        [...this.kinds].map(([kind, counts]) => [kind, ...outcomes.map((outcome) => counts[outcome])]),
      ),
      ...(left.length === 0
        ? []
        : [
            table(
              ['does not come', 'count', 'instead'],
              left.map(({ reason, count }) => [reasons[reason].what, count, reasons[reason].instead]),
            ),
          ]),
      ...named.map(({ reason, names }) => [`${reasons[reason].what}:`, ...indented(names)].join('\n')),
      ...(this.troubles.length === 0
        ? []
        : [
            [
              'Skipped or failed:',
              ...indented(this.troubles.map(({ kind, name, detail }) => `${kind} ${name}: ${detail}`)),
            ].join('\n'),
          ]),
      this.lastLine(),
    ].join('\n\n');
  }

  private lastLine(): string {
    const [changes, troubles] = [this.sum('created', 'updated'), this.sum('skipped', 'failed')];
    const rest = troubles === 0 ? '' : ` ${counted(troubles, 'resource')} skipped or failed: see above.`;
    if (changes === 0) return `Nothing to change: the target has all that can come.${rest}`;
    return this.applies
      ? `${counted(changes, 'resource')} created or updated.${rest}`
      : `Nothing was changed. Run it again with --apply to create or update ${counted(changes, 'resource')}.${rest}`;
  }
}

const indented = (lines: readonly string[]): readonly string[] => [
  ...lines.slice(0, mostShown).map((line) => `  ${line}`),
  ...(lines.length > mostShown ? [`  and ${lines.length - mostShown} more: see --json`] : []),
];
