export type Verdict = 'passed' | 'failed' | 'errored' | 'not-comparable';

export interface PolicyVerdict {
  readonly name: string;
  readonly before: { readonly status: Verdict } | null;
  readonly now: {
    readonly status: Verdict;
    readonly 'enforcement-level': string;
    readonly output: readonly unknown[] | null;
    readonly reason: string | null;
  } | null;
}

interface Identified {
  readonly data: { readonly id: string };
}

/** A result as the API has it. */
export interface Result {
  readonly id: string;
  readonly attributes: {
    readonly before: { readonly status: Verdict } | null;
    readonly now: { readonly status: Verdict; readonly reason: string | null } | null;
    readonly policies: readonly PolicyVerdict[];
  };
  readonly relationships: { readonly run: Identified; readonly workspace: Identified };
}

/** How the verdict on a plan differs from the recorded one. */
export type Difference = 'worse' | 'better' | 'unknown' | 'same';

const fails = (verdict: Verdict | null): boolean => verdict === 'failed' || verdict === 'errored';

/** `before` is null where no outcome was recorded. */
export function differenceOf(before: Verdict | null, now: Verdict): Difference {
  if (now === 'not-comparable') return 'unknown';
  if (fails(now) && now !== before) return 'worse';
  return fails(before) && now === 'passed' ? 'better' : 'same';
}

/** Whether the results of a trial may still change. */
export const isOpen = ({ attributes: { status } }: { readonly attributes: { readonly status: string } }): boolean =>
  status === 'queued' || status === 'running';

/** Plans on which a trial has the same verdict, for the same policies and with the same messages. */
export interface Case {
  readonly before: Verdict | null;
  readonly now: Verdict;
  readonly reason: string | null;
  readonly policies: readonly PolicyVerdict[];
  readonly plans: readonly Result[];
}

/** A policy that passes, and failed nowhere before, explains nothing. */
const explains = ({ before, now }: PolicyVerdict): boolean =>
  fails(before?.status ?? null) || (now !== null && now.status !== 'passed');

/** The plans that were evaluated, by how their verdicts differ. */
export function casesOf(results: readonly Result[]): Readonly<Record<Difference, readonly Case[]>> {
  const found: Record<Difference, Map<string, Case>> = {
    worse: new Map(),
    better: new Map(),
    unknown: new Map(),
    same: new Map(),
  };
  for (const result of results) {
    const { before: recorded, now, policies } = result.attributes;
    if (now === null) continue;
    const before = recorded?.status ?? null;
    const cases = found[differenceOf(before, now.status)];
    const alike = { before, now: now.status, reason: now.reason, policies: policies.filter(explains) };
    const key = JSON.stringify(alike);
    cases.set(key, { ...alike, plans: [...(cases.get(key)?.plans ?? []), result] });
  }
  const listed = (cases: ReadonlyMap<string, Case>) => [...cases.values()];
  return {
    worse: listed(found.worse),
    better: listed(found.better),
    unknown: listed(found.unknown),
    same: listed(found.same),
  };
}
