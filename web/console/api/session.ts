import { shared } from './shared.ts';

/**
 * How this tab is signed in: with a token of its own, with the browser's session, or not; unknown until the service was
 * asked. Once the service has refused the credentials they are expired, and the pages wait for the same person.
 */
export type SignedIn = 'token' | 'browser' | 'expired' | 'no' | 'unknown';

/** The key in the tab's storage, which survives a reload and ends with the tab. */
const key = 'gatehouse-token';

/** Keeps pages of other origins from using the session's cookie. */
const ofConsole = { 'X-Gatehouse-Console': '1' };

const tokenOf = (): string | undefined => sessionStorage.getItem(key) ?? undefined;

/** How this tab is signed in. */
export const signedIn = shared<SignedIn>(tokenOf() === undefined ? 'unknown' : 'token');
/** Why the pages wait for a sign-in: the session has ended, or it is too old for what was asked. */
export const signInReason = shared<'ended' | 'too-old'>('ended');
/** Changes once the person may be another: nothing that is shown may stay. */
export const visit = shared(0);
let hasProvider = false;
let signIns = 0;
let ending: Promise<void> | undefined;

const become = (next: SignedIn): void => {
  if (next === 'token' || next === 'browser') signIns += 1;
  if (next === 'no') visit.set(visit.get() + 1);
  signedIn.set(next);
};

interface Moment {
  readonly signIns: number;
  readonly visit: number;
}

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

/** For the other tabs of this browser, when its session has begun. */
const tabs = new BroadcastChannel('gatehouse-session');

export const session = {
  get token(): string | undefined {
    return signedIn.get() === 'token' ? tokenOf() : undefined;
  },
  /** The moment at which a request is sent, for `renewed`. */
  get moment(): Moment {
    return { signIns, visit: visit.get() };
  },
  /** Finds out how the tab is signed in, unless it has a token. */
  async begin(): Promise<void> {
    if (signedIn.get() === 'token') return;
    const hasSession = await look();
    if (hasSession) tabs.postMessage('begun');
    become(hasSession ? 'browser' : 'no');
  },
  /** Without a token, with the browser's session. */
  signIn(token?: string): void {
    if (token !== undefined) sessionStorage.setItem(key, token);
    become(token === undefined ? 'browser' : 'token');
  },
  async signOut(): Promise<void> {
    if (signedIn.get() === 'browser') await fetch('/session', { method: 'DELETE', headers: ofConsole }).catch(() => {});
    await session.end();
  },
  async end(): Promise<void> {
    sessionStorage.removeItem(key);
    await look();
    become('no');
  },
  /**
   * After the service has refused a request, waits until the same person has signed in. Resolves to false if another
   * person does, if the person does not want to, or if the request is aborted.
   */
  async renewed(sent: Moment, why: 'ended' | 'too-old', signal?: AbortSignal | null): Promise<boolean> {
    if (signIns === sent.signIns && !['expired', 'no'].includes(signedIn.get())) {
      signInReason.set(why);
      await expire();
    }
    while (signedIn.get() === 'expired' && !signal?.aborted) await nextChange(signal);
    return visit.get() === sent.visit && signIns !== sent.signIns && !signal?.aborted;
  },
  /** Goes on with a session that is too old for what was asked, which is then refused. */
  keep(): void {
    signedIn.set('browser');
  },
  /** Calls `listener` when a person has signed in with the identity provider in another tab. Returns how to stop that. */
  whenBegunElsewhere(listener: () => void): () => void {
    tabs.addEventListener('message', listener);
    return () => tabs.removeEventListener('message', listener);
  },
  /** Headers of every request. */
  headers(token?: string): Record<string, string> {
    const bearer = token ?? session.token;
    return { ...ofConsole, ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }) };
  },
};

/** Resolves once the tab is signed in otherwise, or at the signal. */
const nextChange = (signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve) => {
    const unsubscribe = signedIn.subscribe(() => {
      unsubscribe();
      resolve();
    });
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });

/** Forgets the credentials, once for all requests that are refused at the same time. */
const expire = (): Promise<void> => {
  ending ??= (async () => {
    sessionStorage.removeItem(key);
    await look();
    become('expired');
  })().finally(() => {
    ending = undefined;
  });
  return ending;
};

/** The address that signs in with the identity provider and comes back here; undefined without a provider. */
export const providerAddress = (): string | undefined =>
  hasProvider ? `/session/sign-in?return_to=${encodeURIComponent(location.pathname + location.search)}` : undefined;
