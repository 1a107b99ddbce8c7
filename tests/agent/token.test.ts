import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { runProgram } from '../../src/agent/programs/child-process.js';
import { killAllOf } from '../../src/agent/run-user.js';
import { type Settings, SettingsError } from '../../src/agent/settings.js';
import { tokenOf } from '../../src/agent/token.js';
import { lookAround } from '../support/look-around.js';
import { inTemporaryDirectory } from '../support/process.js';
import { runUser as user } from '../support/run-user.js';
import { until } from '../support/service-steps.js';

const token = 'the-token-of-an-agent-for-tests';
const root = process.getuid?.() === 0;
const asRoot = root ? it : it.skip;
const onLinux = process.platform === 'linux' ? it : it.skip;
const notRoot = root ? '' : ' (skipped: only root can)';

const fromFile = (path: string) => tokenOf({ AGENT_TOKEN_FILE: path } as Settings);

/** A program that takes its token as the agent does, and then prints what a program that it starts finds out about it. */
const program = (directory: string): string => `
import { spawnSync } from 'node:child_process';
import { tokenOf } from '${new URL('../../src/agent/token.ts', import.meta.url)}';
import { loadSettings } from '${new URL('../../src/agent/settings.ts', import.meta.url)}';
const token = tokenOf(loadSettings(process.env));
const looked = spawnSync('/bin/sh', ['-c', ${JSON.stringify(lookAround(directory))}], { env: { PATH: process.env.PATH } });
process.stdout.write(JSON.stringify({ token, status: looked.status, pid: process.pid, words: process.argv.slice(2) }));
`;

/** Everything that was found, by name. */
async function foundIn(directory: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(directory);
  const texts = names.map(async (name) => [name, await readFile(join(directory, name), 'latin1')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

async function started(directory: string, environment: Readonly<Record<string, string>>, input?: string) {
  const file = join(directory, 'program.mts');
  const found = join(directory, 'found');
  await mkdir(found);
  await writeFile(file, program(found));
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const env = { PATH: process.env.PATH, GATEHOUSE_URL: 'http://127.0.0.1', ...environment };
  const child = spawn(process.execPath, ['--import', 'tsx', file, 'word'], { cwd, env, stdio: 'pipe' });
  child.stdin.end(input);
  const [out, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(complaints).toBe('');
  return { said: JSON.parse(out), pid: child.pid, found: await foundIn(found) };
}

describe("the agent's token", () => {
  onLinux.each([
    ['the environment', { AGENT_TOKEN: token }],
    ['standard input', { AGENT_TOKEN_FILE: '/dev/stdin' }],
  ])(
    'that comes from %s is in no environment, command line or descriptor while programs run',
    async (_, environment) => {
      await inTemporaryDirectory(async (directory) => {
        const { said, pid, found } = await started(directory, environment, token);
        expect(said).toEqual({ token, status: 0, pid, words: ['word'] });
        // It has looked at the very process.
        expect(found[`environ-${pid}`]).toContain('GATEHOUSE_URL=http://127.0.0.1\0');
        expect(found[`cmdline-${pid}`]).toContain('program.mts');
        expect(found[`fd-${pid}`]).toMatch(/^0 \/dev\/null$/m);
        for (const part of Object.values(found)) expect(part).not.toContain(token);
      });
    },
  );

  onLinux('is found where it does stand, by those who look', async () => {
    await inTemporaryDirectory(async (directory) => {
      await writeFile(join(directory, 'token'), token, { mode: 0o600 });
      const environment = { AGENT_TOKEN_FILE: join(directory, 'token'), OTHER: token };
      const { pid, found } = await started(directory, environment);
      expect(found[`environ-${pid}`]).toContain(token);
    });
  });

  it('comes from a file of the agent alone, which is closed', async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'token');
      await writeFile(file, `${token}\n`, { mode: 0o600 });
      expect(fromFile(file)).toBe(token);
      const open = await readdir('/proc/self/fd').catch(() => []);
      for (const fd of open)
        expect(await readFile(`/proc/self/fdinfo/${fd}`, 'utf8').catch(() => '')).not.toContain(file);
      for (const mode of [0o640, 0o604]) {
        await chmod(file, mode);
        expect(() => fromFile(file)).toThrow(
          new SettingsError([`AGENT_TOKEN_FILE: ${file} is readable by other users. Set its mode to 0600`]),
        );
      }
    });
  });

  asRoot(`does not come from a file of another user${notRoot}`, async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'token');
      await writeFile(file, token, { mode: 0o600 });
      await chown(file, user.uid, user.gid);
      expect(() => fromFile(file)).toThrow(`belongs to the user ${user.uid}. Change its owner: chown 0 ${file}`);
    });
  });

  it('is not in a file that is missing, or has something else in it', async () => {
    await inTemporaryDirectory(async (directory) => {
      expect(() => fromFile(join(directory, 'none'))).toThrow('AGENT_TOKEN_FILE: ENOENT');
      await writeFile(join(directory, 'words'), 'these are some words', { mode: 0o600 });
      expect(() => fromFile(join(directory, 'words'))).toThrow('must be at least 16 characters without spaces');
    });
  });
});

