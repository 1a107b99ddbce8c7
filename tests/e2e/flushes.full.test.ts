import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { usable } from '../support/programs.js';

const traced = 'openat,rename,write,writev,pwrite64,pwritev,sendmsg,fsync,fdatasync';

const present = (() => {
  try {
    execFileSync('strace', ['-f', '-e', 'trace=none', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const reason = present ? '' : ' (skipped: no strace on PATH, or it is not allowed here)';

interface Call {
  readonly text: string;
  /** The trace lines at which it began and ended. */
  readonly begun: number;
  readonly ended: number;
}

/** The system calls of a process, by end; calls interrupted by another thread are joined. */
async function callsIn(path: string): Promise<readonly Call[]> {
  const open = new Map<string, Call>();
  const calls: Call[] = [];
  for (const [at, line] of (await readFile(path, 'utf8')).split('\n').entries()) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    if (text.endsWith('<unfinished ...>')) {
      open.set(thread, { text: text.slice(0, -'<unfinished ...>'.length), begun: at, ended: at });
    } else if (resumed !== null) {
      const { text: beginning, begun } = open.get(thread) ?? { text: '', begun: at };
      calls.push({ text: beginning + resumed[1], begun, ended: at });
    } else if (text !== '') {
      calls.push({ text, begun: at, ended: at });
    }
  }
  return calls;
}

/** The system calls of a service that takes `count` uploads at once. */
async function callsOfUploads(count: number): Promise<readonly Call[]> {
  let calls: readonly Call[] = [];
  await inTemporaryDirectory(async (directory) => {
    const trace = join(directory, 'trace');
    const tracing = `exec strace -D -f -qq -y -s 64 -e trace=${traced} -o ${trace} "$@"`;
    const service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data') }, tracing);
    try {
      const workspaceId = await service.provision();
      const urls: string[] = [];
      while (urls.length < count) urls.push((await service.newVersion(workspaceId)).uploadUrl);
      const body = new Uint8Array(await archiveOf({ 'main.tf': 'terraform {}' }));
      const answers = await Promise.all(urls.map((url) => fetch(url, { method: 'PUT', body })));
      expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200));
    } finally {
      await service.end();
    }
    calls = await callsIn(trace);
  });
  return calls;
}

describe(`what the service acknowledges${reason}`, () => {
  (usable('strace', present) ? it : it.skip)('was flushed to disk before', async () => {
    const calls = (await callsOfUploads(1)).map(({ text }) => text);
    const find = (from: number, pattern: RegExp) =>
      calls.findIndex((call, index) => index > from && pattern.test(call));
    const findLast = (before: number, pattern: RegExp) =>
      calls.slice(0, before).findLastIndex((call) => pattern.test(call));

    // Every change: writes the log, flushes it, then responds.
    const answers = calls.flatMap((call, index) => (/"HTTP\/1\.1 201 Created/.test(call) ? [index] : []));
    expect(answers.length).toBeGreaterThanOrEqual(3);
    for (const answer of answers) {
      const written = findLast(answer, /^pwrite64\(\d+<[^>]*gatehouse\.sqlite-wal>/);
      expect(written).toBeGreaterThan(0);
      const flush = find(written, /^f(data)?sync\(\d+<[^>]*gatehouse\.sqlite-wal> ?\) += 0/);
      expect([flush > written, flush < answer]).toEqual([true, true]);
    }

    // An upload: flushes the file, then its name, then the change that refers to it, then responds.
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

  (usable('strace', present) ? it : it.skip)('was flushed to disk before, of many uploads at once too', async () => {
    const calls = await callsOfUploads(40);
    const made = calls.filter(({ text }) => /^openat\(.*\/incoming\/[^"]+", [^)]*O_CREAT.*\) += \d/.test(text));
    expect(made).toHaveLength(40);
    const flushesOf = (what: string) =>
      calls.filter(({ text }) => new RegExp(`^f(data)?sync\\(\\d+<[^>]*${what}> ?\\) += 0`).test(text));
    const [names, changes] = [flushesOf('/incoming'), flushesOf('gatehouse.sqlite-wal')];
    for (const file of made) {
      const key = /\/incoming\/([^"]+)"/.exec(file.text)?.[1];
      const bytes = flushesOf(`/incoming/${key}`)[0];
      const name = names.find(({ begun }) => begun > file.ended);
      const kept = calls.find(({ text }) => text.startsWith('rename(') && text.includes(`/incoming/${key}`));
      const change = changes.find(
        ({ begun, ended }) =>
          begun > Math.max(bytes?.ended ?? Number.NaN, name?.ended ?? Number.NaN) &&
          ended < (kept?.begun ?? Number.NaN),
      );
      expect(change).toBeDefined();
    }
  });
});
