import type { Instant } from '../shared/id.js';

/** When a grant ends, and the grant that is in force from then on; null for none. */
export interface Ending<Given> {
  readonly at: Instant;
  readonly fallback: Given | null;
}

/** A grant without `ends` is permanent. */
export type Timed<Given> = Given & { readonly ends?: Ending<Given> };

/** The part of the schedule that is in force at an instant; undefined if there is none. */
export function grantAt<Given extends object>(grant: Timed<Given>, at: Instant): Timed<Given> | undefined {
  const { ends } = grant;
  return ends === undefined || at < ends.at ? grant : (ends.fallback ?? undefined);
}
