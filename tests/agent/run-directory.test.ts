import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { putAside, removeLeftovers } from '../../src/agent/run/leftovers.js';
import { RunDirectory, removeTree } from '../../src/agent/run/run-directory.js';
import { runAs } from '../../src/agent/run-user.js';
import type { Job } from '../../src/agent/service/job.js';
import { inTemporaryDirectory } from '../support/process.js';
import { runUser as user } from '../support/run-user.js';
import { until } from '../support/service-steps.js';

const nobody = 65534;
const root = process.getuid?.() === 0;
const job = { phase: 'plan', run: { id: 'run-tried' } } as Job;

describe("a run's directory", () => {
  afterEach(() => {
    if (root) process.seteuid?.(0);
  });

  it('is removed together with read-only files that programs left there', async () => {
    await inTemporaryDirectory(async (directory) => {
      await chmod(directory, 0o777);
      // Root may do anything.
      if (root) process.seteuid?.(nobody);
      const deep = join(directory, 'run', 'home', 'cache', 'module');
      await mkdir(deep, { recursive: true });
      await writeFile(join(deep, 'file'), '', { mode: 0o400 });
      await chmod(deep, 0o500);
      await chmod(join(deep, '..'), 0o500);
      await removeTree(join(directory, 'run'));
      expect(await readdir(directory)).toEqual([]);
      if (root) process.seteuid?.(0);
    });
  });

  it('brings a short place for temporary files, where its own is too long for a socket', async () => {
    await inTemporaryDirectory(async (directory) => {
      const short = await RunDirectory.create(directory, job);
      expect(short.temporary).toBe(short.at('tmp'));
      await short.remove();

      const long = await RunDirectory.create(join(directory, 'x'.repeat(50)), job);
      expect(`${long.temporary}/plugin1234567890`.length).toBeLessThanOrEqual(103);
      const found = await stat(long.temporary);
      expect([found.uid, found.mode & 0o777]).toEqual([process.geteuid?.() ?? found.uid, 0o700]);
      const socket = createServer().listen(join(long.temporary, 'plugin1234567890'));
      await once(socket, 'listening');
      socket.close();
      await long.remove();
      expect(existsSync(long.temporary)).toBe(false);
      expect(await readdir(join(directory, 'x'.repeat(50)))).toEqual([]);

      const left = await RunDirectory.create(join(directory, 'y'.repeat(50)), job);
      const settings = { AGENT_WORK_DIR: directory, AGENT_CANCEL_SECONDS: 1 };
      await removeLeftovers(settings, { print: () => undefined, killing: new AbortController().signal });
      expect(existsSync(left.temporary)).toBe(false);
    });
  });
});

const asRoot = root ? describe : describe.skip;

