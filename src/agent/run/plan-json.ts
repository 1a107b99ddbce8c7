import { isDeepStrictEqual } from 'node:util';
import type { ResourceCounts } from '../service/leased-run.js';
import type { Secrets } from '../service/secrets.js';

interface Change {
  readonly actions: readonly string[];
  readonly before?: unknown;
  readonly after?: unknown;
  readonly before_sensitive?: unknown;
  readonly after_sensitive?: unknown;
  readonly importing?: unknown;
  readonly generated_config?: string;
}

interface ChangedResource {
  readonly address?: string;
  readonly mode?: string;
  readonly type?: string;
  readonly provider_name?: string;
  readonly change: Change;
}

/** The parts used of the output of `terraform show -json` for a plan. */
export interface PlanJson {
  readonly format_version?: string;
  readonly resource_changes?: readonly ChangedResource[];
  readonly resource_drift?: readonly ChangedResource[];
  readonly output_changes?: Readonly<Record<string, Change>>;
  readonly relevant_attributes?: unknown;
}

export interface SchemasJson {
  readonly format_version?: string;
  readonly provider_schemas?: unknown;
}

export function countsOf({ resource_changes: resources = [] }: PlanJson): ResourceCounts {
  const managed = resources.filter(({ mode }) => mode === undefined || mode === 'managed').map(({ change }) => change);
  const having = (action: string) => managed.filter(({ actions }) => actions.includes(action)).length;
  return {
    additions: having('create'),
    changes: having('update'),
    destructions: having('delete'),
    imports: managed.filter(({ importing }) => importing != null).length,
  };
}

export const generatesConfiguration = ({ resource_changes: resources = [] }: PlanJson): boolean =>
  resources.some(({ change }) => change.generated_config !== undefined);

/** The counts an apply printed. All 0 if it did not finish. */
export function reportedCounts(output: string): ResourceCounts {
  const line = /^(?:Apply|Destroy) complete! Resources: (.{0,200})$/m.exec(output)?.[1] ?? '';
  const said = line.split(/[,.]/).map((part) => part.trim().split(' '));
  const count = (what: string) => Number(said.find(([, word]) => word === what)?.[0] ?? 0);
  return {
    additions: count('added'),
    changes: count('changed'),
    destructions: count('destroyed'),
    imports: count('imported'),
  };
}

/**
 * The plan as clients render it, without sensitive values, whether marked in the plan or in variables of the workspace.
 * Only members that rendering needs are copied: variables, state and planned values contain unmarked sensitive values.
 */
export const redacted = (plan: PlanJson, schemas: SchemasJson, secrets: Pick<Secrets, 'maskedIn'>): object => ({
  plan_format_version: plan.format_version,
  provider_format_version: schemas.format_version,
  provider_schemas: schemas.provider_schemas ?? {},
  resource_changes: (plan.resource_changes ?? []).map((resource) => redactedResource(resource, secrets)),
  resource_drift: (plan.resource_drift ?? []).map((resource) => redactedResource(resource, secrets)),
  output_changes: Object.fromEntries(
    Object.entries(plan.output_changes ?? {}).map(([name, change]) => [name, redactedChange(change, secrets)]),
  ),
  relevant_attributes: secrets.maskedIn(plan.relevant_attributes ?? []),
});

/** Keeps the fields that identify a resource's schema. */
function redactedResource(resource: ChangedResource, secrets: Pick<Secrets, 'maskedIn'>): ChangedResource {
  const { mode, type, provider_name, change, ...rest } = resource;
  const masked = secrets.maskedIn(rest) as Pick<ChangedResource, 'address'>;
  return { ...masked, ...defined({ mode, type, provider_name }), change: redactedChange(change, secrets) };
}

const defined = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

function redactedChange(change: Change, secrets: Pick<Secrets, 'maskedIn'>): Change {
  const { actions, before_sensitive, after_sensitive, ...rest } = change;
  const sides = redactedSides([change.before, change.after], [before_sensitive, after_sensitive]);
  const masked = secrets.maskedIn({ ...rest, before: sides[0], after: sides[1] }) as object;
  return { actions, ...masked, ...defined({ before_sensitive, after_sensitive }) };
}

type Sides = readonly [before: unknown, after: unknown];

/**
 * Marks are true for a whole value, or have its shape, with true for each sensitive part. The marks of each side apply
 * to both: a value that becomes sensitive has the same value before.
 */
function redactedSides(sides: Sides, marks: Sides): Sides {
  const [before, after] = sides;
  if (marks.includes(true)) {
    // Whether a sensitive value changes is not confidential: clients show it.
    return [blank(before, 'a value'), blank(after, isDeepStrictEqual(before, after) ? 'a value' : 'another value')];
  }
  if (!marks.some(isComposed)) return sides;
  const names = new Set(sides.filter(isComposed).flatMap((side) => Object.keys(side)));
  const parts = new Map(
    [...names].map((name) => [name, redactedSides(membersOf(sides, name), membersOf(marks, name))]),
  );
  const rebuilt = (which: 0 | 1): unknown => {
    const side = sides[which];
    if (!isComposed(side)) return side;
    const members = Object.keys(side).map((name) => [name, parts.get(name)?.[which]] as const);
    return Array.isArray(side) ? members.map(([, member]) => member) : Object.fromEntries(members);
  };
  return [rebuilt(0), rebuilt(1)];
}

const isComposed = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** For a list, the item. */
const memberOf = (value: unknown, name: string): unknown =>
  isComposed(value) && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

const membersOf = ([before, after]: Sides, name: string): Sides => [memberOf(before, name), memberOf(after, name)];

/** Keeps the type, so that clients can read it with the provider's schema. */
function blank(value: unknown, instead: string): unknown {
  switch (typeof value) {
    case 'string':
      return instead;
    case 'number':
      return instead.length;
    case 'boolean':
      return false;
    default:
      if (value === null || value === undefined) return value;
      return Array.isArray(value) ? [] : {};
  }
}
