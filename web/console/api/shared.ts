import { useSyncExternalStore } from 'react';

/** A value outside of components, which they and others follow. */
export interface Shared<Value> {
  readonly get: () => Value;
  readonly set: (next: Value) => void;
  /** Calls the listener after each change. Returns how to stop that. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The value in a component, which renders again when it changes. */
  readonly useValue: () => Value;
}

export function shared<Value>(initial: Value): Shared<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  const get = (): Value => value;
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const set = (next: Value): void => {
    if (Object.is(next, value)) return;
    value = next;
    for (const listener of listeners) listener();
  };
  return { get, set, subscribe, useValue: () => useSyncExternalStore(subscribe, get) };
}
