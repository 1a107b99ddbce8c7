import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { AgentProcess } from '../support/agent-process.js';
import { archiveOf } from '../support/archives.js';
import { needing } from '../support/examples.js';
import { ServiceProcess, temporaryDirectory } from '../support/process.js';
import { endRecording, recordingIn } from '../support/recorded-requests.js';
import { ServiceSteps, until } from '../support/service-steps.js';

const terraform = process.env.TERRAFORM ?? 'terraform';
const withTerraform = needing(terraform).test;

let directory: string;
let service: ServiceProcess;
let steps: ServiceSteps;
let agent: AgentProcess;

beforeAll(async () => {
  directory = await temporaryDirectory();
  service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data'), ...recordingIn(directory) });
  steps = new ServiceSteps(service);
  await service.provision();
  const work = join(directory, 'work');
  await mkdir(work);
  agent = AgentProcess.start({
    GATEHOUSE_URL: service.url,
    AGENT_TOKEN: await steps.agentToken(),
    AGENT_WORK_DIR: work,
    ...(terraform.includes('/') && { TERRAFORM_PATH: terraform }),
  });
});

afterAll(async () => {
  await agent?.end('SIGKILL');
  await service?.end();
  await endRecording(directory);
});

const ends = ['applied', 'planned_and_finished', 'errored'];

/** Runs the files and applies them. Returns the status and the log of the plan. */
async function ran(workspaceId: string, text: string): Promise<readonly [status: string, log: string]> {
  const files = await archiveOf({ 'main.tf': text });
  const versionId = await steps.uploaded(workspaceId, files, { 'auto-queue-runs': false });
  const runId = await steps.run(workspaceId, versionId, { 'auto-apply': true });
  const status = await until(`${runId} has ended`, async () => {
    const now = await steps.statusOf(runId);
    return ends.includes(now) && now;
  });
  const { attributes } = await steps.ask('GET', `/plans/${runId.replace('run-', 'plan-')}`);
  return [status, await (await fetch(attributes['log-read-url'])).text()];
}

withTerraform(
  'a run reads with terraform_remote_state what another workspace shares with its own, and nothing else',
  async () => {
    const [network, api] = [await steps.workspace('network'), await steps.workspace('billing')];
    expect((await ran(network, 'output "cidr" {\n  value = "10.0.0.0/16"\n}\n'))[0]).toBe('applied');
    const reading = (name: string) => `
data "terraform_remote_state" "other" {
  backend = "remote"
  config = {
    hostname     = "${new URL(service.url).host}"
    organization = "acme"
    workspaces   = { name = "${name}" }
  }
}

output "seen" {
  value = data.terraform_remote_state.other.outputs.cidr
}
`;
    const [hidden, hiddenLog] = await ran(api, reading('network'));
    const [missing, missingLog] = await ran(api, reading('nowhere'));
    expect([hidden, missing]).toEqual(['errored', 'errored']);
    expect(hiddenLog).toContain('not found');
    expect(hiddenLog.replaceAll('network', 'nowhere')).toBe(missingLog);

    const consumers = { data: [{ id: api, type: 'workspaces' }] };
    await steps.ask('POST', `/workspaces/${network}/relationships/remote-state-consumers`, consumers);
    const [named, log] = await ran(api, reading('network'));
    expect([named, log]).toEqual(['applied', expect.stringContaining('10.0.0.0/16')]);

    await steps.ask('DELETE', `/workspaces/${network}/relationships/remote-state-consumers`, consumers);
    expect((await ran(api, reading('network')))[0]).toBe('errored');
    await steps.update(network, { 'global-remote-state': true });
    expect((await ran(api, reading('network')))[0]).toMatch(/^(applied|planned_and_finished)$/);
  },
);