describe('a program of another user', () => {
  const never = new AbortController().signal;
  /** Less than what is started sleeps for. */
  const beforeItEnds = 40_000;

  asRoot(
    `is in none of the agent's groups, reads nothing of the agent, and leaves nothing behind${notRoot}`,
    async () => {
      await inTemporaryDirectory(async (directory) => {
        const found = join(directory, 'found');
        await mkdir(found);
        await chmod(directory, 0o755);
        await chmod(found, 0o777);
        await writeFile(join(directory, 'token'), token, { mode: 0o600 });
        // In another session, without a parent, with another home.
        const leave = `env -i setsid sh -c 'sh -c "echo \\$\\$ > ${found}/pid; exec sleep 47" &'; while [ ! -s ${found}/pid ]; do sleep 0.01; done`;
        let printed = '';
        const script = `id -u; id -g; id -G; cat ${directory}/token; ${leave}; ${lookAround(found)}`;
        const ended = await runProgram({
          path: '/bin/sh',
          args: ['-c', script],
          directory: found,
          environment: { PATH: process.env.PATH ?? '', HOME: found },
          bounds: {
            deadline: performance.now() + 100_000,
            memoryBytes: 0,
            outputBytes: 1 << 20,
            graceSeconds: 1,
            interrupt: never,
            kill: never,
          },
          user,
          onOutput: (chunk) => {
            printed += chunk;
          },
        });
        expect([ended.code, ended.stopped]).toEqual([0, undefined]);
        expect(printed.split('\n').slice(0, 3)).toEqual(Array(3).fill(`${user.uid}`));
        expect(printed).toContain('Permission denied');
        const all = await foundIn(found);
        expect(all[`cmdline-${process.pid}`]).not.toBe('');
        expect(all[`environ-${process.pid}`]).toBe('');
        expect(all[`fd-${process.pid}`]).toBe('');
        const stat = () => readFile(`/proc/${all.pid?.trim()}/stat`, 'utf8').catch(() => ') Z ');
        await until('what it left has ended', async () => /\) Z /.test(await stat()), beforeItEnds);
      });
    },
  );

  asRoot(`is killed with all that run as that user, at one stroke${notRoot}`, async () => {
    const sleeping = [1, 2, 3].map(() => spawn('sleep', ['47'], { ...user, detached: true, stdio: 'ignore' }));
    await Promise.all(sleeping.map((one) => once(one, 'spawn')));
    killAllOf(user);
    await until(
      'all have ended',
      async () => sleeping.every(({ signalCode }) => signalCode === 'SIGKILL'),
      beforeItEnds,
    );
  });
});
