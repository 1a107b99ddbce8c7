import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { AgentProcess } from '../support/agent-process.js';
import { needing } from '../support/examples.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { ServiceSteps } from '../support/service-steps.js';
import { killCommands, terraform, Workplace } from '../support/terraform-cli.js';

const { run, reason } = needing(terraform);
const hmacKey = 'a key of ours';
const example = fileURLToPath(new URL('../../examples/run-task/server.mjs', import.meta.url));

let directory = '';
let service: ServiceProcess | undefined;
let agent: AgentProcess | undefined;
let task: ChildProcess | undefined;
let steps: ServiceSteps;

/** The example of a run task. Resolves with its URL. */
async function startTask(): Promise<string> {
  const started = spawn(process.execPath, [example], {
    env: { PATH: process.env.PATH, HMAC_KEY: hmacKey, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  task = started;
  for await (const line of createInterface(started.stdout)) {
    const port = /listening on port (\d+)/.exec(line)?.[1];
    if (port !== undefined) {
      started.stdout.resume();
      return `http://127.0.0.1:${port}/`;
    }
  }
  throw new Error('the run task ended');
}

beforeAll(async () => {
  if (reason !== '') return;
  directory = await temporaryDirectory();
  service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data'), RUN_TASK_ALLOWED_HOSTS: '127.0.0.1' });
  steps = new ServiceSteps(service);
  const organization = { type: 'organizations', attributes: { name: 'acme', email: 'ops@example.com' } };
  await steps.ask('POST', '/organizations', { data: organization });
  const work = join(directory, 'agent');
  await mkdir(work);
  agent = AgentProcess.start({
    GATEHOUSE_URL: service.url,
    AGENT_TOKEN: await steps.agentToken('acme'),
    AGENT_NAME: 'one',
    AGENT_WORK_DIR: work,
    ...(terraform.includes('/') && { TERRAFORM_PATH: terraform }),
  });
  await agent.prints('claims runs from');
});

afterAll(async () => {
  killCommands();
  task?.kill();
  await agent?.end('SIGKILL');
  await service?.end();
  if (directory !== '') await rm(directory, { recursive: true, force: true });
});

describe(`the example of a run task, with terraform${reason}`, () => {
  run('lets plans that create pass, and stops those that destroy, as the CLI prints', async () => {
    const body = 'resource "terraform_data" "x" { input = "hello" }\n';
    const place = await Workplace.make(
      join(directory, 'place'),
      { url: service?.url ?? '', token: adminToken },
      { organization: 'acme', name: 'checked' },
      body,
    );
    expect((await place.run('init', '-input=false', '-no-color')).code).toBe(0);
    const url = await startTask();
    const attributes = { name: 'scanner', url, 'hmac-key': hmacKey, category: 'task' };
    const created = await steps.ask('POST', '/organizations/acme/tasks', { data: { type: 'tasks', attributes } });
    const { id } = await steps.ask('GET', '/organizations/acme/workspaces/checked');
    await steps.ask('POST', `/workspaces/${id}/tasks`, {
      data: {
        type: 'workspace-tasks',
        attributes: {
          'enforcement-level': 'mandatory',
          stages: ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'],
        },
        relationships: { task: { data: { type: 'tasks', id: created.id } } },
      },
    });

    const applied = await place.run('apply', '-auto-approve', '-no-color');
    expect(applied.printed).toMatch(/Pre-plan Tasks:[\s\S]*All tasks completed! 1 passed, 0 failed/);
    expect(applied.printed).toMatch(/Post-plan Tasks:[\s\S]*scanner ⸺ {3}Passed[\s\S]*0 resources are destroyed/);
    expect(applied.printed).toMatch(/Overall Result: Passed/);
    expect(applied.printed).toContain('Apply complete!');
    expect(applied.code).toBe(0);

    const destroying = place.start('plan', '-destroy', '-no-color');
    await destroying.prints('Do you want to override');
    const [last] = await steps.runs(id);
    const [stage] = await steps
      .ask('GET', `/runs/${last?.id}/task-stages`)
      .then((stages) =>
        stages.filter((one: { attributes: { stage: string } }) => one.attributes.stage === 'post_plan'),
      );
    expect(stage.attributes.status).toBe('awaiting_override');
    destroying.read('no\n');
    const destroyed = await destroying.ended();
    expect(destroyed.printed).toMatch(/scanner ⸺ {3}Failed \(Mandatory\)[\s\S]*1 resources are destroyed/);
    expect(destroyed.printed).toContain('Overall Result: Failed');
    const [{ id: resultId }] = stage.relationships['task-results'].data;
    const [outcome] = await steps.ask('GET', `/task-results/${resultId}/outcomes`);
    expect(outcome.attributes).toMatchObject({ 'outcome-id': 'terraform_data.x' });
  });
});
