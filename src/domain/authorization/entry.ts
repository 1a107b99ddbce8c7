import { DomainError } from '../shared/domain-error.js';

/** How an organization limits what its members use to enter it. In minutes; null for no limit. */
export interface EntryRules {
  readonly userTokensEnabled: boolean;
  readonly sessionTimeout: number | null;
  readonly sessionRemember: number | null;
}

/** The token or session that a user enters an organization with. In seconds; 0 for a token. */
export interface Entry {
  /** Whether it is a token, or a session that no identity signed in. */
  readonly withToken: boolean;
  readonly idle: number;
  readonly age: number;
}

const exceeds = (seconds: number, minutes: number | null): boolean => minutes !== null && seconds > minutes * 60;

const barriers = {
  'user token': {
    bars: ({ withToken }: Entry, rules: EntryRules) => withToken && !rules.userTokensEnabled,
    sentence:
      'this organization does not accept user tokens, nor sessions made from one; sign in with the identity provider, or use a team or organization token',
  },
  'idle session': {
    bars: ({ idle }: Entry, rules: EntryRules) => exceeds(idle, rules.sessionTimeout),
    sentence: 'the session was unused for longer than this organization allows; sign in again',
  },
  'old session': {
    bars: ({ age }: Entry, rules: EntryRules) => exceeds(age, rules.sessionRemember),
    sentence: 'the sign-in is longer ago than this organization allows; sign in again',
  },
};

/** Why an organization refuses a token or a session that its member may use elsewhere. */
export type Bar = keyof typeof barriers;

const bars = Object.keys(barriers) as readonly Bar[];

export const barOf = (entry: Entry | undefined, rules: EntryRules): Bar | undefined =>
  entry && bars.find((name) => barriers[name].bars(entry, rules));

/** Leads to a sign-in, so it is the refusal of a caller without a valid token. */
export const barred = (bar: Bar): DomainError => new DomainError('actor/unauthenticated', barriers[bar].sentence);
