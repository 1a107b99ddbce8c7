import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { bodyKinds } from '../../src/adapters/http/routing/body-kinds.js';
import { Attack, type Wave } from '../hostile/attack.js';
import { bodyOf } from '../hostile/bodies.js';
import { promised } from '../hostile/expect-to-stand.js';
import { Report } from '../hostile/report.js';
import { Watch } from '../hostile/watch.js';
import { attacked, makeWorld, type World } from '../hostile/world.js';
import { AgentProcess } from '../support/agent-process.js';
import { archiveOf } from '../support/archives.js';
import { needing } from '../support/examples.js';
import { adminToken, type ServiceProcess, temporaryDirectory } from '../support/process.js';
import { ServiceSteps, until } from '../support/service-steps.js';
import { killCommands, terraform, Workplace } from '../support/terraform-cli.js';

const go = process.env.GO ?? 'go';
const withTerraform = needing(terraform);
const withBoth = needing(terraform, go);
const program = fileURLToPath(new URL('../clients/go-tfe', import.meta.url));

let world: World;
let service: ServiceProcess;
let steps: ServiceSteps;
let agent: AgentProcess | undefined;
const report = new Report('Clients, under --max-old-space-size=160');

async function startAgent(token: string): Promise<AgentProcess> {
  const work = join(world.directory, `agent-${Math.random()}`);
  await mkdir(work);
  return AgentProcess.start({
    GATEHOUSE_URL: service.url,
    AGENT_TOKEN: token,
    AGENT_WORK_DIR: work,
    ...(terraform.includes('/') && { TERRAFORM_PATH: terraform }),
  });
}

const document = async (more: Partial<Wave>): Promise<Wave> => ({
  method: 'PATCH',
  path: `/workspaces/${world.workspaceId}`,
  tokens: world.outsiders,
  body: await bodyOf(world.directory, 'text', bodyKinds.text.bytes.max),
  connections: 96,
  perSecond: 50,
  ...more,
});

/** Attackers of several kinds, from many addresses. */
async function severalAttacks(): Promise<readonly Wave[]> {
  const delivery = await bodyOf(world.directory, 'noise', bodyKinds.delivery.bytes.max);
  const post = { method: 'POST', body: delivery, connections: 45, perSecond: 10, addresses: 64 };
  return [
    { ...post, path: '/hooks/vcs/x' },
    { ...post, path: world.webhook, headers: { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'x' } },
    await document({
      tokens: world.outsiders.slice(0, 1),
      bytesPerSecond: 17 * 1024,
      connections: 240,
      perSecond: 20,
      addresses: 64,
    }),
  ];
}

/**
 * Users who hold all the memory that is not kept for leases: their bodies fill it to the byte, and where one ends, the next
 * is there.
 */
const fullBudget = async (): Promise<readonly Wave[]> => [
  await document({ bytesPerSecond: 100 * 1024, perSecond: 100 }),
];

/** How often a request was refused because the whole memory was taken; undefined while it is too full to be asked. */
async function refusals(): Promise<number | undefined> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const count = /^gatehouse_memory_refusals_total\{reason="whole"\} (\d+)$/m.exec(text)?.[1];
  return count === undefined ? undefined : Number(count);
}

beforeAll(async () => {
  if (withTerraform.reason === '') {
    world = await makeWorld(await temporaryDirectory(), { outsiders: 64, neighbours: 1 });
  }
});

beforeEach(async () => {
  if (world === undefined) return;
  service = await attacked(world, 160, { RATE_LIMIT_PER_SECOND: '0' });
  steps = new ServiceSteps(service);
});

afterEach(async () => {
  killCommands();
  await agent?.end('SIGKILL');
  await service?.end('SIGKILL');
});

afterAll(async () => {
  report.print();
  if (world !== undefined) await rm(world.directory, { recursive: true, force: true });
});

