import { useSyncExternalStore } from 'react';

/** How this tab is signed in: with a token of its own, with the browser's session, or not; unknown until the service was asked. */
export type SignedIn = 'token' | 'browser' | 'no' | 'unknown';

/** The key in the tab's storage, which survives a reload and ends with the tab. */
const key = 'gatehouse-token';

/** Keeps pages of other origins from using the session's cookie. */
const ofConsole = { 'X-Gatehouse-Console': '1' };

const tokenOf = (): string | undefined => sessionStorage.getItem(key) ?? undefined;

let signedIn: SignedIn = tokenOf() === undefined ? 'unknown' : 'token';
let hasProvider = false;
const listeners = new Set<() => void>();

const become = (next: SignedIn): void => {
  signedIn = next;
  for (const listener of listeners) listener();
};

interface Answer {
  readonly data: { readonly attributes: { readonly 'sign-in': boolean; readonly user: object | null } };
}

/** Whether the browser has a session; also finds out whether people can sign in with an identity provider. */
async function look(): Promise<boolean> {
  try {
    const response = await fetch('/session', { headers: ofConsole });
    const { attributes } = ((await response.json()) as Answer).data;
    hasProvider = attributes['sign-in'];
    return attributes.user !== null;
  } catch {
    // A token can be pasted all the same, and its check shows what is wrong with the service.
    return false;
  }
}

export const session = {
  get token(): string | undefined {
    return signedIn === 'token' ? tokenOf() : undefined;
  },
  /** Finds out how the tab is signed in, unless it has a token. */
  async begin(): Promise<void> {
    if (signedIn !== 'token') become((await look()) ? 'browser' : 'no');
  },
  signIn(token: string): void {
    sessionStorage.setItem(key, token);
    become('token');
  },
  async signOut(): Promise<void> {
    if (signedIn === 'browser') await fetch('/session', { method: 'DELETE', headers: ofConsole }).catch(() => {});
    await session.end();
  },
  /** After a sign-out, or once the service has refused the credentials. */
  async end(): Promise<void> {
    sessionStorage.removeItem(key);
    await look();
    become('no');
  },
  /** Headers of every request. */
  headers(): Record<string, string> {
    const { token } = session;
    return { ...ofConsole, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) };
  },
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Renders again when that changes. */
export const useSignedIn = (): SignedIn => useSyncExternalStore(subscribe, () => signedIn);

/** The address that signs in with the identity provider and comes back here; undefined without a provider. */
export const providerAddress = (): string | undefined =>
  hasProvider ? `/session/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}` : undefined;
