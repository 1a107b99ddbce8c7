import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentProcess } from '../support/agent-process.js';
import { archiveOf } from '../support/archives.js';
import { needing } from '../support/examples.js';
import { lookAround } from '../support/look-around.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { runUser } from '../support/run-user.js';
import { ServiceSteps, until } from '../support/service-steps.js';

const terraform = process.env.TERRAFORM ?? 'terraform';
const opa = process.env.OPA ?? 'opa';
const withTerraform = needing(terraform).test;
const withBoth = needing(terraform, opa).test;
const isRoot = process.geteuid?.() === 0;
const asRoot: typeof withTerraform = isRoot
  ? withTerraform
  : (title) => it.skip(`${title} (skipped: only root can)`, () => undefined);

const user = runUser.uid;
let directory: string;
let service: ServiceProcess;
let steps: ServiceSteps;
let token: string;
let agent: AgentProcess | undefined;
let workspaces = 0;

beforeAll(async () => {
  directory = await temporaryDirectory();
  service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data') });
  steps = new ServiceSteps(service);
  await service.provision();
  token = await steps.agentToken();
});

afterEach(async () => {
  await agent?.end('SIGKILL');
  agent = undefined;
});

afterAll(async () => {
  await service?.end();
  await rm(directory, { recursive: true, force: true });
});

async function startAgent(environment: Readonly<Record<string, string>> = {}): Promise<AgentProcess> {
  const work = join(directory, 'work');
  await mkdir(work, { recursive: true });
  agent = AgentProcess.start({
    GATEHOUSE_URL: service.url,
    AGENT_TOKEN: token,
    AGENT_NAME: 'tested',
    AGENT_WORK_DIR: work,
    ...(terraform.includes('/') && { TERRAFORM_PATH: terraform }),
    ...(opa.includes('/') && { OPA_PATH: opa }),
    ...environment,
  });
  return agent;
}

/** A workspace with these files, whose run is queued. */
async function queued(
  files: Readonly<Record<string, string>>,
  variables: readonly object[] = [],
): Promise<{ readonly workspaceId: string; readonly runId: string }> {
  workspaces += 1;
  const workspaceId = await steps.workspace(`tried-${workspaces}`);
  for (const attributes of variables) {
    await steps.ask('POST', `/api/v2/workspaces/${workspaceId}/vars`, { data: { type: 'vars', attributes } });
  }
  const versionId = await steps.uploaded(workspaceId, await archiveOf(files), { 'auto-queue-runs': false });
  return { workspaceId, runId: await steps.run(workspaceId, versionId) };
}

const rests = ['planned', 'planned_and_finished', 'post_plan_completed', 'post_plan_awaiting_decision'];
const ends = ['applied', 'errored', 'canceled', 'discarded'];

/** Resolves with the run's status once it rests or has ended. */
const settled = (runId: string): Promise<string> =>
  until(`${runId} has settled`, async () => {
    const status = await steps.statusOf(runId);
    return [...rests, ...ends].includes(status) && status;
  });

const applied = async (runId: string): Promise<string> => {
  await steps.ask('POST', `/runs/${runId}/actions/apply`);
  return until(`${runId} has ended`, async () => {
    const status = await steps.statusOf(runId);
    return ends.includes(status) && status;
  });
};

async function logOf(runId: string, phase: 'plan' | 'apply'): Promise<string> {
  const path = `/${phase === 'plan' ? 'plans' : 'applies'}/${runId.replace('run-', `${phase}-`)}`;
  const { attributes } = await steps.ask('GET', path);
  const parts: Buffer[] = [];
  // A long log comes in parts.
  for (let offset = 0; ; offset += parts.at(-1)?.length ?? 0) {
    const part = Buffer.from(await (await fetch(`${attributes['log-read-url']}?offset=${offset}`)).arrayBuffer());
    if (part.length === 0) return Buffer.concat(parts).toString();
    parts.push(part);
  }
}

/** The workspace's state, as it was stored. */
// biome-ignore lint/suspicious/noExplicitAny: a state is read member by member.
async function stateOf(workspaceId: string): Promise<any> {
  const { attributes } = await steps.ask('GET', `/api/v2/workspaces/${workspaceId}/current-state-version`);
  const url = new URL(attributes['hosted-state-download-url'], service.url);
  return (await fetch(url, { headers: { Authorization: `Bearer ${adminToken}` } })).json();
}

const shell = (name: string, command: string): string => `
resource "terraform_data" "${name}" {
  provisioner "local-exec" {
    interpreter = ["/bin/sh", "-c"]
    command     = ${JSON.stringify(command)}
  }
}
`;

/** Whether the process whose number is in the file runs; one that is a zombie does not. */
async function runs(file: string): Promise<boolean> {
  const status = await readFile(`/proc/${(await readFile(file, 'utf8')).trim()}/stat`, 'utf8').catch(() => '');
  return status !== '' && !/\) Z /.test(status);
}

