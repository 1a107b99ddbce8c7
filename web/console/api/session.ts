import { useSyncExternalStore } from 'react';

/** The key in the tab's storage, which survives a reload and ends with the tab. */
const key = 'gatehouse-token';

const listeners = new Set<() => void>();
const changed = (): void => {
  for (const listener of listeners) listener();
};

/** How this tab is signed in. A cookie session would be another member, which sends no Authorization header. */
export const session = {
  get token(): string | undefined {
    return sessionStorage.getItem(key) ?? undefined;
  },
  signIn(token: string): void {
    sessionStorage.setItem(key, token);
    changed();
  },
  signOut(): void {
    sessionStorage.removeItem(key);
    changed();
  },
  /** Headers of every request. The second keeps forms of other sites from using a cookie. */
  headers(): Record<string, string> {
    const { token } = session;
    return { 'X-Gatehouse-Console': '1', ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) };
  },
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Renders again when the tab signs in or out. */
export const useSignedIn = (): boolean => useSyncExternalStore(subscribe, () => session.token !== undefined);
