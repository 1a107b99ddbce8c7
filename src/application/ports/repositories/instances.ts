import type { Instant } from '../../../domain/index.js';

/** The secrets that the instances on one database sign and seal with, as fingerprints that do not reveal them. */
export interface SigningKeys {
  /**
   * Registers these fingerprints as in use if one of them is registered or none is at all; returns whether it did.
   * Throws `shared/stale-revision` if another instance registers one concurrently.
   */
  join(fingerprints: readonly string[], now: Instant): Promise<boolean>;
  /** Returns what `join` would return, without changes. */
  fits(fingerprints: readonly string[]): Promise<boolean>;
  /** Removes fingerprints that were last registered before then. */
  forget(before: Instant): Promise<void>;
}

/** The requests per second, by caller. */
export type Demand = Readonly<Record<string, number>>;

/** The rates that the instances on one database exchange about callers with many requests. */
export interface RequestRates {
  /** Replaces the instance's previous report. */
  note(instance: string, demand: Demand, now: Instant): Promise<void>;
  /** The reports of the other instances since then. */
  ofOthers(instance: string, since: Instant): Promise<readonly Demand[]>;
  /** Removes earlier reports: their instances have ended, or have nothing to report. */
  forget(before: Instant): Promise<void>;
}
