import { addresses } from '../addresses.ts';
import { noResponse, problemOf } from './problem.ts';
import { shared } from './shared.ts';

/**
 * Whether this tab is signed in, by the browser's session, which all tabs share; unknown until the service was asked. Once
 * the service has refused the session it is expired, and the pages wait for the same person.
 */
export type SignedIn = 'yes' | 'expired' | 'no' | 'unknown';

/** Keeps pages of other origins from using the session's cookie. */
const ofConsole = { 'X-Gatehouse-Console': '1' };

export const signedIn = shared<SignedIn>('unknown');

/** Whether the person may see pages, also while their session has expired. */
export const useIsSignedIn = (): boolean => !['no', 'unknown'].includes(signedIn.useValue());
/** Why the pages wait for a sign-in: the session has ended, or it is too old for what was asked. */
export const signInReason = shared<'ended' | 'too-old'>('ended');
/** Changes once the person may be another: nothing that is shown may stay. */
export const visit = shared(0);
let hasProvider = false;
let signIns = 0;
let ending: Promise<void> | undefined;
/** The id of the user whose pages are shown, or who signs in again. */
let person: string | undefined;

const become = (next: SignedIn): void => {
  if (next === 'yes') signIns += 1;
  if (next === 'no') visit.set(visit.get() + 1);
  signedIn.set(next);
};

/** Goes on as this user. Nothing stays that another one was shown, or has entered. */
function goOnAs(id: string): void {
  if (person !== id && ['yes', 'expired'].includes(signedIn.get())) become('no');
  person = id;
  become('yes');
}

interface Moment {
  readonly signIns: number;
  readonly visit: number;
}

interface Answer {
  readonly data: {
    readonly attributes: { readonly 'sign-in': boolean; readonly user: { readonly id: string } | null };
  };
}

/** The user of the browser's session; also finds out whether people sign in with an identity provider. */
async function look(): Promise<string | undefined> {
  try {
    const response = await fetch('/session', { headers: ofConsole });
    const { attributes } = ((await response.json()) as Answer).data;
    hasProvider = attributes['sign-in'];
    return attributes.user?.id;
  } catch {
    // A token can be given all the same, and the answer shows what is wrong with the service.
    return undefined;
  }
}

/** For the other tabs of this browser: the user for whom its session has begun, or null once it was ended. */
const tabs = new BroadcastChannel('gatehouse-session');

tabs.addEventListener('message', ({ data: id }: MessageEvent<string | null>) => {
  const now = signedIn.get();
  if (id === null) {
    if (now === 'yes') become('no');
  } else if (now === 'no' || (now === 'yes' && id !== person) || (now === 'expired' && id === person)) {
    goOnAs(id);
  }
});

/** A user token, or the code of a link. */
export type Credentials = { readonly token: string } | { readonly code: string };

export const session = {
  /** The moment at which a request is sent, for `renewed`. */
  get moment(): Moment {
    return { signIns, visit: visit.get() };
  },
  /** Finds out whether the browser is signed in. */
  async begin(): Promise<void> {
    const id = await look();
    if (id === undefined) return become('no');
    tabs.postMessage(id);
    goOnAs(id);
  },
  /** Signs all tabs in; the credentials are not kept. `before` is called before the pages show it. Throws `Problem`. */
  async signIn(credentials: Credentials, before: () => void = () => {}): Promise<void> {
    const response = await fetch('/session', {
      method: 'POST',
      headers: { ...ofConsole, 'Content-Type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'sessions', attributes: credentials } }),
    }).catch(() => {
      throw noResponse('read');
    });
    if (!response.ok) throw await problemOf(response);
    const id = ((await response.json()) as Answer).data.attributes.user?.id;
    // It has ended already.
    if (id === undefined) return;
    before();
    tabs.postMessage(id);
    goOnAs(id);
  },
  /** Signs all tabs out. */
  async signOut(): Promise<void> {
    if (signedIn.get() === 'yes') {
      await fetch('/session', { method: 'DELETE', headers: ofConsole }).catch(() => {});
      tabs.postMessage(null);
    }
    await session.end();
  },
  /** Shows the sign-in, and forgets what was entered. */
  async end(): Promise<void> {
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
    signedIn.set('yes');
  },
  /** Headers of every request. */
  headers(): Record<string, string> {
    return ofConsole;
  },
};

/** The code of the link that the tab was opened with. It is taken out of the address and its history at once. */
export const linkCode = shared<string | undefined>(undefined);

function takeCode(): void {
  if (location.pathname !== addresses.signIn || !location.hash.startsWith('#code=')) return;
  linkCode.set(location.hash.slice('#code='.length));
  history.replaceState(history.state, '', addresses.signIn);
}
takeCode();
// A second link that is opened in the same tab does not load the page again.
addEventListener('hashchange', takeCode);

/** Resolves once the tab is signed in otherwise, or at the signal. */
const nextChange = (signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve) => {
    const unsubscribe = signedIn.subscribe(() => {
      unsubscribe();
      resolve();
    });
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });

/** Waits for a sign-in, once for all requests that are refused at the same time. */
const expire = (): Promise<void> => {
  ending ??= (async () => {
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
