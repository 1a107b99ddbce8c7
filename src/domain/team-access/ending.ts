import { DomainError, invalidAttribute } from '../shared/domain-error.js';
import { type Instant, later } from '../shared/id.js';
import { grantAt, type Timed } from './timed-grant.js';

/** `previous` is the permanent grant that stood before the change, or none if there was no access. */
export const fallbacks = ['none', 'previous'] as const;

export interface RequestedEnd {
  /** Null for no end. If it is absent, the access keeps the end that it has. */
  readonly expiresAt?: Instant | null | undefined;
  /** If it is absent, the access keeps its own, by default `previous`. */
  readonly fallback?: (typeof fallbacks)[number] | undefined;
}

/** The bounds of a change of access. */
export interface EndBounds<Given> {
  readonly now: Instant;
  /** When the caller loses the right to give the grant; null for never. */
  rightEnds(given: Given): Instant | null;
}

export const maxAccessDays = 365;

/**
 * `given` with the end that is requested. `before` is the access until the change. Throws `attribute/invalid` for an end
 * that is not in the next 365 days, and for a fallback without an end.
 */
export function withEnd<Given extends object>(
  given: Given,
  before: Timed<Given> | undefined,
  { expiresAt, fallback }: RequestedEnd,
  now: Instant,
): Timed<Given> {
  const at = expiresAt === undefined ? before?.ends?.at : (expiresAt ?? undefined);
  if (at === undefined) {
    if (fallback === undefined) return given;
    throw invalidAttribute('then', 'Then has no effect without an end: send expires-at with it');
  }
  if (expiresAt != null) checkEnd(expiresAt, now);
  const stood = before === undefined ? null : before.ends === undefined ? before : before.ends.fallback;
  return { ...given, ends: { at, fallback: fallback === 'none' ? null : stood } };
}

function checkEnd(at: Instant, now: Instant): void {
  if (at <= now) throw invalidAttribute('expiresAt', 'Expires at must be in the future');
  const latest = later(now, maxAccessDays * 86_400);
  if (at <= latest) return;
  throw invalidAttribute('expiresAt', `Expires at must be at most ${maxAccessDays} days away: ${latest} or earlier`);
}

/**
 * Throws `attribute/invalid` if the access gives anything after the caller's right to change it ends that it did not give
 * before the change. `includes` compares two grants.
 */
export function checkOutlived<Given extends object>(
  before: Timed<Given> | undefined,
  after: Timed<Given>,
  bounds: EndBounds<Given>,
  includes: (held: Given, given: Given) => boolean,
): void {
  const rightEnds = bounds.rightEnds(after);
  if (rightEnds === null) return;
  const instants = [rightEnds, before?.ends?.at, after.ends?.at].filter((at) => at !== undefined && at >= rightEnds);
  const isGain = (at: Instant) => {
    const given = grantAt(after, at);
    const stood = before && grantAt(before, at);
    return given !== undefined && (stood === undefined || !includes(stood, given));
  };
  if (!instants.some((at) => isGain(at as Instant))) return;
  throw new DomainError(
    'attribute/invalid',
    `Expires at must be ${rightEnds} or earlier, with the access that stood before from then on: your own right to change it ends then`,
    { attribute: 'expiresAt', until: rightEnds },
  );
}
