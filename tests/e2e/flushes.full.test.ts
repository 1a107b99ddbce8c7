import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { usable } from '../support/programs.js';

const traced = 'openat,write,writev,pwrite64,pwritev,sendmsg,fsync,fdatasync';

const present = (() => {
  try {
    execFileSync('strace', ['-f', '-e', 'trace=none', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const reason = present ? '' : ' (skipped: no strace on PATH, or it is not allowed here)';

/** The calls a process made, in order, each in one line; those that another thread interrupted are joined again. */
async function callsIn(path: string): Promise<readonly string[]> {
  const open = new Map<string, string>();
  const calls: string[] = [];
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    const [, thread = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(call);
    if (call.endsWith('<unfinished ...>')) open.set(thread, call.slice(0, -'<unfinished ...>'.length));
    else if (resumed !== null) calls.push(`${open.get(thread) ?? ''}${resumed[1]}`);
    else if (call !== '') calls.push(call);
  }
  return calls;
}

describe(`what the service acknowledges${reason}`, () => {
  (usable('strace', present) ? it : it.skip)(
    'was flushed to disk before',
    async () => {
      await inTemporaryDirectory(async (directory) => {
        const trace = join(directory, 'trace');
        const tracing = `exec strace -D -f -qq -y -s 64 -e trace=${traced} -o ${trace} "$@"`;
        const service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data') }, tracing);
        try {
          const { uploadUrl } = await service.newVersion(await service.provision());
          const archive = new Uint8Array(await archiveOf({ 'main.tf': 'terraform {}' }));
          expect((await fetch(uploadUrl, { method: 'PUT', body: archive })).status).toBe(200);
        } finally {
          await service.end();
        }
        const calls = await callsIn(trace);
        const find = (from: number, pattern: RegExp) =>
          calls.findIndex((call, index) => index > from && pattern.test(call));
        const findLast = (before: number, pattern: RegExp) =>
          calls.slice(0, before).findLastIndex((call) => pattern.test(call));

        // Every change: written to the log, the log flushed, then answered.
        const answers = calls.flatMap((call, index) => (/"HTTP\/1\.1 201 Created/.test(call) ? [index] : []));
        expect(answers.length).toBeGreaterThanOrEqual(3);
        for (const answer of answers) {
          const written = findLast(answer, /^pwrite64\(\d+<[^>]*gatehouse\.sqlite-wal>/);
          expect(written).toBeGreaterThan(0);
          const flush = find(written, /^f(data)?sync\(\d+<[^>]*gatehouse\.sqlite-wal> ?\) += 0/);
          expect([flush > written, flush < answer]).toEqual([true, true]);
        }

        // An upload: the file and its name, each once it is there, then the change that refers to it, then the answer.
        const answer = calls.findLastIndex((call) => /"HTTP\/1\.1 200 OK/.test(call));
        const made = find(0, /^openat\(.*\/incoming\/[^"]+", [^)]*O_CREAT.*\) += \d/);
        const written = find(made, /^writev?\(\d+<[^>]*\/incoming\/[^>]+>/);
        const file = find(written, /^f(data)?sync\(\d+<[^>]*\/incoming\/[^>]+> ?\) += 0/);
        const name = find(made, /^f(data)?sync\(\d+<[^>]*\/incoming> ?\) += 0/);
        const change = find(Math.max(file, name), /^f(data)?sync\(\d+<[^>]*gatehouse\.sqlite-wal> ?\) += 0/);
        const order = [made, Math.min(file, name), Math.max(file, name), change, answer];
        expect([...order, written].every((index) => index > 0)).toBe(true);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      });
    },
    60_000,
  );
});
