import type { Instant } from '../../../domain/index.js';

/** By which secrets the instances on one database sign and seal: names from which nobody can tell the secret. */
export interface SigningKeys {
  /**
   * Notes that all of these are in use, if one of them is known or none at all; answers whether it did. Throws
   * `shared/stale-revision` when another instance adds one at the same moment.
   */
  join(fingerprints: readonly string[], now: Instant): Promise<boolean>;
  /** Whether it would do so, which changes nothing. */
  fits(fingerprints: readonly string[]): Promise<boolean>;
  /** Those that were not noted since then are known no more. */
  forget(before: Instant): Promise<void>;
}

/** How many requests a second were asked for, by caller. */
export type Demand = Readonly<Record<string, number>>;

/** What the instances on one database tell each other of callers that ask for much. */
export interface RequestRates {
  /** Takes the place of what the instance noted before. */
  note(instance: string, demand: Demand, now: Instant): Promise<void>;
  /** What each of the others noted since then. */
  ofOthers(instance: string, since: Instant): Promise<readonly Demand[]>;
  /** What was noted before then is gone: its instance has ended, or has nothing to tell. */
  forget(before: Instant): Promise<void>;
}
