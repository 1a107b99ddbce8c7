import { describe, expect, it } from '@jest/globals';
import { RunLog } from '../../src/agent/service/run-log.js';
import { Secrets } from '../../src/agent/service/secrets.js';

const secret = (value: string) => ({ key: 'k', value, category: 'env' as const, hcl: false, sensitive: true });

/** The bytes that arrive of a log written in these parts. */
async function arrived(parts: readonly (string | Uint8Array)[], secrets: Secrets, limit?: number) {
  const received: { offset: number; bytes: Uint8Array }[] = [];
  const run = { appendLog: async (offset: number, bytes: Uint8Array) => void received.push({ offset, bytes }) };
  const log = new RunLog(run, secrets, () => undefined, limit);
  for (const part of parts) log.write(part);
  await log.flush();
  log.stop();
  return { text: Buffer.concat(received.map(({ bytes }) => bytes)).toString(), received };
}

const none = await Secrets.of([]);

describe('a log', () => {
  it('has no secret in it, though it is cut in the middle of a character of one', async () => {
    const bytes = Buffer.from('it is pass☃word, or is it?');
    const secrets = await Secrets.of([secret('pass☃word')]);
    expect((await arrived([bytes.subarray(0, 11), bytes.subarray(11)], secrets)).text).toBe('it is ***, or is it?');
  });

  it('is empty until something is written, also while all of that is held back', async () => {
    const run = { appendLog: async () => undefined };
    const log = new RunLog(run, await Secrets.of([secret('password')]), () => undefined);
    expect(log.isEmpty).toBe(true);
    log.write('pass');
    expect(log.isEmpty).toBe(false);
    log.stop();
  });

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
    expect(text).toMatch(/^x{900}y*\n\nThe log exceeds the size limit of the service\. The rest is omitted\.\n$/);
    expect(received.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBe(1000);
  });
});
