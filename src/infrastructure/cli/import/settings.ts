import { z } from 'zod';
import { type Item, oneOf, type Ref, textOf } from './documents.js';

export type Attributes = Readonly<Record<string, unknown>>;

/** How it is executed by agents of a pool. */
export interface PoolUse {
  readonly mode: 'execution-mode' | 'default-execution-mode';
  readonly relationship: 'agent-pool' | 'default-agent-pool';
  /** Undefined if the source does not show it. */
  readonly pool: Ref | undefined;
}

/** The name of `PoolUse` in the report. */
export const poolUseInWords = 'execution mode agent';

export const text = z.string();
export const flag = z.boolean();
export const nonEmpty = z.array(z.string()).min(1);
/** Null is the empty text on the other server. */
export const describing = z.string().nullable();

/** The attributes of this shape, without those that are absent or have another form. */
export const only =
  (shape: Readonly<Record<string, z.ZodType>>) =>
  ({ attributes }: Pick<Item, 'attributes'>): Attributes =>
    Object.fromEntries(
      Object.entries(shape).flatMap(([name, schema]) => {
        const { success, data } = schema.safeParse(attributes[name]);
        return success && data !== undefined ? [[name, data]] : [];
      }),
    );

export const without = (attributes: Attributes, ...names: readonly string[]): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => !names.includes(name)));

export const isSet = (value: unknown): boolean => value !== null && value !== undefined && value !== '';

const overwrites = z.record(z.string(), z.unknown());
/** Whether it has the setting itself. Older servers do not say, and have no other place for it. */
export const setsItself = ({ attributes }: Item, name: string): boolean =>
  overwrites.safeParse(attributes['setting-overwrites']).data?.[name] !== false;

/** An older server has `operations` instead of the execution mode. */
export const modeOf = ({ attributes }: Item): unknown =>
  attributes['execution-mode'] ?? (attributes.operations === false ? 'local' : undefined);

export const poolUse =
  (prefix: '' | 'default-'): ((item: Item) => PoolUse | undefined) =>
  (item) => {
    const [mode, relationship] = [`${prefix}execution-mode`, `${prefix}agent-pool`] as const;
    if (item.attributes[mode] !== 'agent' || !setsItself(item, mode)) return undefined;
    const id = textOf(item, `${relationship}-id`);
    return { mode, relationship, pool: oneOf(item, relationship) ?? (id ? { type: 'agent-pools', id } : undefined) };
  };

/** A date that is still to come; one that follows from a duration is not set. */
export const destroyedAt = ({ attributes }: Pick<Item, 'attributes'>): string | undefined => {
  const { data } = z.iso.datetime({ offset: true }).safeParse(attributes['auto-destroy-at']);
  if (data === undefined || isSet(attributes['auto-destroy-activity-duration'])) return undefined;
  return Date.parse(data) > Date.now() ? new Date(data).toISOString() : undefined;
};
