/** The parts of a state file (version 4) that a comparison shows. */
interface StateFile {
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

/** The text of a value, and whether it must not be shown. */
interface Value {
  readonly text: string;
  readonly isSensitive: boolean;
}

export interface ValueChange {
  readonly name: string;
  /** Undefined if there is none. */
  readonly before: Value | undefined;
  readonly after: Value | undefined;
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

type Values = ReadonlyMap<string, Value>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The leaves of a value by their paths, such as `ingress[0].port`. Empty lists and objects are leaves. */
function* leavesOf(value: unknown, path: string): Generator<readonly [path: string, value: unknown]> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) {
    yield [path, value];
    return;
  }
  for (const [key, inside] of entries) {
    if (Array.isArray(value)) yield* leavesOf(inside, `${path}[${key}]`);
    else yield* leavesOf(inside, path === '' ? key : `${path}.${key}`);
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

const isInside = (path: string, other: string): boolean =>
  path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`);

function attributesOf({ attributes, sensitive_attributes: sensitive = [] }: Instance): Values {
  const hidden = sensitive.map(pathOf);
  return new Map(
    [...leavesOf(attributes ?? {}, '')]
      .filter(([path]) => path !== '')
      .map(([path, value]) => [
        path,
        { text: textOf(value), isSensitive: hidden.some((other) => isInside(path, other)) },
      ]),
  );
}

const keyOf = (key: string | number | undefined): string => (key === undefined ? '' : `[${JSON.stringify(key)}]`);

/** Attributes of instances by the addresses that terraform prints. */
const instancesOf = ({ resources = [] }: StateFile): ReadonlyMap<string, Values> =>
  new Map(
    resources.flatMap(({ module, mode, type, name, instances = [] }) => {
      const resource = [module, mode === 'data' ? 'data' : undefined, type, name].filter(Boolean).join('.');
      return instances.map((instance): [string, Values] => [
        `${resource}${keyOf(instance.index_key)}${instance.deposed === undefined ? '' : ` (deposed ${instance.deposed})`}`,
        attributesOf(instance),
      ]);
    }),
  );

const outputsOf = ({ outputs = {} }: StateFile): Values =>
  new Map(
    Object.entries(outputs).map(([name, { value, sensitive = false }]) => [
      name,
      { text: textOf(value), isSensitive: sensitive },
    ]),
  );

const namesOf = (...maps: readonly ReadonlyMap<string, unknown>[]): readonly string[] =>
  [...new Set(maps.flatMap((map) => [...map.keys()]))].sort();

const nothing: Values = new Map();

const changesOf = (before: Values, after: Values): readonly ValueChange[] =>
  namesOf(before, after)
    .map((name) => ({ name, before: before.get(name), after: after.get(name) }))
    .filter((change) => change.before?.text !== change.after?.text);

/** What differs between two states, by output and by resource instance. */
export function changesBetween(before: StateFile, after: StateFile): StateChanges {
  const [older, newer] = [instancesOf(before), instancesOf(after)];
  const resources = namesOf(older, newer).flatMap((address): ResourceChange[] => {
    const [was, is] = [older.get(address), newer.get(address)];
    const values = changesOf(was ?? nothing, is ?? nothing);
    if (was === undefined) return [{ address, kind: 'added', values }];
    if (is === undefined) return [{ address, kind: 'removed', values }];
    return values.length === 0 ? [] : [{ address, kind: 'changed', values }];
  });
  return { outputs: changesOf(outputsOf(before), outputsOf(after)), resources };
}

/** Throws a `SyntaxError` for text that is not JSON. */
export const stateIn = (text: string): StateFile => JSON.parse(text) as StateFile;
