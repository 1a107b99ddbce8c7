import type { TrialJob, TrialPlan } from '../service/job.js';
import { keptRunInput } from './policies.js';

type Path = readonly string[];
type Members = Readonly<Record<string, unknown>>;

/** The kept part of the input of policies, and the paths in it that changed since the run was evaluated. */
export interface TrialInput {
  readonly input: object;
  /** The paths with everything below them that are as they were, but for `removed`. */
  readonly kept: readonly Path[];
  /** The paths below which something was removed: sensitive and masked values, and numbers that lost digits. */
  readonly removed: readonly Path[];
}

/** The members of a plan that its redacted form keeps. terraform and OpenTofu leave out empty ones. */
const lists = ['resource_changes', 'resource_drift', 'output_changes', 'relevant_attributes'] as const;

/** The members of `run` that do not change. Whether names were the same then is not kept unless the workspace is unchanged. */
const ofRun = [
  'id',
  'message',
  'is_destroy',
  'refresh',
  'refresh_only',
  'replace_addrs',
  'speculative',
  'target_addrs',
];

/** The input that policies would read. Everything in `plan` and `run` that is not in `kept` is unknown. */
export function trialInput(
  redacted: Members,
  { run, 'workspace-changed': changed }: TrialPlan,
  { workspace }: TrialJob['policy-trial'],
): TrialInput {
  const plan: Record<string, unknown> = {};
  if (redacted.plan_format_version !== undefined) plan.format_version = redacted.plan_format_version;
  for (const name of lists) if (!isEmpty(redacted[name])) plan[name] = redacted[name];
  const unchanged = changed
    ? []
    : [
        ['workspace', 'name'],
        ['workspace', 'working_directory'],
      ];
  return {
    input: { plan, run: keptRunInput(run, workspace) },
    kept: [
      ...['format_version', ...lists].map((name) => ['plan', name]),
      ...[...ofRun.map((name) => [name]), ['workspace', 'id'], ...unchanged].map((path) => ['run', ...path]),
    ],
    removed: [...removedIn(plan, ['plan'])],
  };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (isComposed(value) && Object.keys(value).length === 0);

const isComposed = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** The text in place of secrets. */
const mask = '***';

function* removedIn(value: unknown, path: Path): Generator<Path> {
  if (typeof value === 'string' ? value.includes(mask) : typeof value === 'number' && !isExact(value)) yield path;
  if (!isComposed(value)) return;
  if (Object.keys(value).some((key) => key.includes(mask))) yield path;
  const { before_sensitive, after_sensitive } = value;
  // The marks of each side apply to both.
  for (const marks of [before_sensitive, after_sensitive]) {
    for (const side of ['before', 'after']) yield* markedIn(value[side], marks, [...path, side]);
  }
  for (const [key, member] of Object.entries(value)) yield* removedIn(member, [...path, key]);
}

/** A null is shown as it is, sensitive or not. */
function* markedIn(value: unknown, marks: unknown, path: Path): Generator<Path> {
  if (value === null || value === undefined) return;
  if (marks === true) yield path;
  if (!isComposed(marks)) return;
  const inside = isComposed(value) ? value : {};
  for (const [key, mark] of Object.entries(marks)) yield* markedIn(inside[key], mark, [...path, key]);
}

/** Whether a number is printed with all of its digits after it was parsed: doubles keep 15 of them. */
const isExact = (value: number): boolean =>
  value.toPrecision(15).includes('e') ? Number.isSafeInteger(value) : Number(value.toPrecision(15)) === value;

/** Whether one path begins with the other. */
const meet = (one: Path, other: Path): boolean => one.every((part, at) => at >= other.length || part === other[at]);

/**
 * Why a verdict that depends on these paths at most may have been another one; undefined if it was this one. A path is
 * read with all that is below it.
 */
export function unknownIn(reads: readonly Path[], { kept, removed }: TrialInput): string | undefined {
  for (const read of reads) {
    const [root] = read;
    // Nothing else is ever at the root of the input.
    if (root !== undefined && root !== 'plan' && root !== 'run') continue;
    if (!kept.some((path) => path.length <= read.length && meet(path, read))) {
      return `The policy reads ${shown(read)}, which is not kept`;
    }
    const hidden = removed.find((path) => meet(path, read));
    if (hidden !== undefined) return `The policy reads ${shown(read)}, where ${shown(hidden)} was removed`;
  }
  return undefined;
}

const shown = (path: Path): string =>
  ['input', ...path].reduce((text, part) =>
    /^\d+$/.test(part)
      ? `${text}[${part}]`
      : /^\w+$/.test(part)
        ? `${text}.${part}`
        : `${text}[${JSON.stringify(part)}]`,
  );