asRoot(`a run's directory, with programs of another user${root ? '' : ' (skipped: only root can)'}`, () => {
  const never = new AbortController().signal;

  /** An agent's directory that others can enter, and next to it a file that only root can read. */
  async function inWorkDirectory(act: (work: string, private_: string) => Promise<void>): Promise<void> {
    await inTemporaryDirectory(async (directory) => {
      await chmod(directory, 0o755);
      await mkdir(join(directory, 'work'));
      await mkdir(join(directory, 'roots'));
      await writeFile(join(directory, 'roots', 'file'), 'private', { mode: 0o600 });
      await act(join(directory, 'work'), join(directory, 'roots', 'file'));
    });
  }

  const opened = async (work: string, of = job): Promise<RunDirectory> => {
    const directory = await RunDirectory.create(work, of, user);
    await writeFile(directory.at('configuration', 'main.tf'), '');
    await symlink('/etc/passwd', directory.at('configuration', 'link'));
    await writeFile(directory.at('variables', 'texts'), 'x', { mode: 0o600 });
    await directory.give(directory.at('variables', 'texts'));
    await directory.open();
    return directory;
  };

  const may = (script: string, ...args: string[]) =>
    runAs(user, script, ...args).then(
      () => true,
      () => false,
    );

  it('cannot be entered while it is prepared, and then has what they may write, and what they may only read', async () => {
    await inWorkDirectory(async (work) => {
      const closed = await RunDirectory.create(work, job, user);
      expect(await may('cd -- "$1"', closed.path)).toBe(false);
      await closed.remove();

      const directory = await opened(work);
      for (const name of ['configuration', 'home', 'state', 'out']) {
        expect(await may('echo > "$1/x" && echo > "$1/main.tf"', directory.at(name))).toBe(true);
      }
      expect(await may('echo > "$1/x"', directory.temporary)).toBe(true);
      for (const name of ['plan', 'policies', 'variables', '']) {
        expect(await may('echo > "$1/x"', directory.at(name))).toBe(false);
        expect(await may('mv -- "$1" "$1.new"', directory.at(name))).toBe(false);
      }
      expect(await may('cat -- "$1"', directory.at('variables', 'texts'))).toBe(true);
      expect(await may('rm -f -- "$1"', directory.at('variables', 'texts'))).toBe(false);
      expect(await may('cat -- "$1"', directory.at('run'))).toBe(false);
      expect((await stat('/etc/passwd')).uid).toBe(0);
      await directory.remove();
      expect(await readdir(work)).toEqual([]);
    });
  });

  it('gives the agent what they left as a copy, and nothing of root’s, whatever links lead there', async () => {
    await inWorkDirectory(async (work, file) => {
      const directory = await opened(work);
      const take = (name: string) => directory.taken(directory.at('state', name), 'taken');
      const script = `cd "$1"; echo left > left; ln -s left link; ln -s "$2" root; mkfifo pipe; mkdir directory; : > empty; ln -s "$(dirname "$2")" roots`;
      await runAs(user, script, directory.at('state'), file);
      await link(file, directory.at('state', 'hard'));
      for (const name of ['left', 'link']) {
        expect(await take(name)).toBe(directory.at('taken'));
        expect(await readFile(directory.at('taken'), 'utf8')).toBe('left\n');
        expect((await stat(directory.at('taken'))).uid).toBe(0);
      }
      for (const name of ['root', 'roots/file', 'hard', 'pipe', 'directory', 'empty', 'missing']) {
        expect(await take(name)).toBeUndefined();
      }
      await directory.remove();
      expect(await readFile(file, 'utf8')).toBe('private');
    });
  });

  it('is removed by them, so that nothing of root’s is, whatever they left', async () => {
    await inWorkDirectory(async (work, file) => {
      const directory = await opened(join(work, 'x'.repeat(50)));
      const script = `cd "$1"; mkdir -p a/b; ln -s "$2" a/root; ln -s "$(dirname "$2")" a/roots; : > a/b/c; chmod 500 a/b a; cd "$3"; mkdir t`;
      await runAs(user, script, directory.at('home'), file, directory.temporary);
      await directory.remove();
      expect(await readdir(join(work, 'x'.repeat(50)))).toEqual([]);
      expect(existsSync(directory.temporary)).toBe(false);
      expect(await readFile(file, 'utf8')).toBe('private');
    });
  });

  it('that a killed agent left is removed once they have ended, and the state of an apply is put aside', async () => {
    await inWorkDirectory(async (work, file) => {
      const apply = { phase: 'apply', run: { id: 'run-applied' } } as Job;
      const directory = await opened(work, apply);
      await writeFile(directory.at('plan', 'workspace'), 'default');
      const [ready, state] = [directory.at('out', 'ready'), directory.at('state', 'terraform.tfstate')];
      const script = `trap 'echo written-last > ${state}; exit' INT; touch ${ready}; while :; do sleep 0.05; done`;
      const left = spawn('/bin/sh', ['-c', script], {
        ...user,
        env: { PATH: process.env.PATH },
        detached: true,
        stdio: 'ignore',
      });
      await until('it runs', async () => existsSync(ready));
      // Not created by an agent, despite its name.
      const planted = join(work, basename(directory.path).replace(/.{6}$/, 'abcdef'));
      await mkdir(planted);
      await writeFile(join(planted, 'run'), `apply\n../../roots/file\n`);
      await chown(planted, user.uid, user.gid);

      const said: string[] = [];
      const settings = { AGENT_WORK_DIR: work, AGENT_CANCEL_SECONDS: 20 };
      await removeLeftovers(settings, { print: (line) => said.push(line), killing: never });
      expect(left.exitCode ?? left.signalCode).not.toBeNull();
      const path = join(work, 'lost-state', 'run-applied.tfstate');
      expect(said).toEqual([`run-applied: an agent was killed during the apply; the state is in ${path}`]);
      expect(await readFile(path, 'utf8')).toBe('written-last\n');
      expect((await readdir(work)).sort()).toEqual([basename(planted), 'lost-state'].sort());
      expect(await readFile(file, 'utf8')).toBe('private');
    });
  });

  it('does not have its state put into their directory', async () => {
    await inWorkDirectory(async (work) => {
      await writeFile(join(work, 'state'), 'state');
      await mkdir(join(work, 'lost-state'));
      await chown(join(work, 'lost-state'), user.uid, user.gid);
      await expect(putAside(join(work, 'state'), 'run-x', work)).rejects.toThrow('belongs to another user');
    });
  });
});
