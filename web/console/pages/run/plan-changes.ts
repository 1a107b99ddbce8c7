/** The part of terraform's JSON form of a plan that is shown. */
export interface PlanJson {
  readonly resource_changes?: readonly PlannedResource[];
  readonly output_changes?: Readonly<Record<string, PlannedChange>>;
}

interface PlannedResource {
  readonly address: string;
  readonly previous_address?: string;
  readonly deposed?: string;
  readonly change: PlannedChange;
}

interface PlannedChange {
  readonly actions: readonly string[];
  readonly before?: unknown;
  readonly after?: unknown;
  readonly after_unknown?: unknown;
  readonly before_sensitive?: unknown;
  readonly after_sensitive?: unknown;
  readonly replace_paths?: readonly (readonly (string | number)[])[];
  readonly importing?: { readonly id?: string };
}

export type Action = 'create' | 'update' | 'delete' | 'replace' | 'read' | 'move' | 'import' | 'forget';

/** One attribute that differs. A side is undefined where the attribute is absent. */
export interface AttributeChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly forcesReplacement: boolean;
}

export interface Change {
  readonly address: string;
  readonly action: Action;
  readonly movedFrom: string | undefined;
  readonly attributes: readonly AttributeChange[];
}

type Path = readonly (string | number)[];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isInner = (value: unknown): value is object =>
  (isObject(value) && Object.keys(value).length > 0) || (Array.isArray(value) && value.length > 0);

const member = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;

/** A mark is true for the value and everything in it. */
const markIn = (mark: unknown, key: string | number): unknown => mark === true || member(mark, key);

const keysOf = (value: unknown): readonly (string | number)[] =>
  Array.isArray(value) ? [...value.keys()] : isObject(value) ? Object.keys(value) : [];

const textOfPath = (path: Path): string =>
  path.map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`)).join('');

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));

interface Sides {
  readonly before: unknown;
  readonly after: unknown;
  readonly unknown: unknown;
  readonly secretBefore: unknown;
  readonly secretAfter: unknown;
}

/** The leaves that differ. `replaces` are the paths that force a replacement. */
function* differences(sides: Sides, path: Path, replaces: ReadonlySet<string>): Generator<AttributeChange> {
  const { before, after, unknown, secretBefore, secretAfter } = sides;
  const secret = secretBefore === true || secretAfter === true;
  if (!secret && unknown !== true && (isInner(before) || isInner(after) || isInner(unknown))) {
    for (const key of new Set([before, after, unknown].flatMap(keysOf))) {
      const inside = {
        before: member(before, key),
        after: member(after, key),
        unknown: markIn(unknown, key),
        secretBefore: markIn(secretBefore, key),
        secretAfter: markIn(secretAfter, key),
      };
      yield* differences(inside, [...path, key], replaces);
    }
    return;
  }
  const texts = [textOf(before), unknown === true ? '(known after apply)' : textOf(after)] as const;
  const nothing = (text: string | undefined): boolean => text === undefined || text === 'null';
  // Values that terraform hides may be equal in what it prints of them, and are then left out too.
  if (texts[0] === texts[1] || (nothing(texts[0]) && nothing(texts[1]))) return;
  const shown = texts.map((text) => (secret && !nothing(text) ? '(sensitive)' : text));
  const forcesReplacement = [...path.keys()].some((index) => replaces.has(textOfPath(path.slice(0, index + 1))));
  yield { path: textOfPath(path), before: shown[0], after: shown[1], forcesReplacement };
}

function actionOf({
  change,
  previous_address: previous,
}: Pick<PlannedResource, 'change' | 'previous_address'>): Action | undefined {
  const { actions, importing } = change;
  if (actions.includes('delete') && actions.includes('create')) return 'replace';
  const [only] = actions;
  if (only === 'create' || only === 'update' || only === 'delete' || only === 'read' || only === 'forget') return only;
  if (importing !== undefined) return 'import';
  return previous === undefined ? undefined : 'move';
}

const changeOf = (address: string, resource: Pick<PlannedResource, 'change' | 'previous_address'>): Change[] => {
  const { change, previous_address: movedFrom } = resource;
  const action = actionOf(resource);
  if (action === undefined) return [];
  const sides = {
    before: change.before,
    after: change.after,
    unknown: change.after_unknown,
    secretBefore: change.before_sensitive,
    secretAfter: change.after_sensitive,
  };
  const replaces = new Set((change.replace_paths ?? []).map(textOfPath));
  return [{ address, action, movedFrom, attributes: [...differences(sides, [], replaces)] }];
};

/** The resources that the plan changes, in its order. */
export const resourceChanges = ({ resource_changes: resources = [] }: PlanJson): readonly Change[] =>
  resources.flatMap((resource) =>
    changeOf(resource.deposed === undefined ? resource.address : `${resource.address} (${resource.deposed})`, resource),
  );

/** The outputs that the plan changes. */
export const outputChanges = ({ output_changes: outputs = {} }: PlanJson): readonly Change[] =>
  Object.entries(outputs).flatMap(([name, change]) => changeOf(name, { change }));
