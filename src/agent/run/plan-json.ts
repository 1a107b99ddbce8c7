import type { ResourceCounts } from '../service/leased-run.js';

interface Change {
  readonly actions: readonly string[];
  readonly before?: unknown;
  readonly after?: unknown;
  readonly before_sensitive?: unknown;
  readonly after_sensitive?: unknown;
  readonly importing?: unknown;
}

interface ChangedResource {
  readonly mode?: string;
  readonly change: Change;
}

/** What `terraform show -json` prints of a plan, as far as it is looked into. */
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

/** What an apply says it did. All 0 where it did not come to its end. */
export function countsSaid(output: string): ResourceCounts {
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
 * The plan as clients render it, without any value that is sensitive. Only members that a rendering needs are taken over:
 * variables, state and planned values hold sensitive ones unmarked.
 */
export const redacted = (plan: PlanJson, schemas: SchemasJson): object => ({
  plan_format_version: plan.format_version,
  provider_format_version: schemas.format_version,
  provider_schemas: schemas.provider_schemas ?? {},
  resource_changes: (plan.resource_changes ?? []).map(withoutSensitive),
  resource_drift: (plan.resource_drift ?? []).map(withoutSensitive),
  output_changes: Object.fromEntries(
    Object.entries(plan.output_changes ?? {}).map(([name, change]) => [name, redactedChange(change)]),
  ),
  relevant_attributes: plan.relevant_attributes ?? [],
});

const withoutSensitive = (resource: ChangedResource): ChangedResource => ({
  ...resource,
  change: redactedChange(resource.change),
});

function redactedChange(change: Change): Change {
  // What is generated for an import quotes the values.
  const { generated_config: _, ...rest } = change as Change & { readonly generated_config?: unknown };
  return {
    ...rest,
    before: redactedValue(change.before, change.before_sensitive, 'a value'),
    // Whether a sensitive value changes is no secret: clients show it.
    after: redactedValue(change.after, change.after_sensitive, sameSensitive(change) ? 'a value' : 'another value'),
  };
}

/** `sensitive` is true for a value as a whole, or has its shape, with true for each sensitive part. */
function redactedValue(value: unknown, sensitive: unknown, instead: string): unknown {
  if (sensitive === true) return blank(value, instead);
  if (typeof sensitive !== 'object' || sensitive === null || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const marks = Array.isArray(sensitive) ? sensitive : [];
    return value.map((item, index) => redactedValue(item, marks[index], instead));
  }
  const marks = sensitive as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      redactedValue(item, Object.hasOwn(marks, name) ? marks[name] : undefined, instead),
    ]),
  );
}

/** Of the same type, so that clients read it as the provider's schema says. */
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

const sameSensitive = ({ before, after }: Change): boolean => JSON.stringify(before) === JSON.stringify(after);
