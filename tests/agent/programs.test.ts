import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Program, runProgram } from '../../src/agent/programs/child-process.js';
import { Terraform } from '../../src/agent/programs/terraform.js';
import { removeLeftovers } from '../../src/agent/run/leftovers.js';
import { knownStateFile, RunDirectory } from '../../src/agent/run/run-directory.js';
import { killAllOf } from '../../src/agent/run-user.js';
import type { Job } from '../../src/agent/service/job.js';
import { inTemporaryDirectory } from '../support/process.js';
import { runUser } from '../support/run-user.js';
import { until } from '../support/service-steps.js';

const never = new AbortController().signal;

const dependencies = (directory: string, outputBytes = 1 << 20) => ({
  directory,
  environment: { PATH: process.env.PATH ?? '', HOME: join(directory, 'home') },
  bounds: {
    deadline: performance.now() + 30_000,
    memoryBytes: 0,
    outputBytes,
    graceSeconds: 1,
    interrupt: never,
    kill: never,
  },
});

const shell = (directory: string, script: string, more: Partial<Program> = {}) =>
  runProgram({
    path: '/bin/sh',
    args: ['-c', script],
    onOutput: () => undefined,
    ...dependencies(directory),
    ...more,
  });

/** Whether the process with the id in the file is running. A zombie does not count. */
async function runs(file: string): Promise<boolean> {
  const status = await readFile(`/proc/${(await readFile(file, 'utf8')).trim()}/stat`, 'utf8').catch(() => '');
  return status !== '' && !/\) Z /.test(status);
}

