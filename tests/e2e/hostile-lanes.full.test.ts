import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Report } from '../hostile/report.js';
import { archiveOf } from '../support/archives.js';
import { GitRepository, GitServer } from '../support/git-server.js';
import { ServiceProcess, temporaryDirectory } from '../support/process.js';
import { usable } from '../support/programs.js';
import { RunTaskServer } from '../support/run-task-server.js';
import { ServiceSteps, until } from '../support/service-steps.js';
import { SilentServer } from '../support/silent-server.js';
import { stateOf, writeState } from '../support/written-states.js';

const gitIsPresent = spawnSync('git', ['version']).status === 0;
const withGit = usable('git', gitIsPresent) ? it : it.skip;
const reason = gitIsPresent ? '' : ' (skipped: no git on PATH)';

/** The calls and fetches that one organization had at the same time before organizations had shares. */
const before = { calls: 8, fetches: 4 };
const longestSilence = 40_000;

let directory: string;
let service: ServiceProcess;
let steps: ServiceSteps;
let silentGit: SilentServer;
let silentTask: SilentServer;
const report = new Report('Lanes');

/** A workspace of an organization, whose runs call this many run tasks at `url` before they plan. */
async function workspaceWithTasks(organization: string, name: string, url: string, count: number): Promise<string> {
  const workspaceId = await steps.workspace(name, {}, organization);
  for (let index = 0; index < count; index += 1) {
    const attributes = { name: `${name}-${index}`, url, category: 'task' };
    const task = await steps.ask('POST', `/organizations/${organization}/tasks`, {
      data: { type: 'tasks', attributes },
    });
    await steps.ask('POST', `/workspaces/${workspaceId}/tasks`, {
      data: {
        type: 'workspace-tasks',
        attributes: { 'enforcement-level': 'mandatory', stages: ['pre_plan'] },
        relationships: { task: { data: { type: 'tasks', id: task.id } } },
      },
    });
  }
  return workspaceId;
}

const upload = async (workspaceId: string): Promise<string> =>
  steps.uploaded(workspaceId, await archiveOf({ 'main.tf': '# nothing' }), { 'auto-queue-runs': false });

/** Policy sets of an organization that are fetched from `url`. */
async function policySets(organization: string, url: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const attributes = { name: `set-${index}`, kind: 'opa', 'vcs-repo': { 'clone-url': url } };
    const made = await steps.ask('POST', `/organizations/${organization}/policy-sets`, {
      data: { type: 'policy-sets', attributes },
    });
    ids.push(made.id);
  }
  return ids;
}

/** Has the organization's run tasks called and its policy sets fetched, more of each than a lane has loops. */
async function stall(organization: string): Promise<void> {
  await service.provision(organization, 'first');
  await policySets(organization, `${silentGit.url}harbour/app.git`, 12);
  for (const name of ['one', 'two']) {
    const workspaceId = await workspaceWithTasks(organization, name, silentTask.url, 10);
    await steps.run(workspaceId, await upload(workspaceId));
  }
}

const secondsSince = (begun: number): number => (performance.now() - begun) / 1_000;

beforeEach(async () => {
  directory = await temporaryDirectory();
  silentGit = await SilentServer.start();
  silentTask = await SilentServer.start();
  service = await ServiceProcess.start({
    DATA_DIR: join(directory, 'data'),
    VCS_ALLOWED_HOSTS: '127.0.0.1',
    RUN_TASK_ALLOWED_HOSTS: '127.0.0.1',
  });
  steps = new ServiceSteps(service);
});

afterEach(async () => {
  await service.end('SIGKILL');
  await silentGit.stop();
  await silentTask.stop();
  await rm(directory, { recursive: true, force: true });
});

afterAll(() => report.print());

describe(`background work${reason}`, () => {
  withGit('of one organization is done within two seconds while three others have stalled both lanes', async () => {
    const task = await RunTaskServer.start();
    try {
      await service.provision('bystander', 'first');
      const workspaceId = await steps.workspace('state', {}, 'bystander');
      await steps.ask('POST', `/workspaces/${workspaceId}/actions/lock`);
      for (const name of ['one', 'two', 'three']) await stall(name);
      await until('both lanes are stalled', async () => silentGit.waiting > 0 && silentTask.waiting > 0);

      // Over the time in which stalled calls are given up and begun again.
      for (let round = 1; round <= 5; round += 1) {
        const called = await workspaceWithTasks('bystander', `called-${round}`, task.url, 1);
        const versionId = await upload(called);
        const waiting = { fetches: silentGit.waiting, calls: silentTask.waiting };

        const written = performance.now();
        const id = await writeState(steps, workspaceId, stateOf(round, '10.0.0.0/16', ['a']));
        await until('its outputs are read', async () => {
          const shown = await steps.ask('GET', `/api/v2/state-versions/${id}`);
          return shown.attributes['resources-processed'];
        });
        const read = secondsSince(written);

        const queued = performance.now();
        await steps.run(called, versionId);
        await until('its task is called', async () => task.countOfCalls === round);
        const seconds = secondsSince(queued);
        report.add({
          round,
          'fetches stalled': waiting.fetches,
          'calls stalled': waiting.calls,
          'state read in s': read.toFixed(2),
          'task called in s': seconds.toFixed(2),
        });
        expect(read).toBeLessThan(2);
        expect(seconds).toBeLessThan(2);
        await pause(3_000);
      }
    } finally {
      await task.stop();
    }
  });

  withGit('of the only organization has no fewer loops than before', async () => {
    await stall('only');
    await until('the calls are under way', async () => silentTask.maxWaiting >= before.calls);
    await until('the fetches are under way', async () => silentGit.maxWaiting >= before.fetches);
    report.add({
      round: 'one organization',
      'fetches stalled': silentGit.maxWaiting,
      'calls stalled': silentTask.maxWaiting,
    });
  });

  withGit('waits for a git server that is silent for 40 seconds while it packs', async () => {
    const repository = await GitRepository.create(directory, 'harbour/app.git');
    await repository.commit({
      'policies.hcl': 'policy "owners" {\n  query = "data.owners"\n}\n',
      'owners.rego': 'package owners\n',
    });
    const git = await GitServer.start(directory, { firstPackAfterMilliseconds: longestSilence });
    try {
      await service.provision();
      const begun = performance.now();
      const [id] = await policySets('acme', git.url('harbour/app.git'), 1);
      const policies = await until('the policies are fetched', async () => {
        const { json } = await service.api('GET', `/policy-sets/${id}`);
        const found: readonly { readonly name: string }[] = json.data.attributes.policies ?? [];
        return found.length > 0 && found;
      });
      expect(policies.map(({ name }) => name)).toEqual(['owners']);
      // To find the commit, and to fetch it: the first attempt succeeded.
      expect(git.requests.filter(({ path }) => path.includes('info/refs'))).toHaveLength(2);
      report.add({ round: 'a git server silent for 40 s', 'fetched in s': secondsSince(begun).toFixed(1) });
    } finally {
      await git.stop();
    }
  });
});
