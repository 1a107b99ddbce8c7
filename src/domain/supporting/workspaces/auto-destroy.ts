import { invalidAttribute } from '../../shared/domain-error.js';
import { type Instant, later, type StateVersionId } from '../../shared/id.js';
import type { TokenOwner } from '../../shared/token-owner.js';

/** When a workspace's resources are destroyed by a run of the service. At least one of the first two is set. */
export interface AutoDestroy {
  /** When the run is created; null while there is nothing to destroy. */
  readonly at: Instant | null;
  /** How long after the last new state, such as `14d` or `12h`; null if only `at` was set. */
  readonly activityDuration: string | null;
  /** The admin who set it: the run is created, and applied, for as long as this one remains an admin. */
  readonly by: TokenOwner;
}

/** The schedule of a project, for its workspaces without one of their own. */
export interface ProjectAutoDestroy {
  /** How long after the last new state, as in a workspace. */
  readonly activityDuration: string;
  /** When it was set. That is an activity in every workspace. */
  readonly since: Instant;
  /** No workspace is due before. */
  readonly nextCheckAt: Instant;
  /** The runs are created on behalf of this admin, as in a workspace. */
  readonly by: TokenOwner;
}

/** A workspace without a schedule of its own has one that depends on these. */
export interface InheritedDestruction {
  /** Whether the workspace has no schedule either if its project has one. */
  readonly ignored: boolean;
  /** When the workspace began to follow the project that it is in. Null for its creation. */
  readonly since: Instant | null;
  /** The creation of the current state, for which the time has come already; of another state otherwise. */
  readonly doneFor: Instant | null;
  /** The creation of the current state. */
  readonly lastStateAt: Instant | null;
  readonly project: ProjectAutoDestroy | null;
}

export const nothingInherited: InheritedDestruction = {
  ignored: false,
  since: null,
  doneFor: null,
  lastStateAt: null,
  project: null,
};

/** The members of a workspace that its destruction depends on. */
export interface Destroyed {
  readonly autoDestroy: AutoDestroy | null;
  readonly inheritedDestruction: InheritedDestruction;
}

/** Unnamed members keep their value; null unsets. */
export interface AutoDestroyChange {
  /** True unsets what the workspace has of its own; false has it ignore the project. */
  readonly inherits?: boolean;
  readonly at?: Instant | null;
  readonly activityDuration?: string | null;
}

/** Whether there is anything to destroy. Until a state has been read, it may have resources. */
export const hasResources = ({
  stateVersionId,
  resourceCount,
}: {
  readonly stateVersionId: StateVersionId | null;
  readonly resourceCount: number | null;
}): boolean => stateVersionId !== null && resourceCount !== 0;

const form = /^(?=\d*[1-9])(\d{1,4})([dh])$/;
const secondsOfUnit: Readonly<Record<string, number>> = { d: 86_400, h: 3_600 };

/** Throws `attribute/invalid` for a malformed duration. */
export function secondsOf(activityDuration: string): number {
  const [, digits = '', unit = ''] = form.exec(activityDuration) ?? [];
  const seconds = secondsOfUnit[unit];
  if (seconds === undefined) {
    const rule = 'Auto destroy activity duration must be 1 to 9999, followed by d for days or h for hours';
    throw invalidAttribute('autoDestroyActivityDuration', rule);
  }
  return Number(digits) * seconds;
}

const orNull = (next: AutoDestroy): AutoDestroy | null =>
  next.at === null && next.activityDuration === null ? null : next;

/** The schedule once something happened in the workspace, after which it has resources or not. */
export const afterActivity = (current: AutoDestroy, now: Instant, hasResources: boolean): AutoDestroy =>
  current.activityDuration === null
    ? current
    : { ...current, at: hasResources ? later(now, secondsOf(current.activityDuration)) : null };

export const inheritsAutoDestroy = ({ autoDestroy, inheritedDestruction }: Destroyed): boolean =>
  autoDestroy === null && !inheritedDestruction.ignored;