describe('a program', () => {
  it('prints into a file, up to its limit', async () => {
    await inTemporaryDirectory(async (directory) => {
      const sh = { path: '/bin/sh', title: 'Terraform', version: '1.0.0', platform: 'linux_amd64' } as const;
      const terraform = new Terraform(sh, dependencies(directory));
      const script = 'head -c 100000 /dev/zero; echo complained >&2';
      const short = await terraform.runInto(join(directory, 'short'), ['-c', script]);
      expect([short.code, short.stopped, `${short.printed}`]).toEqual([0, undefined, 'complained\n']);
      expect((await readFile(join(directory, 'short'))).length).toBe(100_000);

      const long = await terraform.runInto(join(directory, 'long'), ['-c', 'head -c 2000000 /dev/zero; exec sleep 20']);
      expect(long.stopped?.message).toContain('AGENT_OUTPUT_MB');
    });
  });

  it('that cannot write to its file ends, and not the agent', async () => {
    await inTemporaryDirectory(async (directory) => {
      // As on a full disk, a write that does not fit fails.
      const script = `trap '' XFSZ; ulimit -f 8; exec head -c 100000 /dev/zero`;
      const wrapped = { path: '/bin/sh', title: 'Terraform', version: '1.0.0', platform: 'linux_amd64' } as const;
      const ran = await new Terraform(wrapped, dependencies(directory)).runInto(join(directory, 'out'), ['-c', script]);
      expect(ran.code).not.toBe(0);
      expect(`${ran.printed}`).toContain('File too large');
    });
  });

  it('whose environment is too large is not begun, and the largest variable is named', async () => {
    await inTemporaryDirectory(async (directory) => {
      const environment = { PATH: '/bin', BIG: 'x'.repeat(140_000) };
      await expect(shell(directory, 'true', { environment })).rejects.toThrow('BIG alone has 140000 bytes');
    });
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux('leaves nothing behind, though it left its session and its parent', async () => {
    await inTemporaryDirectory(async (directory) => {
      const pid = join(directory, 'pid');
      const script = `setsid sh -c 'sh -c "echo \\$\\$ > ${pid}; exec sleep 47" &'; while [ ! -s ${pid} ]; do sleep 0.01; done`;
      await shell(directory, script);
      await until('it has ended', async () => !(await runs(pid)), 40_000);
    });
  });
});

describe('a program of another user', () => {
  const asRoot = process.geteuid?.() === 0 && process.platform === 'linux' ? it : it.skip;

  asRoot('leaves nothing behind, though its processes replace themselves faster than they are counted', async () => {
    await inTemporaryDirectory(async (directory) => {
      await chmod(directory, 0o755);
      const [hops, counted] = [join(directory, 'hops'), join(directory, 'counted')];
      await writeFile(counted, '');
      await chmod(counted, 0o666);
      // Each process leaves its session, starts the next and exits, so any process list is stale once read.
      await writeFile(hops, `#!/bin/sh\necho >> ${counted}\nsetsid "$0" > /dev/null 2>&1 &\n`, { mode: 0o755 });
      const count = async () => (await readFile(counted)).length;
      try {
        const script = `for n in 1 2 3 4; do setsid ${hops} > /dev/null 2>&1 & done; sleep 0.1`;
        await shell(directory, script, { user: runUser });
        const hopped = await count();
        expect(hopped).toBeGreaterThan(0);
        // Each pass takes a process's whole life; a survivor would have moved on within it.
        for (let others = 0; others < 20; others += 1) await shell(directory, 'true');
        expect(await count()).toBe(hopped);
      } finally {
        killAllOf(runUser);
      }
    });
  });
});

describe('what an agent left that was killed', () => {
  const job = (phase: 'plan' | 'apply', runId: string): Job => ({ phase, run: { id: runId } }) as Job;

  it('is taken away, but for the state of an apply, which is put aside once what still runs there has ended', async () => {
    await inTemporaryDirectory(async (work) => {
      const plan = await RunDirectory.create(work, job('plan', 'run-planned'));
      const apply = await RunDirectory.create(work, job('apply', 'run-applied'));
      const begun = await RunDirectory.create(work, job('apply', 'run-begun'));
      const stored = await RunDirectory.create(work, job('apply', 'run-stored'));
      const other = `gatehouse-run-${hostname()}-vm-4194305-AAAAAA`;
      await mkdir(join(work, other));
      await mkdir(apply.at('state', 'production'));
      await writeFile(apply.at('plan', 'workspace'), 'production');
      await writeFile(plan.at('state', 'terraform.tfstate'), 'brought');
      await writeFile(begun.at('state', 'terraform.tfstate'), '');
      await mkdir(stored.at('state', 'production'));
      await writeFile(stored.at('plan', 'workspace'), 'production');
      await writeFile(stored.at('state', 'production', 'terraform.tfstate'), 'delivered');
      await writeFile(stored.at(knownStateFile), createHash('md5').update('delivered').digest('hex'));
      const [ready, ended] = [join(work, 'ready'), apply.at('state', 'production', 'terraform.tfstate')];
      const script = `trap 'echo written-last > ${ended}; exit' INT; touch ${ready}; while :; do sleep 0.05; done`;
      const env = { PATH: process.env.PATH ?? '', HOME: apply.at('home') };
      const left = spawn('/bin/sh', ['-c', script], { env, detached: true, stdio: 'ignore' });
      await until('it runs', async () => existsSync(ready));

      const said: string[] = [];
      const settings = { AGENT_WORK_DIR: work, AGENT_CANCEL_SECONDS: 20 };
      await removeLeftovers(settings, { print: (line) => said.push(line), killing: never });
      expect(left.exitCode ?? left.signalCode).not.toBeNull();
      expect((await readdir(work)).sort()).toEqual([other, 'lost-state', 'ready'].sort());
      expect(await readdir(join(work, 'lost-state'))).toEqual(['run-applied.tfstate']);
      const path = join(work, 'lost-state', 'run-applied.tfstate');
      expect(await readFile(path, 'utf8')).toBe('written-last\n');
      expect(said.sort()).toEqual([
        `run-applied: an agent was killed during the apply; the state is in ${path}`,
        'run-begun: an agent was killed during the apply',
        'run-stored: an agent was killed during the apply',
      ]);
    });
  });

  it('stays where the state cannot be put aside, and is named', async () => {
    await inTemporaryDirectory(async (work) => {
      const apply = await RunDirectory.create(work, job('apply', 'run-applied'));
      await mkdir(apply.at('state', 'production'));
      await writeFile(apply.at('plan', 'workspace'), 'production');
      await writeFile(apply.at('state', 'production', 'terraform.tfstate'), 'the only one');
      await writeFile(join(work, 'lost-state'), 'in the way');
      const said: string[] = [];
      const settings = { AGENT_WORK_DIR: work, AGENT_CANCEL_SECONDS: 1 };
      await removeLeftovers(settings, { print: (line) => said.push(line), killing: never });
      expect(await readFile(apply.at('state', 'production', 'terraform.tfstate'), 'utf8')).toBe('the only one');
      expect(said).toEqual([expect.stringContaining(apply.path)]);
    });
  });
});
