import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  alreadyTaken,
  checkEmail,
  checkName,
  checkUsername,
  completedRunStatuses,
  initialDefaults,
  organization,
  stages,
} from '../../src/domain/index.js';
import { noon, thrownBy } from './samples.js';

const invalid = (attribute: string, message: string) => ({
  code: 'attribute/invalid',
  message,
  details: { attribute },
});

describe('the name of an organization, workspace or team', () => {
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

  it.each(['', 'a', '@b', 'a@', 'a b@c', 'a@b c', 'a@b@c', 'a@b\n', `${'x'.repeat(65)}@b`, `a@${'y'.repeat(191)}`])(
    'may not be %j',
    (address) => {
      expect(thrownBy(() => checkEmail(address))).toMatchObject(invalid('email', 'Email must be an e-mail address'));
    },
  );
});

describe('an organization', () => {
  const acme = { id: 'org-1', name: 'acme', email: 'ops@example.com', defaults: initialDefaults, createdAt: noon };

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
      pending: ['pending', 'fetching', 'plan_queued'],
      plan: ['planning', 'planned', 'planned_and_saved'],
      'policy check': ['post_plan_running', 'post_plan_awaiting_decision', 'post_plan_completed'],
      apply: ['confirmed', 'apply_queued', 'applying'],
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
