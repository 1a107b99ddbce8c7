import { describe, expect, it } from '@jest/globals';
import { type ApiToken, hasExpired, TeamToken } from '../../src/domain/index.js';
import { issueToken } from '../../src/domain/tokens/api-token.js';
import { fc, runs } from '../support/properties.js';
import { later, noon, thrownBy } from './samples.js';

const requested: Omit<ApiToken, 'lastUsedAt'> = {
  id: 'at-1',
  owner: { kind: 'team', id: 'team-1' },
  secretDigest: 'c'.repeat(64),
  description: null,
  createdBy: { kind: 'user', id: 'user-1' },
  madeInSession: false,
  createdAt: noon,
  expiresAt: null,
};

const aMillisecondAfterNoon = '2026-03-01T12:00:00.001Z';
const aMillisecondBeforeNoon = '2026-03-01T11:59:59.999Z';

/** The years that ISO 8601 writes with four digits. */
const anyInstant = fc
  .date({ min: new Date('0000-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

describe('issuing a token', () => {
  it('keeps what was asked for, never used so far', () => {
    expect(issueToken(requested)).toEqual({ ...requested, lastUsedAt: null });
    expect(issueToken({ ...requested, expiresAt: later }).expiresAt).toBe(later);
  });

  it('takes an expiry right after its making', () => {
    expect(issueToken({ ...requested, expiresAt: aMillisecondAfterNoon }).expiresAt).toBe(aMillisecondAfterNoon);
  });

  it.each([noon, aMillisecondBeforeNoon])('refuses one that would be expired from the start, as of %s', (expiresAt) => {
    expect(thrownBy(() => issueToken({ ...requested, expiresAt }))).toMatchObject({
      code: 'attribute/invalid',
      message: 'Expired at must be in the future',
      details: { attribute: 'expiredAt' },
    });
  });

  it('makes a token that cannot be altered, and leaves the request alone', () => {
    const token = issueToken(requested);
    expect(() => Object.assign(token, { expiresAt: null })).toThrow(TypeError);
    expect(Object.isFrozen(requested)).toBe(false);
  });
});

describe('the token of a team', () => {
  const { owner: _, description: __, madeInSession: ___, ...values } = requested;

  it('is its team and what was issued last', () => {
    const token = TeamToken.issue('team-1', values);
    expect(token).toMatchObject({ teamId: 'team-1', values: { ...values, lastUsedAt: null } });
    expect(token.apiToken).toEqual(issueToken(requested));
    expect(TeamToken.restore(token.teamId, token.values)).toEqual(token);
  });

  it('is refused, if it would be expired from the start', () => {
    expect(thrownBy(() => TeamToken.issue('team-1', { ...values, expiresAt: noon }))).toMatchObject({
      code: 'attribute/invalid',
    });
  });

  it('expires at its instant', () => {
    const token = TeamToken.issue('team-1', { ...values, expiresAt: later });
    expect([noon, later].map((now) => token.hasExpired(now))).toEqual([false, true]);
  });

  it('cannot be altered', () => {
    const token = TeamToken.issue('team-1', values);
    expect(() => Object.assign(token, { teamId: 'team-2' })).toThrow(TypeError);
    expect(() => Object.assign(token.values, { expiresAt: null })).toThrow(TypeError);
  });
});

describe('a token', () => {
  it('that never expires is never expired', () => {
    fc.assert(fc.property(anyInstant, (now) => expect(hasExpired({ expiresAt: null }, now)).toBe(false)));
  });

  it('is refused from the instant of its expiry on', () => {
    expect(hasExpired({ expiresAt: noon }, aMillisecondBeforeNoon)).toBe(false);
    expect(hasExpired({ expiresAt: noon }, noon)).toBe(true);
    expect(hasExpired({ expiresAt: noon }, aMillisecondAfterNoon)).toBe(true);
  });

  it('just issued is good at the moment of its making', () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, (createdAt, expiresAt) => {
        fc.pre(expiresAt > createdAt);
        expect(hasExpired(issueToken({ ...requested, createdAt, expiresAt }), createdAt)).toBe(false);
      }),
    );
  });
});

describe('instants', () => {
  it('compare as text as they compare in time', () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, (a, b) => {
        expect(a < b).toBe(Date.parse(a) < Date.parse(b));
        expect(hasExpired({ expiresAt: a }, b)).toBe(Date.parse(a) <= Date.parse(b));
      }),
      { numRuns: runs(500) },
    );
  });
});
