/** The parts of a state file (version 4) that a comparison shows. */
export interface StateFile {
  readonly outputs?: Readonly<Record<string, { readonly value: unknown; readonly sensitive?: boolean }>>;
  readonly resources?: readonly {
    readonly module?: string;
    readonly mode: string;
    readonly type: string;
    readonly name: string;
    readonly instances?: readonly Instance[];
  }[];
}

interface Instance {
  readonly index_key?: string | number;
  readonly deposed?: string;
  readonly attributes?: unknown;
  /** Paths of attributes; a step is an attribute's name or an index. */
  readonly sensitive_attributes?: readonly (readonly Step[])[];
}

interface Step {
  readonly type: string;
  readonly value: unknown;
}

export interface ValueChange {
  readonly name: string;
  /** Whether one of the states marks it as sensitive, so that neither side may be shown. */
  readonly isSensitive: boolean;
  /** Undefined if there is none. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface ResourceChange {
  readonly address: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly values: readonly ValueChange[];
}

export interface StateChanges {
  readonly outputs: readonly ValueChange[];
  readonly resources: readonly ResourceChange[];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * The texts of the leaves of a value by their paths, such as `ingress[0].port`. Empty lists and objects are leaves, and
 * so is what is hidden: its keys may be as secret as its values.
 */
function* leavesOf(value: unknown, hidden: ReadonlySet<string>, path = ''): Generator<readonly [string, string]> {
  const entries = typeof value === 'object' && value !== null && !hidden.has(path) ? Object.entries(value) : [];
  if (entries.length === 0) yield [path, textOf(value)];
  for (const [key, inside] of entries) {
    const step = Array.isArray(value) ? `[${key}]` : path === '' ? key : `.${key}`;
    yield* leavesOf(inside, hidden, path + step);
  }
}

/** Indexes are values with a type. */
function pathOf(steps: readonly Step[]): string {
  return steps.reduce((path, { type, value }) => {
    const key = type === 'get_attr' ? value : (value as { readonly value?: unknown } | null)?.value;
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '' ? String(key) : `${path}.${key}`;
  }, '');
}

const keyOf = (key: string | number | undefined): string => (key === undefined ? '' : `[${JSON.stringify(key)}]`);

/** Instances by the addresses that terraform prints. */
const instancesOf = ({ resources = [] }: StateFile): ReadonlyMap<string, Instance> =>
  new Map(
    resources.flatMap(({ module, mode, type, name, instances = [] }) => {
      const resource = [module, mode === 'data' ? 'data' : undefined, type, name].filter(Boolean).join('.');
      return instances.map((instance): [string, Instance] => [
        `${resource}${keyOf(instance.index_key)}${instance.deposed === undefined ? '' : ` (deposed ${instance.deposed})`}`,
        instance,
      ]);
    }),
  );

const namesOf = (...maps: readonly ReadonlyMap<string, unknown>[]): readonly string[] =>
  [...new Set(maps.flatMap((map) => [...map.keys()]))].sort();

function attributeChanges(older: Instance | undefined, newer: Instance | undefined): readonly ValueChange[] {
  const hidden = new Set([older, newer].flatMap((side) => side?.sensitive_attributes ?? []).map(pathOf));
  const before = new Map(leavesOf(older?.attributes ?? {}, hidden));
  const after = new Map(leavesOf(newer?.attributes ?? {}, hidden));
  return namesOf(before, after)
    .filter((name) => name !== '' && before.get(name) !== after.get(name))
    .map((name) => ({ name, isSensitive: hidden.has(name), before: before.get(name), after: after.get(name) }));
}

function outputChanges({ outputs: older = {} }: StateFile, { outputs: newer = {} }: StateFile): readonly ValueChange[] {
  return [...new Set([...Object.keys(older), ...Object.keys(newer)])]
    .sort()
    .map((name) => {
      const [was, is] = [older[name], newer[name]];
      return {
        name,
        isSensitive: was?.sensitive === true || is?.sensitive === true,
        before: was && textOf(was.value),
        after: is && textOf(is.value),
      };
    })
    .filter(({ before, after }) => before !== after);
}

/** The differences between two states, by output and by resource instance. */
export function changesBetween(before: StateFile, after: StateFile): StateChanges {
  const [older, newer] = [instancesOf(before), instancesOf(after)];
  const resources = namesOf(older, newer).flatMap((address): ResourceChange[] => {
    const [was, is] = [older.get(address), newer.get(address)];
    const values = attributeChanges(was, is);
    if (was === undefined) return [{ address, kind: 'added', values }];
    if (is === undefined) return [{ address, kind: 'removed', values }];
    return values.length === 0 ? [] : [{ address, kind: 'changed', values }];
  });
  return { outputs: outputChanges(before, after), resources };
}

/** Throws a `SyntaxError` for text that is not JSON. */
export const stateIn = (text: string): StateFile => JSON.parse(text) as StateFile;