/** The schedule that a workspace has: its own, or that of its project. Null for none. */
export function effectiveAutoDestroy(workspace: Destroyed, hasResources: boolean): AutoDestroy | null {
  const { since, doneFor, lastStateAt, project } = workspace.inheritedDestruction;
  if (!inheritsAutoDestroy(workspace)) return workspace.autoDestroy;
  if (project === null) return null;
  const { activityDuration, by } = project;
  if (lastStateAt === null || lastStateAt === doneFor || !hasResources) return { at: null, activityDuration, by };
  const began = [lastStateAt, since ?? '', project.since].reduce((latest, other) => (other > latest ? other : latest));
  return { at: later(began, secondsOf(activityDuration)), activityDuration, by };
}

/** The schedule once its time has come: it happens once, and again only after the next activity. */
export function afterItsTime({ autoDestroy, inheritedDestruction }: Destroyed): Destroyed {
  const done = { ...inheritedDestruction, doneFor: inheritedDestruction.lastStateAt };
  return { autoDestroy: autoDestroy && orNull({ ...autoDestroy, at: null }), inheritedDestruction: done };
}

/** A workspace in another project follows that one from now on. */
export const inProject = (
  current: InheritedDestruction,
  project: ProjectAutoDestroy | null,
  now: Instant,
): InheritedDestruction => ({ ...current, project, since: now });

/** The requested schedule of a project. Null for none. Throws `attribute/invalid` for a malformed duration. */
export function changedProjectAutoDestroy(
  current: ProjectAutoDestroy | null,
  activityDuration: string | null,
  { by, now }: { readonly by: TokenOwner; readonly now: Instant },
): ProjectAutoDestroy | null {
  if (activityDuration === null) return null;
  if (activityDuration === current?.activityDuration) return current;
  return { activityDuration, since: now, nextCheckAt: later(now, secondsOf(activityDuration)), by };
}

interface ChangeFacts {
  readonly by: TokenOwner;
  readonly now: Instant;
  readonly hasResources: boolean;
}

function changedOwn(
  current: AutoDestroy | null,
  { at, activityDuration }: AutoDestroyChange,
  { by, now, hasResources }: ChangeFacts,
): AutoDestroy | null {
  const before = current ?? { at: null, activityDuration: null, by };
  const kept = at === undefined || at === null || at === before.at ? before.activityDuration : null;
  const duration = activityDuration === undefined ? kept : activityDuration;
  const next = { ...before, activityDuration: duration, by };
  if (duration !== null) secondsOf(duration);
  const isNew = duration !== before.activityDuration;
  // Clients unset the time along with a new duration, which then sets it.
  const counts = isNew && (at === undefined || (at === null && duration !== null));
  if (at !== undefined && !counts) return orNull({ ...next, at });
  if (!counts) return orNull(next);
  return orNull(duration === null ? { ...next, at: null } : afterActivity(next, now, hasResources));
}

/**
 * The requested schedule. A time replaces the duration that the request does not name; one that has passed is due at once.
 * A duration counts from now, since a change of it is an activity, unless the request names the time too; unsetting the
 * duration unsets the time it led to. A workspace that begins to inherit does so from now. Throws `attribute/invalid` for
 * a malformed duration, and for a schedule along with `inherits`.
 */
export function changedAutoDestroy(current: Destroyed, change: AutoDestroyChange, facts: ChangeFacts): Destroyed {
  const { at = null, activityDuration = null, inherits } = change;
  if (inherits === true && (at !== null || activityDuration !== null)) {
    const rule = 'Inherits project auto destroy cannot be true with an auto destroy time or duration of the workspace';
    throw invalidAttribute('inheritsProjectAutoDestroy', rule);
  }
  const autoDestroy = inherits === true ? null : changedOwn(current.autoDestroy, change, facts);
  const { inheritedDestruction } = current;
  const next = {
    autoDestroy,
    inheritedDestruction: {
      ...inheritedDestruction,
      ignored: inherits === undefined ? inheritedDestruction.ignored : !inherits,
    },
  };
  if (!inheritsAutoDestroy(next) || inheritsAutoDestroy(current)) return next;
  return { ...next, inheritedDestruction: { ...next.inheritedDestruction, since: facts.now } };
}
