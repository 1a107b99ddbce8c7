import { describe, expect, it } from '@jest/globals';
import { RunLog } from '../../src/agent/service/run-log.js';
import { Secrets } from '../../src/agent/service/secrets.js';
import { fc } from '../support/properties.js';

const secret = (value: string, hcl = false) => ({ key: 'k', value, category: 'env' as const, hcl, sensitive: true });

/** What arrives of a log that was written in these parts. */
async function arrived(parts: readonly (string | Uint8Array)[], secrets: Secrets, limit?: number) {
  const received: { offset: number; bytes: Uint8Array }[] = [];
  const run = { appendLog: async (offset: number, bytes: Uint8Array) => void received.push({ offset, bytes }) };
  const log = new RunLog(run, secrets, () => undefined, limit);
  for (const part of parts) log.write(part);
  await log.flush();
  log.stop();
  return { text: Buffer.concat(received.map(({ bytes }) => bytes)).toString(), received };
}

describe('secrets', () => {
  it('are masked as they are, as programs quote them, and line by line', () => {
    const secrets = new Secrets([
      secret('pass"word'),
      secret('first line\nsecond line'),
      secret('["in a list"]', true),
    ]);
    expect(secrets.masked('pass"word pass\\"word, first line,\n  second line; in a list')).toBe(
      '*** ***, ***,\n  ***; ***',
    );
  });

  it('of less than four characters, and values that are no secrets, stay', () => {
    const secrets = new Secrets([secret('abc'), { ...secret('plain'), sensitive: false }]);
    expect(secrets.masked('abc plain')).toBe('abc plain');
  });

  it('are masked in whatever a policy answers', () => {
    const secrets = new Secrets([secret('hidden')]);
    expect(secrets.maskedIn({ message: 'a hidden b', list: ['hidden', 1, null] })).toEqual({
      message: 'a *** b',
      list: ['***', 1, null],
    });
  });

  it('never get through, wherever a text is cut', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        fc.array(text, { maxLength: 12 }),
        async (values, parts) => {
          const secrets = new Secrets(values.map((value) => secret(value)));
          const whole = await arrived([parts.join('')], secrets);
          const cut = await arrived(parts, secrets);
          expect(cut.text).toBe(whole.text);
          for (const value of values) expect(cut.text).not.toContain(value);
        },
      ),
    );
  });
});

describe('a log', () => {
  const none = new Secrets([]);

  it('arrives in parts of a mebibyte at most, one after the other', async () => {
    const written = 'x'.repeat(2_500_000);
    const { text, received } = await arrived([written], none);
    expect(text).toBe(written);
    expect(received.map(({ offset, bytes }) => [offset, bytes.length])).toEqual([
      [0, 1_048_576],
      [1_048_576, 1_048_576],
      [2_097_152, 402_848],
    ]);
  });

  it('keeps characters whole that are cut in the middle', async () => {
    const bytes = Buffer.from('a ☃ b');
    expect((await arrived([bytes.subarray(0, 3), bytes.subarray(3)], none)).text).toBe('a ☃ b');
  });

  it('ends with a sentence where it is too long', async () => {
    const { text, received } = await arrived(['x'.repeat(900), 'y'.repeat(900), 'z'], none, 1000);
    expect(text).toMatch(/^x{900}y*\n\nThe log is longer than the service keeps logs: the rest of it is left out\.\n$/);
    expect(received.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBe(1000);
  });
});
