import { describe, expect, it } from '@jest/globals';
import { alreadyTaken, completedRunStatuses, stages, teamNameKey } from '../../src/domain/index.js';
import { checkName, checkPrintableName } from '../../src/domain/shared/name.js';
import { checkEmail, initialDefaults, organization } from '../../src/domain/supporting/organizations/organization.js';
import { initialSettings } from '../../src/domain/supporting/organizations/organization-settings.js';
import { checkUsername } from '../../src/domain/supporting/users/user.js';
import { fc } from '../support/properties.js';
import { noon, thrownBy } from './samples.js';

const invalid = (attribute: string, message: string) => ({
  code: 'attribute/invalid',
  message,
  details: { attribute },
});

describe('the name of an organization or workspace', () => {
  const sentence = 'Name must be 1 to 90 letters, digits, dashes and underscores';

  it.each(['a', 'acme', 'Acme-2_x', '-', '_', '0', 'x'.repeat(90)])('may be %s', (name) => {
    expect(checkName(name)).toBe(name);
  });

  it.each(['', 'x'.repeat(91), 'two words', 'a/b', 'a.b', 'naïve', 'a\n', '\na', 'a%20b', '..'])(
    'may not be %j',
    (name) => {
      expect(thrownBy(() => checkName(name))).toMatchObject(invalid('name', sentence));
    },
  );

  it('stands in a URL as it is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), (name) => {
        try {
          checkName(name);
        } catch {
          return;
        }
        expect(encodeURIComponent(name)).toBe(name);
      }),
    );
  });
});

describe('the name of a team', () => {
  it.each([
    'sre',
    'Site reliability / EU',
    'Équipe réseau',
    'ネットワーク',
    'Équipe',
    'a.b+c@d#1 (old) "x" <y>',
    '€ & £',
    '🚀',
    'x'.repeat(90),
    '🚀'.repeat(90),
  ])('may be %s', (name) => {
    expect(checkPrintableName(name)).toBe(name);
  });

  it.each([
    ['is empty', ''],
    ['is too long', 'x'.repeat(91)],
    ['is a blank', ' '],
    ['begins with a blank', ' sre'],
    ['ends with a blank', 'sre '],
    ['has another line', 'a\nb'],
    ['has a tab', 'a\tb'],
    ['has a NUL', 'a\u0000b'],
    ['has an escape', 'a\u001b[31m'],
    ['has a control character of Latin 1', 'a\u009bb'],
    ['has a line separator', 'a\u2028b'],
    ['has a blank that does not break', 'a\u00a0b'],
    ['turns the direction', 'a\u202eb'],
    ['isolates a direction', 'a\u2066b'],
    ['marks a direction', 'a\u200fb'],
    ['has a blank without width', 'a\u200bb'],
    ['joins without width', 'a\u200db'],
    ['has a word joiner', 'a\u2060b'],
    ['has a byte order mark', '\ufeffa'],
    ['has a soft hyphen', 'a\u00adb'],
    ['has a letter that fills', 'a\u3164b'],
    ['has an empty pattern of Braille', 'a\u2800b'],
    ['chooses a variant', 'a\ufe0fb'],
    ['has a tag', 'a\u{e0061}b'],
    ['has half a character', 'a\ud83d'],
    ['has a character of private use', 'a\ue000b'],
  ])('may not be one that %s', (_what, name) => {
    expect(thrownBy(() => checkPrintableName(name))).toMatchObject(
      invalid('name', 'Name must be 1 to 90 printable characters and must not begin or end with a space'),
    );
  });

  it('is compared in lower case, composed or not', () => {
    expect(teamNameKey('ÉQUIPE')).toBe(teamNameKey('e\u0301quipe'));
    for (const same of ['ΟΔΟΣ', 'οδος', 'οδοσ']) expect(teamNameKey(same)).toBe(teamNameKey('Οδος'));
    for (const owners of ['OWNERS', 'ownerſ']) expect(teamNameKey(owners)).toBe('owners');
    expect(teamNameKey('Ops')).not.toBe(teamNameKey('Opz'));
  });
});

describe('the name of a user', () => {
  it.each(['a', 'ada.lovelace', 'a_b-c.1', 'x'.repeat(60)])('may be %s', (name) => {
    expect(checkUsername(name)).toBe(name);
  });

  it.each(['', 'x'.repeat(61), 'a b', 'a@b', 'a/b', 'a\n'])('may not be %j', (name) => {
    expect(thrownBy(() => checkUsername(name))).toMatchObject(
      invalid('username', 'Username must be 1 to 60 letters, digits, dots, dashes and underscores'),
    );
  });
});

describe('an e-mail address', () => {
  it.each(['a@b', 'ops@example.com', 'a.b+c@sub.example.org', `${'x'.repeat(64)}@${'y'.repeat(190)}`])(
    'may be %s',
    (address) => {
      expect(checkEmail(address)).toBe(address);
    },
  );

  it.each([
    '',
    'a',
    '@b',
    'a@',
    'a b@c',
    'a@b c',
    'a@b@c',
    'a@b\n',
    'a\u0001@b',
    'a\u202eb@c',
    'a\u200b@b',
    `${'x'.repeat(65)}@b`,
    `a@${'y'.repeat(191)}`,
  ])('may not be %j', (address) => {
    expect(thrownBy(() => checkEmail(address))).toMatchObject(invalid('email', 'Email must be an e-mail address'));
  });
});

describe('an organization', () => {
  const fixed = { defaults: initialDefaults, settings: initialSettings, retention: null, createdAt: noon };
  const acme = { id: 'org-1', name: 'acme', email: 'ops@example.com', ...fixed };

  it('is kept as given and cannot be altered', () => {
    expect(organization(acme)).toEqual(acme);
    expect(() => Object.assign(organization(acme), { name: 'other' })).toThrow(TypeError);
  });

  it('needs a good name and a good address', () => {
    expect(thrownBy(() => organization({ ...acme, name: '' }))).toMatchObject({ details: { attribute: 'name' } });
    expect(thrownBy(() => organization({ ...acme, email: '' }))).toMatchObject({ details: { attribute: 'email' } });
  });
});

describe('a name that is taken', () => {
  it('is called so by its label and pointed at by its attribute', () => {
    expect(alreadyTaken('username', 'Username')).toMatchObject({
      code: 'attribute/taken',
      message: 'Username has already been taken',
      details: { attribute: 'username' },
    });
  });
});

describe('the statuses of a run', () => {
  it('belong to five stages', () => {
    expect(stages).toEqual({
      pending: ['pending', 'fetching', 'plan_queued', 'pre_plan_running', 'pre_plan_completed'],
      plan: ['planning', 'planned', 'planned_and_saved'],
      'policy check': ['post_plan_running', 'post_plan_awaiting_decision', 'post_plan_completed'],
      apply: ['confirmed', 'pre_apply_running', 'pre_apply_completed', 'apply_queued', 'applying'],
      completion: ['applied', 'planned_and_finished', 'discarded', 'errored', 'canceled'],
    });
  });

  it('are each in one stage only', () => {
    const all = Object.values(stages).flat();
    expect(new Set(all).size).toBe(all.length);
  });

  it('of completion are those after which nothing happens any more', () => {
    expect(completedRunStatuses).toEqual(['applied', 'planned_and_finished', 'discarded', 'errored', 'canceled']);
  });
});
