import type { VariableSetId } from '../../shared/id.js';

/** The facts that decide the precedence of a variable set where it applies. */
export interface AppliedSet {
  readonly id: VariableSetId;
  readonly name: string;
  readonly priority: boolean;
  readonly owner: 'organization' | 'project';
  /** Why it applies to the workspace. A set may apply for several reasons; each is a source of its own. */
  readonly scope: 'global' | 'project' | 'workspace';
}

/** The identity of a variable among those of a run. */
interface Keyed {
  readonly key: string;
  readonly category: string;
}

/** A variable that may apply to a run of a workspace; `set` is null for the workspace's own. */
export interface SourcedVariable<Stored extends Keyed = Keyed> {
  readonly variable: Stored;
  readonly set: AppliedSet | null;
}

export type VariableSource = 'run' | 'workspace' | Pick<AppliedSet, 'priority' | 'owner' | 'scope'>;

const set = (
  priority: boolean,
  owner: AppliedSet['owner'],
  scope: AppliedSet['scope'],
): Exclude<VariableSource, string> => ({ priority, owner, scope });

/** The sources of variables. A variable overrides those of the same key and category from all sources below. */
export const precedence: readonly VariableSource[] = [
  set(true, 'organization', 'global'),
  set(true, 'organization', 'project'),
  set(true, 'organization', 'workspace'),
  set(true, 'project', 'project'),
  set(true, 'project', 'workspace'),
  'run',
  'workspace',
  set(false, 'project', 'workspace'),
  set(false, 'project', 'project'),
  set(false, 'organization', 'workspace'),
  set(false, 'organization', 'project'),
  set(false, 'organization', 'global'),
];

const rankOfRun = precedence.indexOf('run');

const rankOf = (from: AppliedSet | null): number =>
  precedence.findIndex((source) =>
    typeof source === 'string'
      ? source === 'workspace' && from === null
      : source.priority === from?.priority && source.owner === from.owner && source.scope === from.scope,
  );

/** By code points; strings compare by UTF-16 units, which order some letters differently. */
export function compareNames(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (const [index, letter] of left.entries()) {
    const difference = (letter.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

const bySource = (a: SourcedVariable, b: SourcedVariable): number =>
  rankOf(a.set) - rankOf(b.set) || compareNames(a.set?.name ?? '', b.set?.name ?? '');

export interface ResolvedVariables<OfRun, Stored extends Keyed> {
  /** The run's own variables that nothing overrides. */
  readonly run: readonly OfRun[];
  /** One of each key and category, by key and category. */
  readonly variables: readonly SourcedVariable<Stored>[];
}

/**
 * The variables that a run receives, from all that apply. Sources rank as in `precedence`; of variable sets of the
 * same rank, the first name wins. A run's own variables are terraform variables.
 */
export function resolveVariables<OfRun extends Pick<Keyed, 'key'>, Stored extends Keyed>(
  run: readonly OfRun[],
  given: readonly SourcedVariable<Stored>[],
): ResolvedVariables<OfRun, Stored> {
  const first = new Map<string, SourcedVariable<Stored>>();
  for (const one of given.toSorted(bySource)) {
    const place = `${one.variable.key} ${one.variable.category}`;
    if (!first.has(place)) first.set(place, one);
  }
  const overriding = ({ set }: SourcedVariable) => rankOf(set) < rankOfRun;
  const keptOfRun = run.filter(({ key }) => {
    const other = first.get(`${key} terraform`);
    return other === undefined || !overriding(other);
  });
  const keysOfRun = new Set(keptOfRun.map(({ key }) => `${key} terraform`));
  const kept = [...first].filter(([place]) => !keysOfRun.has(place)).map(([, one]) => one);
  return { run: keptOfRun, variables: kept.sort(byKey) };
}

const byKey = ({ variable: a }: SourcedVariable, { variable: b }: SourcedVariable): number =>
  compareNames(a.key, b.key) || compareNames(a.category, b.category);