describe('an attacked service', () => {
  withTerraform.test('lets terraform apply in at most twice the time it takes otherwise', async () => {
    agent = await startAgent(await steps.agentToken('home'));
    const at = { url: service.url, token: adminToken };
    const place = await Workplace.make(
      join(world.directory, 'place'),
      at,
      { organization: 'home', name: 'applied' },
      '',
    );
    expect((await place.run('init', '-input=false', '-no-color')).code).toBe(0);
    const secondsToApply = async (input: string): Promise<number> => {
      await place.write('main.tf', `resource "terraform_data" "x" { input = "${input}" }\n`);
      const begun = performance.now();
      const { code, printed } = await place.run('apply', '-auto-approve', '-no-color');
      if (code !== 0) throw new Error(printed);
      return (performance.now() - begun) / 1_000;
    };
    await secondsToApply('first');
    const quiet = Math.max(await secondsToApply('quiet'), await secondsToApply('quiet again'));
    const watch = new Watch(service);
    const attack = await Attack.begin(service.url, await severalAttacks());
    try {
      const seconds = await secondsToApply('attacked');
      const fates = await attack.end();
      const seen = await watch.stop();
      report.add({
        case: 'terraform apply',
        'quiet s': quiet.toFixed(1),
        'attacked s': seconds.toFixed(1),
        'RSS MiB': seen.residentMiB,
        '/healthz ms': seen.healthMilliseconds,
        attackers: JSON.stringify(fates),
      });
      expect(seen).toMatchObject({ ended: undefined });
      expect(seen.residentMiB).toBeLessThan(promised.residentMiB);
      expect(seen.healthMilliseconds).toBeLessThan(promised.healthMilliseconds);
      expect(seconds).toBeLessThan(2 * quiet);
    } finally {
      attack.stop();
      await watch.stop();
    }
  });

  withBoth.test('serves go-tfe and the agent after 60 seconds in which it had no memory for them', async () => {
    const patience = join(world.directory, 'patience');
    await promisify(execFile)(go, ['build', '-o', patience, './patience'], { cwd: program });
    const pool = { data: { type: 'agent-pools', attributes: { name: 'late' } } };
    const { id: poolId } = await steps.ask('POST', '/organizations/home/agent-pools', pool);
    const token = (await steps.ask('POST', `/agent-pools/${poolId}/authentication-tokens`)).attributes.token;
    const relationships = { 'agent-pool': { data: { id: poolId, type: 'agent-pools' } } };
    const workspaceId = await steps.workspace('late', {}, 'home');
    await steps.ask('PATCH', `/workspaces/${workspaceId}`, {
      data: { type: 'workspaces', attributes: { 'execution-mode': 'agent' }, relationships },
    });
    const versionId = await steps.uploaded(workspaceId, await archiveOf({ 'main.tf': '' }), {
      'auto-queue-runs': false,
    });
    const runId = await steps.run(workspaceId, versionId);
    const waves = await fullBudget();
    const watch = new Watch(service);
    const attack = await Attack.begin(service.url, waves);
    try {
      await until('the memory is full', async () => ((await refusals()) ?? 0) > 0);
      const arrivals = promisify(execFile)(patience, [service.url, adminToken, world.workspaceId, '10', '5']).catch(
        (failure) => failure as { stdout: string },
      );
      agent = await startAgent(token);
      await pause(60_000);
      const fates = await attack.end();
      const ended = performance.now();
      const { stdout } = await arrivals;
      const clientAfter = (performance.now() - ended) / 1_000;
      await until('the agent has planned', async () => /^(planned|errored)/.test(await steps.statusOf(runId)));
      const seen = await watch.stop();
      const refused = await refusals();
      report.add({
        case: 'memory full for 60 s',
        'RSS MiB': seen.residentMiB,
        '/healthz ms': seen.healthMilliseconds,
        'refused meanwhile': refused ?? '',
        'go-tfe': stdout.trim().replaceAll('\n', ', '),
        'go-tfe done s after': clientAfter.toFixed(1),
        'agent done s after': ((performance.now() - ended) / 1_000).toFixed(1),
        attackers: JSON.stringify(fates),
      });
      expect(seen).toMatchObject({ ended: undefined });
      expect(seen.residentMiB).toBeLessThan(promised.residentMiB);
      expect(seen.healthMilliseconds).toBeLessThan(promised.healthMilliseconds);
      expect(stdout.trim().split('\n')).toEqual(Array(5).fill(expect.stringMatching(/^ok/)));
      expect(stdout).toMatch(/[1-9]\d* repetitions/);
      expect(await steps.statusOf(runId)).toBe('planned_and_finished');
    } finally {
      attack.stop();
      await watch.stop();
    }
  });
});
