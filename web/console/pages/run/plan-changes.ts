/** The part of terraform's JSON form of a plan that is shown. */
export interface PlanJson {
  readonly resource_changes?: readonly PlannedResource[];
  readonly output_changes?: Readonly<Record<string, PlannedChange>>;
}

interface PlannedResource {
  readonly address: string;
  /** Absent in the root module. */
  readonly module_address?: string;
  readonly previous_address?: string;
  readonly deposed?: string;
  readonly change: PlannedChange;
}

export interface PlannedChange {
  readonly actions: readonly string[];
  readonly before?: unknown;
  readonly after?: unknown;
  readonly after_unknown?: unknown;
  readonly before_sensitive?: unknown;
  readonly after_sensitive?: unknown;
  readonly replace_paths?: readonly (readonly (string | number)[])[];
  readonly importing?: { readonly id?: string };
}

/** In the order in which they are counted: what destroys is first. */
export const actions = ['delete', 'replace', 'update', 'create', 'import', 'move', 'forget', 'read'] as const;

export type Action = (typeof actions)[number];

export interface Change {
  readonly address: string;
  /** Empty for the root module, and for outputs. */
  readonly module: string;
  /** The address within its module. */
  readonly name: string;
  readonly action: Action;
  readonly movedFrom: string | undefined;
  /** The change as the plan has it. The attributes are compared when they are shown. */
  readonly planned: PlannedChange;
}

function actionOf({ actions: planned, importing }: PlannedChange, previous: string | undefined): Action | undefined {
  if (planned.includes('delete') && planned.includes('create')) return 'replace';
  const [only] = planned;
  if (only === 'create' || only === 'update' || only === 'delete' || only === 'read' || only === 'forget') return only;
  if (importing !== undefined) return 'import';
  return previous === undefined ? undefined : 'move';
}

/** The resources that the plan changes, in its order. */
export const resourceChanges = ({ resource_changes: resources = [] }: PlanJson): readonly Change[] =>
  resources.flatMap(({ address, module_address: module = '', previous_address: movedFrom, deposed, change }) => {
    const action = actionOf(change, movedFrom);
    if (action === undefined) return [];
    const whole = deposed === undefined ? address : `${address} (${deposed})`;
    const name = module !== '' && whole.startsWith(`${module}.`) ? whole.slice(module.length + 1) : whole;
    return [{ address: whole, module, name, action, movedFrom, planned: change }];
  });

/** The outputs that the plan changes. */
export const outputChanges = ({ output_changes: outputs = {} }: PlanJson): readonly Change[] =>
  Object.entries(outputs).flatMap(([name, planned]) => {
    const action = actionOf(planned, undefined);
    return action === undefined ? [] : [{ address: name, module: '', name, action, movedFrom: undefined, planned }];
  });

/** The number of changes of each action that there is. */
export function countsOf(changes: readonly Change[]): readonly (readonly [Action, number])[] {
  const counts = new Map<Action, number>();
  for (const { action } of changes) counts.set(action, (counts.get(action) ?? 0) + 1);
  return actions.flatMap((action) => {
    const count = counts.get(action);
    return count === undefined ? [] : [[action, count] as const];
  });
}

interface Filter {
  /** An action; undefined or unknown for all. */
  readonly action?: string | undefined;
  /** Part of an address. */
  readonly text?: string | undefined;
}

/** The changes with this action whose address, present or former, contains the text, in any case. */
export function matching(changes: readonly Change[], { action, text = '' }: Filter): readonly Change[] {
  const sought = text.trim().toLowerCase();
  const isAction = actions.some((known) => known === action);
  return changes.filter(
    (change) =>
      (!isAction || change.action === action) &&
      (sought === '' ||
        change.address.toLowerCase().includes(sought) ||
        change.movedFrom?.toLowerCase().includes(sought) === true),
  );
}

/** The changes by their module, in the order in which each module comes first; the root module is before the others. */
export function byModule(changes: readonly Change[]): readonly (readonly [module: string, readonly Change[]])[] {
  const groups = new Map<string, Change[]>([['', []]]);
  for (const change of changes) {
    const group = groups.get(change.module);
    if (group === undefined) groups.set(change.module, [change]);
    else group.push(change);
  }
  return [...groups].filter(([, group]) => group.length > 0);
}
