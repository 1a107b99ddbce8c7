import { countsAs, type EnforcementLevel, type OutcomeStatus, type OutcomeSums } from '../../../../../domain/index.js';

export const sumNames = ['passed', 'failed', 'overridden', 'errored'] as const satisfies readonly (keyof OutcomeSums)[];

export type Sums = Record<keyof OutcomeSums, number>;

export const noSums = (): Sums => ({ passed: 0, failed: 0, overridden: 0, errored: 0 });

type Sign = 1 | -1;

/** Postgres returns sums as text. */
export function addTo(sums: Sums, more: OutcomeSums, sign: Sign = 1): void {
  for (const name of sumNames) sums[name] += sign * Number(more[name]);
}

/** The outcome of a policy as stored. Without a status, that of a set that errored before any policy was evaluated. */
export interface OutcomeRow {
  readonly policy_set: string;
  readonly policy: string | null;
  readonly status: OutcomeStatus | null;
  readonly enforcement_level: EnforcementLevel | null;
  readonly is_overridden: boolean | number;
}

/** The change of sums by an outcome. They have it already if its run was added up before it was overridden. */
export function changeOf(row: OutcomeRow, isAddedUp: boolean): Sums {
  const change = noSums();
  const counted = (isOverridden: boolean) => countsAs(row.status ?? 'errored', row.enforcement_level, isOverridden);
  change[counted(Boolean(row.is_overridden))] += 1;
  if (isAddedUp) change[counted(false)] -= 1;
  return change;
}

/** By set, so that its name stands there once. */
type Packed = readonly [policySet: string, policies: readonly PackedPolicy[]];
type PackedPolicy = readonly [
  policy: string | null,
  passed: number,
  failed: number,
  overridden: number,
  errored: number,
];

/** Sums by policy: a JSON text in a column. */
export class PolicySums {
  private readonly ofSets = new Map<string, Map<string | null, Sums>>();

  add(policySet: string, policy: string | null, more: OutcomeSums): void {
    addTo(this.of(this.ofSet(policySet), policy), more);
  }

  /** Several texts have commas between them. */
  addTexts(texts: string, sign: Sign = 1): void {
    const all: readonly (readonly Packed[])[] = JSON.parse(`[${texts}]`);
    for (const [policySet, policies] of all.flat()) {
      const ofSet = this.ofSet(policySet);
      for (const [policy, passed, failed, overridden, errored] of policies) {
        const sums = this.of(ofSet, policy);
        sums.passed += sign * passed;
        sums.failed += sign * failed;
        sums.overridden += sign * overridden;
        sums.errored += sign * errored;
      }
    }
  }

  *[Symbol.iterator](): Generator<{ policySet: string; policy: string | null; sums: OutcomeSums }> {
    for (const [policySet, ofSet] of this.ofSets) {
      for (const [policy, sums] of ofSet) yield { policySet, policy, sums };
    }
  }

  toText(): string {
    const packed = Array.from(
      this.ofSets,
      ([policySet, ofSet]): Packed => [
        policySet,
        Array.from(
          ofSet,
          ([policy, sums]): PackedPolicy => [policy, sums.passed, sums.failed, sums.overridden, sums.errored],
        ).filter(([, ...numbers]) => numbers.some((number) => number !== 0)),
      ],
    );
    return JSON.stringify(packed);
  }

  private ofSet(policySet: string): Map<string | null, Sums> {
    const ofSet = this.ofSets.get(policySet) ?? new Map<string | null, Sums>();
    this.ofSets.set(policySet, ofSet);
    return ofSet;
  }

  private of(ofSet: Map<string | null, Sums>, policy: string | null): Sums {
    const sums = ofSet.get(policy) ?? noSums();
    ofSet.set(policy, sums);
    return sums;
  }
}
