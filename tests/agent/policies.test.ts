import { describe, expect, it } from '@jest/globals';
import { maskedVerdict, outputOf } from '../../src/agent/run/policies.js';
import { printable } from '../../src/agent/service/printable.js';
import { Secrets } from '../../src/agent/service/secrets.js';

const none = await Secrets.of([]);
const failed = (...reasons: unknown[]) => ({ status: 'failed', reasons }) as const;
const plenty = 1024 * 1024;

describe('what is reported of a policy', () => {
  it('is nothing where it passed, and why where it could not be evaluated', () => {
    expect(outputOf(none, { status: 'passed' }, plenty)).toEqual([]);
    expect(outputOf(none, { status: 'errored', reason: 'line 3: no' }, plenty)).toEqual(['line 3: no']);
  });

  it('has the texts and the small objects as they are', () => {
    const reasons = ['no', { message: 'neither', n: 1 }, 7, null];
    expect(outputOf(none, failed(...reasons), plenty)).toEqual(['no', { message: 'neither', n: 1 }, '7', null]);
  });

  it('has no text in it that the service refuses, however it is said', () => {
    const reasons = ['a\0b', { msg: 'c\0d' }, { 'e\0': 1 }, '\ud800f', `${'x'.repeat(4095)}😀`];
    const said = outputOf(none, failed(...reasons), plenty);
    expect(said.slice(0, 2)).toEqual(['ab', 'cd']);
    for (const one of said) {
      // JSON writes a lone surrogate as an escape with one backslash; a backslash in the text becomes two.
      expect(JSON.stringify(one)).not.toMatch(/(?<!\\)\\u/);
      expect(String(one).length).toBeLessThanOrEqual(4096);
    }
  });

  it('has no beginning of a secret in it, where the rest of that is cut off', async () => {
    const variable = { key: 'k', value: 'hidden-word', category: 'env' as const, hcl: false, sensitive: true };
    const secrets = await Secrets.of([variable]);
    const verdict = maskedVerdict(secrets, failed(`${'x'.repeat(4090)}hidden-word`));
    expect(outputOf(secrets, verdict, plenty)).toEqual([`${'x'.repeat(4090)}***`]);
  });

  it('counts what is beyond the number of elements that the service takes', () => {
    const many = (count: number) => failed(...Array.from({ length: count }, (_, n) => `reason ${n}`));
    expect(outputOf(none, many(1000), plenty)).toHaveLength(1000);
    const said = outputOf(none, many(1001), plenty);
    expect(said).toHaveLength(1000);
    expect(said.at(-1)).toBe('and 2 more');
  });

  it('counts what is beyond its bytes', () => {
    expect(outputOf(none, failed('aaaa', 'äää', 'cccc'), 20)).toEqual(['aaaa', 'äää', 'and 1 more']);
    expect(outputOf(none, failed('aaaa'), 2)).toEqual(['and 1 more']);
  });
});

describe('a text for people', () => {
  it('has lines and indents, and nothing that steers a terminal', () => {
    expect(printable('a\n\tb\0\u001b[31mred\u001b[0m\r\u0007\u009b2Jc')).toBe('a\n\tbredc');
  });
});