describe('the agent', () => {
  withTerraform('plans and applies with the variables of the workspace, and stores the state', async () => {
    const { workspaceId, runId } = await queued(
      {
        'main.tf': `terraform {
  cloud {
    organization = "acme"
    workspaces { name = "x" }
  }
}
variable "text" { type = string }
variable "list" { type = list(number) }
variable "password" { type = string }
resource "terraform_data" "kept" { input = [var.text, var.list] }
output "text" { value = terraform_data.kept.output[0] }
output "password" { value = var.password }
${shell('env', 'env')}`,
      },
      [
        { key: 'text', value: 'a %{b} "c"', category: 'terraform' },
        { key: 'list', value: '[1, 2]', category: 'terraform', hcl: true },
        { key: 'password', value: 'hidden-word', category: 'terraform', sensitive: true },
        { key: 'REGION', value: 'eu', category: 'env' },
      ],
    );
    await startAgent({ SECRET_OF_THE_AGENT: 'private', AGENT_PASS_ENV: 'TOLD', TOLD: 'passed on' });
    expect(await settled(runId)).toBe('planned');
    const plan = await logOf(runId, 'plan');
    expect(plan).toMatch(/Terraform v\S+\non \S+\nInitializing plugins and modules\.\.\.\n/);
    expect(plan).toContain('Plan: 2 to add, 0 to change, 0 to destroy.');

    expect(await applied(runId)).toBe('applied');
    const apply = await logOf(runId, 'apply');
    expect(apply).toContain('Apply complete! Resources: 2 added, 0 changed, 0 destroyed.');
    const environment = [...apply.matchAll(/\(local-exec\): (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    expect(Object.fromEntries(environment)).toMatchObject({ REGION: 'eu', TOLD: 'passed on', TF_INPUT: '0' });
    for (const secret of ['hidden-word', token, 'private']) expect(plan + apply).not.toContain(secret);
    expect(apply).not.toContain('AGENT_');

    const state = await stateOf(workspaceId);
    expect(state.outputs).toMatchObject({ text: { value: 'a %{b} "c"' }, password: { value: 'hidden-word' } });
    const outputs = await steps.ask('GET', `/api/v2/workspaces/${workspaceId}/current-state-version-outputs`);
    expect(outputs.map((output: { attributes: { name: string } }) => output.attributes.name).sort()).toEqual([
      'password',
      'text',
    ]);

    const again = await steps.run(workspaceId);
    expect(await settled(again)).toBe('planned_and_finished');
    expect(await logOf(again, 'plan')).toContain('No changes.');

    expect(await agent?.end()).toBe(0);
    expect(await readdir(join(directory, 'work'))).toEqual([]);
    expect(agent?.printed).not.toContain(token);
  });

  withTerraform('reports terraform’s own error when a plan fails', async () => {
    const { runId } = await queued({ 'main.tf': 'output "x" { value = nothing.here }' });
    await startAgent();
    expect(await settled(runId)).toBe('errored');
    expect(await logOf(runId, 'plan')).toContain('Error: Reference to undeclared resource');
    await agent?.prints('plan failed: terraform plan failed: Error: Reference to undeclared resource');
  });

  withTerraform('stores the state of an apply that failed', async () => {
    const failing = shell('fails', 'exit 3').replace('{', '{\n  depends_on = [terraform_data.made]');
    const { workspaceId, runId } = await queued({ 'main.tf': `resource "terraform_data" "made" {}\n${failing}` });
    await startAgent();
    await settled(runId);
    expect(await applied(runId)).toBe('errored');
    expect(await logOf(runId, 'apply')).toContain('exit status 3');
    const { resources } = await stateOf(workspaceId);
    expect(resources.map(({ name }: { name: string }) => name)).toContain('made');
  });

  withTerraform('never shows a value that becomes sensitive, nor the value of a sensitive variable', async () => {
    const source = (sensitive: boolean) => `variable "word" { type = string }
variable "number" { type = number }
resource "terraform_data" "x" { input = [var.word, var.number] }
output "once" {
  value     = "was-in-the-open"
  sensitive = ${sensitive}
}
output "word" { value = var.word }`;
    const { workspaceId, runId } = await queued({ 'main.tf': source(false) }, [
      { key: 'word', value: 'hidden-word', category: 'terraform', sensitive: true },
      { key: 'number', value: '8375', category: 'terraform', sensitive: true },
    ]);
    await startAgent();
    const redacted = async (id: string) => {
      const path = `/api/v2/plans/${id.replace('run-', 'plan-')}/json-output-redacted`;
      return (await fetch(service.url + path, { headers: { Authorization: `Bearer ${adminToken}` } })).text();
    };
    expect(await settled(runId)).toBe('planned');
    const first = await redacted(runId);
    expect(first).toContain('was-in-the-open');
    expect(first).not.toMatch(/hidden-word|8375/);
    expect(await applied(runId)).toBe('applied');
    const files = await archiveOf({ 'main.tf': source(true) });
    const again = await steps.run(workspaceId, await steps.uploaded(workspaceId, files, { 'auto-queue-runs': false }));
    expect(await settled(again)).toBe('planned');
    expect(await redacted(again)).not.toMatch(/was-in-the-open|hidden-word|8375/);
  });

  withTerraform(
    "takes no state from an archive, and no second line of a variable's value for another variable",
    async () => {
      const planted = { version: 4, serial: 9, lineage: 'planted', resources: [], outputs: {} };
      const { workspaceId, runId } = await queued(
        {
          'main.tf': `variable "role" { default = "reader" }
variable "region" {}
resource "terraform_data" "made" { input = [terraform.workspace, var.region] }`,
          'errored.tfstate': JSON.stringify(planted),
        },
        [{ key: 'region', value: '{ name = "eu" } # Europe', category: 'terraform', hcl: true }],
      );
      await startAgent();
      expect(await settled(runId)).toBe('planned');
      expect(await applied(runId)).toBe('applied');
      const { lineage, resources } = await stateOf(workspaceId);
      expect(lineage).not.toBe('planted');
      expect(resources[0].instances[0].attributes.input.value).toEqual([`tried-${workspaces}`, { name: 'eu' }]);

      const variables = [{ key: 'region', value: '"eu"\nrole = "administrator"' }];
      const other = await steps.run(workspaceId, undefined, { variables });
      expect(await settled(other)).toBe('errored');
    },
  );

  withTerraform(
    'applies what was planned, though a variable and the workspace’s name have changed since, and passes ephemeral ones again',
    async () => {
      const { workspaceId, runId } = await queued(
        {
          'main.tf': `variable "word" {
  ephemeral = true
}
variable "text" {}
resource "terraform_data" "made" { input = var.text }`,
        },
        [
          { key: 'word', value: 'secret', category: 'terraform' },
          { key: 'text', value: 'planned', category: 'terraform' },
        ],
      );
      await startAgent();
      expect(await settled(runId)).toBe('planned');
      const path = `/api/v2/workspaces/${workspaceId}/vars`;
      const [{ id }] = (await steps.ask('GET', path)).filter(
        ({ attributes }: { attributes: { key: string } }) => attributes.key === 'text',
      );
      await steps.ask('PATCH', `${path}/${id}`, { data: { id, type: 'vars', attributes: { value: 'changed' } } });
      const renamed = { data: { id: workspaceId, type: 'workspaces', attributes: { name: 'renamed' } } };
      await steps.ask('PATCH', `/api/v2/workspaces/${workspaceId}`, renamed);
      expect(await applied(runId)).toBe('applied');
      const { resources } = await stateOf(workspaceId);
      expect(resources[0].instances[0].attributes.input.value).toBe('planned');
    },
  );

  withTerraform('plans though an undeclared variable is too large for a program’s environment', async () => {
    const { runId } = await queued({ 'main.tf': '' }, [
      { key: 'undeclared', category: 'terraform', value: 'x'.repeat(140_000) },
    ]);
    await startAgent();
    expect(await settled(runId)).toBe('planned_and_finished');
  });

  withTerraform('says behind the three lines that clients drop why an apply did not begin', async () => {
    const { runId } = await queued({ 'main.tf': 'resource "terraform_data" "made" {}' });
    await startAgent();
    await settled(runId);
    await agent?.end();
    await startAgent({ TERRAFORM_PATH: '/nowhere/terraform' });
    expect(await applied(runId)).toBe('errored');
    const shown = (await logOf(runId, 'apply')).split('\n').slice(3).join('\n');
    expect(shown).toContain('The agent cannot run /nowhere/terraform. Set TERRAFORM_PATH');
  });

  withTerraform('keeps a state that it can neither deliver nor put aside, and names it', async () => {
    const work = join(directory, 'small-work');
    await mkdir(work);
    await writeFile(join(work, 'lost-state'), 'in the way');
    const state = { version: 4, serial: 0, lineage: 'of-another', resources: [], outputs: {} };
    const { workspaceId, runId } = await queued({ 'main.tf': 'resource "terraform_data" "made" {}' });
    await startAgent({ AGENT_WORK_DIR: work });
    await settled(runId);
    expect(await applied(runId)).toBe('applied');
    const command = `echo '${JSON.stringify(state)}' > errored.tfstate`;
    const source = { 'main.tf': `resource "terraform_data" "made" {}\n${shell('breaks', command)}` };
    const version = await steps.uploaded(workspaceId, await archiveOf(source), { 'auto-queue-runs': false });
    const broken = await steps.run(workspaceId, version);
    await settled(broken);
    expect(await applied(broken)).toBe('errored');
    const [, path = ''] = /It is in (\S+) on the agent's machine/.exec(await logOf(broken, 'apply')) ?? [];
    expect(path).toMatch(/gatehouse-run-.*errored\.tfstate$/);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(state);

    // The next one finds it, and room for it.
    await agent?.end();
    await rm(join(work, 'lost-state'));
    await startAgent({ AGENT_WORK_DIR: work });
    await agent?.prints(`${broken}: an agent was killed during the apply; the state is in`);
    expect(JSON.parse(await readFile(join(work, 'lost-state', `${broken}.tfstate`), 'utf8'))).toEqual(state);
  });

  it('ends a run with what to do where there is no terraform', async () => {
    const { runId } = await queued({ 'main.tf': '' });
    await startAgent({ TERRAFORM_PATH: '/nowhere/terraform' });
    expect(await settled(runId)).toBe('errored');
    const sentence = 'The agent cannot run /nowhere/terraform. Set TERRAFORM_PATH to a terraform or tofu program';
    expect(await logOf(runId, 'plan')).toContain(sentence);
    expect(agent?.printed).toContain(sentence);
  });
});

describe('a program that goes too far', () => {
  const marked = (name: string): string => join(directory, name);

  for (const [bound, environment, command, why] of [
    ['time', { AGENT_PHASE_SECONDS: '4', AGENT_CANCEL_SECONDS: '1' }, "trap '' INT; sleep 300", 'AGENT_PHASE_SECONDS'],
    ['output', { AGENT_OUTPUT_MB: '1', AGENT_CANCEL_SECONDS: '1' }, "trap '' INT; yes", 'AGENT_OUTPUT_MB'],
    [
      'memory',
      { AGENT_MEMORY_MB: '500' },
      `"${process.execPath}" --eval 'globalThis.kept = Buffer.alloc(9e8, 1); setTimeout(() => {}, 300000)'`,
      'AGENT_MEMORY_MB',
    ],
  ] as const) {
    withTerraform(`is ended with everything it started: ${bound}`, async () => {
      const pid = marked(`${bound}.pid`);
      // The sleep runs in its own session and its parent has exited, as with a daemon.
      const left = `setsid sh -c 'sh -c "echo \\$\\$ > ${pid}; exec sleep 300" &'; while [ ! -s ${pid} ]; do sleep 0.1; done; `;
      const { runId } = await queued({ 'main.tf': shell('far', left + command) });
      await startAgent(environment);
      await settled(runId);
      expect(await applied(runId)).toBe('errored');
      await agent?.prints(why);
      expect(await logOf(runId, 'apply')).toContain(why);
      expect(await runs(pid)).toBe(false);
    });
  }

  withTerraform('is interrupted when the run is canceled, and its state is stored', async () => {
    const begun = marked('begun');
    const slow = shell('slow', `touch ${begun}; exec sleep 300`).replace(
      '{',
      '{\n  depends_on = [terraform_data.made]',
    );
    const { workspaceId, runId } = await queued({ 'main.tf': `resource "terraform_data" "made" {}\n${slow}` });
    await startAgent({ AGENT_CANCEL_SECONDS: '20' });
    await settled(runId);
    const ended = applied(runId);
    await until('the apply has begun', async () => existsSync(begun));
    await steps.ask('POST', `/runs/${runId}/actions/cancel`);
    expect(await ended).toBe('canceled');
    expect((await stateOf(workspaceId)).resources.map(({ name }: { name: string }) => name)).toContain('made');
  });
});

describe('a plan that takes long', () => {
  let slow: Server;
  let asked = 0;

  beforeAll(async () => {
    slow = createServer(() => {
      asked += 1;
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
  });

  afterAll(() => {
    slow.close().closeAllConnections();
  });

  /** A run whose plan waits for a server that never responds. */
  async function waiting(): Promise<string> {
    const address = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
    const source = `data "terraform_remote_state" "slow" {\n  backend = "http"\n  config  = { address = "${address}" }\n}`;
    const { runId } = await queued({ 'main.tf': source });
    const before = asked;
    await startAgent();
    await until('the plan waits', async () => asked > before);
    return runId;
  }

  withTerraform('is released for another agent when its agent is stopped', async () => {
    const runId = await waiting();
    expect(await agent?.end()).toBe(0);
    expect(agent?.printed).toContain('plan stopped; another agent will claim the run');
    expect(await steps.statusOf(runId)).toBe('planning');
    const left = await readdir(join(directory, 'work'));
    expect(left.filter((name) => name.startsWith('gatehouse-run-'))).toEqual([]);
    await steps.ask('POST', `/runs/${runId}/actions/cancel`);
  });

  withTerraform('is stopped once another agent holds the run, and nothing more is reported', async () => {
    const runId = await waiting();
    await steps.ask('POST', `/runs/${runId}/actions/cancel`);
    await agent?.prints('plan stopped: the run no longer belongs to this agent');
    expect(await steps.statusOf(runId)).toBe('canceled');
  });
});

describe('a configuration that looks for the token', () => {
  /** Everything a configuration finds in a plan, which terraform itself reads, and in an apply, where it starts a shell. */
  async function looked(environment: Readonly<Record<string, string>>) {
    const place = await mkdtemp(join(directory, 'looked-'));
    const [found, work, file] = [join(place, 'found'), join(place, 'work'), join(place, 'token')];
    for (const path of [directory, place]) await chmod(path, 0o755);
    for (const path of [found, work]) await mkdir(path);
    await chmod(found, 0o777);
    await writeFile(file, `${token}\n`, { mode: 0o600 });
    const own = await startAgent({
      AGENT_WORK_DIR: work,
      ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value.replace('FILE', file)])),
    });
    await own.prints('claims runs from');
    const read = (path: string) => `try(filebase64("${path}"), "refused")`;
    const pid = own.child.pid;
    const source = `output "environ" { value = ${read(`/proc/${pid}/environ`)} }
output "cmdline" { value = ${read(`/proc/${pid}/cmdline`)} }
output "token" { value = ${read(file)} }
resource "terraform_data" "left" {
  provisioner "local-exec" { command = "setsid sh -c 'exec env -i sleep 300' > /dev/null 2>&1 & id -u > ${found}/uid; id -G > ${found}/groups" }
}
${shell('looks', `cat ${file} > ${found}/token; ${lookAround(found)}`)}`;
    const { runId, workspaceId } = await queued({ 'main.tf': source });
    expect(await settled(runId)).toBe('planned');
    expect(await applied(runId)).toBe('applied');
    const log = (await logOf(runId, 'plan')) + (await logOf(runId, 'apply'));
    const { outputs } = await stateOf(workspaceId);
    const decoded = (name: string) => Buffer.from(outputs[name].value, 'base64').toString('latin1');
    const text = (name: string) => readFile(join(found, name), 'latin1');
    const texts = await Promise.all((await readdir(found)).map(async (name) => [name, await text(name)] as const));
    expect(await own.end()).toBe(0);
    expect(await readdir(work)).toEqual([]);
    return { log, pid, own, outputs, decoded, texts: Object.fromEntries(texts) };
  }

  for (const [mode, environment] of [
    ['AGENT_TOKEN', {}],
    ['AGENT_TOKEN_FILE', { AGENT_TOKEN: '', AGENT_TOKEN_FILE: 'FILE' }],
  ] as const) {
    withTerraform(`finds it in no environment, command line or descriptor, but in the file: ${mode}`, async () => {
      const { log, pid, own, decoded, texts } = await looked(environment);
      expect(decoded('environ')).toContain('GATEHOUSE_URL=');
      expect(texts[`environ-${pid}`]).toContain('GATEHOUSE_URL=');
      for (const text of [decoded('environ'), decoded('cmdline')]) expect(text).not.toContain(token);
      const { token: ofFile, ...others } = texts;
      for (const text of Object.values(others)) expect(text).not.toContain(token);
      // As SECURITY.md says: what the agent's user can read, a configuration can.
      expect(ofFile).toContain(token);
      expect(own.printed).toContain("warning: configurations run as the agent's own user and can read its token");
      expect(log).not.toContain(token);
      // In the plan's log stands the file in base64.
      expect(log).toMatch(/token += "\*\*\*/);
    });
  }

  for (const [mode, environment] of [
    ['AGENT_TOKEN', {}],
    ['AGENT_TOKEN_FILE', { AGENT_TOKEN: '', AGENT_TOKEN_FILE: 'FILE' }],
  ] as const) {
    asRoot(`finds it nowhere as another user: AGENT_RUN_AS with ${mode}`, async () => {
      const { log, pid, own, outputs, texts } = await looked({ ...environment, AGENT_RUN_AS: `${user}:${user}` });
      expect([texts.uid, texts.groups]).toEqual([`${user}\n`, `${user}\n`]);
      expect([outputs.environ.value, outputs.token.value]).toEqual(['refused', 'refused']);
      expect(texts[`cmdline-${pid}`]).toContain('main.js');
      expect([texts[`environ-${pid}`], texts[`fd-${pid}`], texts[`files-${pid}`], texts.token]).toEqual([
        '',
        '',
        '',
        '',
      ]);
      for (const text of [log, JSON.stringify(outputs), ...Object.values(texts)]) expect(text).not.toContain(token);
      expect(own.printed).not.toContain('warning: configurations run as');
      const { stdout } = spawnSync('ps', ['-A', '-o', 'uid=,stat=']);
      const states = [...`${stdout}`.matchAll(/^ *(\d+) +(\S)/gm)].filter(([, uid]) => uid === `${user}`);
      expect(states.filter(([, , state]) => state !== 'Z')).toEqual([]);
    });
  }

  asRoot('is refused a directory that its user may write to, and a user of other programs', async () => {
    const work = await mkdtemp(join(directory, 'own-'));
    await chown(work, user, user);
    const settings = { AGENT_RUN_AS: `${user}:${user}`, AGENT_WORK_DIR: work };
    const own = await startAgent(settings);
    expect(await own.ended()).toBe(1);
    expect(own.printed).toContain(`AGENT_WORK_DIR: the user of AGENT_RUN_AS can write to ${work}.`);
    const busy = spawn('sleep', ['60'], { uid: user, gid: user, stdio: 'ignore' });
    try {
      await once(busy, 'spawn');
      await chmod(directory, 0o755);
      const other = await startAgent({ ...settings, AGENT_WORK_DIR: join(directory, 'work') });
      expect(await other.ended()).toBe(1);
      expect(other.printed).toContain(`AGENT_RUN_AS: the process ${busy.pid} runs as that user.`);
      expect(busy.exitCode ?? busy.signalCode).toBeNull();
    } finally {
      busy.kill('SIGKILL');
    }
  });
});

describe('policies', () => {
  /** A policy of a set that applies to every workspace, until `remove` is called. */
  async function attached(policies: readonly { name: string; level: string; code?: string }[], settings = {}) {
    const ids: string[] = [];
    for (const { name, level, code } of policies) {
      const attributes = { name, kind: 'opa', query: 'data.tried.deny', 'enforcement-level': level };
      const body = { data: { type: 'policies', attributes } };
      const { id } = await steps.ask('POST', '/api/v2/organizations/acme/policies', body);
      ids.push(id);
      if (code !== undefined) {
        const headers = { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/octet-stream' };
        await fetch(`${service.url}/api/v2/policies/${id}/upload`, { method: 'PUT', headers, body: code });
      }
    }
    const relationships = { policies: { data: ids.map((id) => ({ type: 'policies', id })) } };
    const body = {
      data: {
        type: 'policy-sets',
        attributes: { name: 'tried', kind: 'opa', global: true, ...settings },
        relationships,
      },
    };
    const { id } = await steps.ask('POST', '/api/v2/organizations/acme/policy-sets', body);
    return {
      remove: async () => {
        await steps.ask('DELETE', `/api/v2/policy-sets/${id}`);
        for (const one of ids) await steps.ask('DELETE', `/api/v2/policies/${one}`);
      },
    };
  }

  const files = { 'main.tf': 'resource "terraform_data" "x" {}' };
  const rego = (body: string): string => `package tried\n\n${body}\n`;

  /** The outcome of each policy of a run, by name. */
  async function outcomesOf(runId: string): Promise<Readonly<Record<string, string>>> {
    const [stage] = await steps.ask('GET', `/runs/${runId}/task-stages`);
    const [evaluation] = await steps.ask('GET', `/task-stages/${stage.id}/policy-evaluations`);
    const sets = await steps.ask('GET', `/policy-evaluations/${evaluation.id}/policy-set-outcomes`);
    const outcomes = sets.flatMap(({ attributes }: { attributes: { outcomes: object[] } }) => attributes.outcomes);
    return Object.fromEntries(
      outcomes.map((outcome: Record<string, string>) => [
        outcome.policy_name ?? outcome['policy-name'],
        outcome.status,
      ]),
    );
  }

  withBoth('are evaluated on the plan, and say in its log what failed and why one could not be evaluated', async () => {
    const { remove } = await attached([
      {
        name: 'passes',
        level: 'mandatory',
        code: rego('deny contains "never" if input.plan.resource_changes[0].address == "y"'),
      },
      {
        name: 'fails',
        level: 'advisory',
        code: rego('deny contains input.plan.resource_changes[0].address if not input.run.is_destroy'),
      },
      {
        name: 'calls',
        level: 'mandatory',
        code: rego('deny contains "x" if http.send({"method": "get", "url": "http://127.0.0.1"})'),
      },
      {
        name: 'steers',
        level: 'advisory',
        code: rego('deny contains {"msg": "a\\u0000b\\u001b[31mc"}\n\ndeny contains "d\\u0000e"'),
      },
    ]);
    try {
      const { runId } = await queued(files);
      await startAgent();
      expect(await settled(runId)).toBe('errored');
      expect(await outcomesOf(runId)).toEqual({
        passes: 'passed',
        fails: 'failed',
        calls: 'errored',
        steers: 'failed',
      });
      const log = await logOf(runId, 'plan');
      expect(log).toContain('Policy tried/fails (advisory) failed:\n  - terraform_data.x\n');
      expect(log).toContain('Policy tried/calls could not be evaluated:\n  - line 3: undefined function http.send\n');
      expect(log).toContain('Policy tried/steers (advisory) failed:\n  - de\n  - abc\n');
    } finally {
      await remove();
    }
  });

  withBoth('in Rego v0 are evaluated as such, which the outcome says unless their set does', async () => {
    const v0 =
      'package tried\n\ndeny["old words"] {\n  input.plan.resource_changes[0].address == "terraform_data.x"\n}\n';
    const evaluated = async (version: string | null) => {
      const policy = { name: 'old', level: 'advisory', code: v0 };
      const { remove } = await attached([policy], { 'policy-tool-version': version });
      try {
        const { runId } = await queued(files);
        const agent = await startAgent();
        expect(await settled(runId)).toBe('post_plan_completed');
        await agent.end();
        const [stage] = await steps.ask('GET', `/runs/${runId}/task-stages`);
        const [evaluation] = await steps.ask('GET', `/task-stages/${stage.id}/policy-evaluations`);
        const [{ attributes }] = await steps.ask('GET', `/policy-evaluations/${evaluation.id}/policy-set-outcomes`);
        return [attributes.outcomes[0].status, attributes.warnings];
      } finally {
        await remove();
      }
    };
    expect(await evaluated('0.70.0')).toEqual(['failed', []]);
    expect(await evaluated(null)).toEqual(['failed', [expect.stringContaining('old parses only as Rego v0')]]);
    expect(await evaluated('1.0.0')).toEqual(['errored', []]);
  });

  withBoth('of an uploaded version are evaluated with its files and with the parameters of their set', async () => {
    const attributes = { name: 'versioned', kind: 'opa', global: true };
    const body = { data: { type: 'policy-sets', attributes } };
    const set = await steps.ask('POST', '/api/v2/organizations/acme/policy-sets', body);
    try {
      const parameter = { key: 'forbidden', value: 'terraform_data.x', category: 'policy-set', sensitive: true };
      const path = `/api/v2/policy-sets/${set.id}`;
      await steps.ask('POST', `${path}/parameters`, { data: { type: 'vars', attributes: parameter } });
      const version = await steps.ask('POST', `${path}/versions`);
      const policies = ['addresses', 'shared', 'broken'].map(
        (name) => `policy "${name}" { query = "data.${name}.deny" }`,
      );
      const archive = await archiveOf({
        'policies.hcl': policies.join('\n'),
        'addresses.rego':
          'package addresses\n\nimport data.lib\n\ndeny contains address if {\n\tsome address in lib.addresses\n\taddress == data.parameters.forbidden\n}\n',
        'lib/lib.rego': 'package lib\n\naddresses contains input.plan.resource_changes[_].address\n',
        'shared.rego': 'package shared\n\ndeny contains "data" if data.allowed\n',
        'broken.rego': 'package broken\n\ndeny := 1\n',
        'broken_test.rego': 'no rego',
        'allowed.json': '{"allowed": true}',
      });
      const headers = { 'Content-Type': 'application/octet-stream' };
      const put = await fetch(version.links.upload, { method: 'PUT', headers, body: new Uint8Array(archive) });
      expect(put.status).toBe(200);
      const { runId } = await queued(files);
      await startAgent();
      expect(await settled(runId)).toBe('post_plan_completed');
      expect(await outcomesOf(runId)).toEqual({ addresses: 'failed', shared: 'passed', broken: 'errored' });
      const log = await logOf(runId, 'plan');
      expect(log).toContain('Policy versioned/addresses (advisory) failed:\n  - ***\n');
      expect(log).toContain('the query must return one set or list of messages, but returned 1');
    } finally {
      await steps.ask('DELETE', `/api/v2/policy-sets/${set.id}`);
    }
  });

  withTerraform('of kind sentinel error as a whole, with the reason, and block the run', async () => {
    const attributes = {
      name: 'classic',
      kind: 'sentinel',
      global: true,
      policies: [{ name: 'rule', 'enforcement-level': 'advisory' }],
    };
    const document = { data: { type: 'policy-sets', attributes } };
    const set = await steps.ask('POST', '/api/v2/organizations/acme/policy-sets', document);
    try {
      const { runId } = await queued(files);
      await startAgent();
      expect(await settled(runId)).toBe('errored');
      const [stage] = await steps.ask('GET', `/runs/${runId}/task-stages`);
      const [evaluation] = await steps.ask('GET', `/task-stages/${stage.id}/policy-evaluations`);
      expect(evaluation.attributes).toMatchObject({ 'policy-kind': 'sentinel', status: 'errored' });
      const [outcome] = await steps.ask('GET', `/policy-evaluations/${evaluation.id}/policy-set-outcomes`);
      expect(outcome.attributes.error).toContain('No sentinel engine is available');
    } finally {
      await steps.ask('DELETE', `/api/v2/policy-sets/${set.id}`);
    }
  });

  withBoth('that do not end are stopped', async () => {
    const lines = ['some x in numbers.range(1, 100000)', 'some y in numbers.range(1, 100000)', 'x * y < 0'];
    const code = rego(`deny contains x if {\n\t${lines.join('\n\t')}\n}`);
    const { remove } = await attached([{ name: 'endless', level: 'mandatory', code }]);
    try {
      const { runId } = await queued(files);
      await startAgent({ AGENT_PHASE_SECONDS: '20' });
      expect(await settled(runId)).toBe('errored');
      expect(await outcomesOf(runId)).toEqual({ endless: 'errored' });
      expect(await logOf(runId, 'plan')).toContain('it took longer than AGENT_PHASE_SECONDS allows');
    } finally {
      await remove();
    }
  });

  asRoot('are evaluated as another user, who can read what belongs to them', async () => {
    const { remove } = await attached([{ name: 'reads', level: 'advisory', code: rego('deny := []') }]);
    const program = join(directory, 'opa-of-another');
    const result = (text: string) => `printf '{"result":[{"expressions":[{"value":["%s"]}]}]}' "${text}"`;
    await writeFile(
      program,
      `#!/bin/sh
case $1 in
  version) echo 'Version: 1.0.0';;
  capabilities) echo '{"builtins":[]}';;
  eval) cat "$5" "$9" "\${11}" > /dev/null && ${result('read by $(id -u)')};;
esac
`,
      { mode: 0o755 },
    );
    try {
      await chmod(directory, 0o755);
      const { runId } = await queued(files);
      await startAgent({ OPA_PATH: program, AGENT_RUN_AS: `${user}:${user}` });
      expect(await settled(runId)).toBe('post_plan_completed');
      expect(await logOf(runId, 'plan')).toContain(`Policy tried/reads (advisory) failed:\n  - read by ${user}\n`);
    } finally {
      await remove();
    }
  });

  (isRoot ? withBoth : asRoot)(`are evaluated by opa as another user`, async () => {
    const { remove } = await attached([
      { name: 'passes', level: 'mandatory', code: rego('deny := []') },
      { name: 'fails', level: 'advisory', code: rego('deny contains input.plan.resource_changes[0].address') },
    ]);
    try {
      await chmod(directory, 0o755);
      const { runId } = await queued(files);
      await startAgent({ AGENT_RUN_AS: `${user}:${user}` });
      expect(await settled(runId)).toBe('post_plan_completed');
      expect(await outcomesOf(runId)).toEqual({ passes: 'passed', fails: 'failed' });
      expect(await logOf(runId, 'plan')).toContain('Policy tried/fails (advisory) failed:\n  - terraform_data.x\n');
    } finally {
      await remove();
    }
  });

  withTerraform('end in errors that name the remedy where there is no opa', async () => {
    const { remove } = await attached([{ name: 'waits', level: 'advisory', code: rego('deny := []') }]);
    try {
      const { runId } = await queued(files);
      await startAgent({ OPA_PATH: '/nowhere/opa' });
      expect(await settled(runId)).toBe('errored');
      expect(await logOf(runId, 'plan')).toContain('The agent cannot run /nowhere/opa. Set OPA_PATH to an opa program');
    } finally {
      await remove();
    }
  });
});

describe('an agent with a service of its own', () => {
  const serves = async (url: string): Promise<boolean> =>
    fetch(url).then(
      () => true,
      () => false,
    );

  /** The numbers of the processes with this data directory: the service, and the agent that started it. */
  async function processesOf(data: string): Promise<readonly string[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const texts = pids.map(
      async (pid) => [pid, await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')] as const,
    );
    return (await Promise.all(texts)).filter(([, text]) => text.includes(`DATA_DIR=${data}\0`)).map(([pid]) => pid);
  }

  async function started(name: string): Promise<{ readonly data: string; readonly own: AgentProcess }> {
    const data = join(directory, name);
    const own = AgentProcess.start({ DATA_DIR: data, PORT: '0', AGENT_WORK_DIR: directory }, ['--with-server']);
    agent = own;
    await until('the service starts', async () => (await processesOf(data)).length === 2);
    return { data, own };
  }

  it('takes it along when its terminal is closed', async () => {
    const { own } = await started('closed');
    await own.prints('claims runs from');
    const [, url = ''] = /Gatehouse serves at (\S+)\. /.exec(own.printed) ?? [];
    expect(await serves(url)).toBe(true);
    own.child.stderr?.destroy();
    own.child.kill('SIGHUP');
    expect(await own.ended()).toBe(0);
    expect(await serves(url)).toBe(false);
  });

  it('ends it too when it is stopped while it starts', async () => {
    const { data, own } = await started('early');
    expect(await own.end()).toBe(0);
    expect(own.printed).not.toContain('claims runs from');
    expect(await processesOf(data)).toEqual([]);
  });

  it('ends it too on the third signal', async () => {
    const { data, own } = await started('hasty');
    for (let told = 0; told < 3; told += 1) {
      own.child.kill('SIGTERM');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await own.ended();
    await until('all have ended', async () => (await processesOf(data)).length === 0);
  });
});

describe('an agent that is not wanted', () => {
  it('ends with a sentence where its token is refused, and lists what is wrong with its settings', async () => {
    await startAgent({ AGENT_TOKEN: 'not-a-token-of-anybody' });
    expect(await agent?.ended()).toBe(1);
    expect(agent?.printed).toContain('the service rejected the agent token');
    const unset = AgentProcess.start({});
    expect(await unset.ended()).toBe(1);
    expect(unset.printed).toContain("the agent's settings have 2 errors:");
  });
});
