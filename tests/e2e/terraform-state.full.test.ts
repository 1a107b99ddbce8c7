import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { AgentProcess } from '../support/agent-process.js';
import { needing } from '../support/examples.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { endRecording, recordingIn } from '../support/recorded-requests.js';
import { ServiceSteps, until } from '../support/service-steps.js';
import { type Ended, hostname, killCommands, terraform, Workplace } from '../support/terraform-cli.js';

const opa = process.env.OPA ?? 'opa';
const { run, reason } = needing(terraform, opa);

let directory: string;
let service: ServiceProcess;
let steps: ServiceSteps;
let agent: AgentProcess;

beforeAll(async () => {
  directory = await temporaryDirectory();
  service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data'), ...recordingIn(directory) });
  steps = new ServiceSteps(service);
  const attributes = { name: 'acme', email: 'ops@example.com' };
  await steps.ask('POST', '/organizations', { data: { type: 'organizations', attributes } });
  const work = join(directory, 'agent');
  await mkdir(work);
  agent = AgentProcess.start({
    GATEHOUSE_URL: service.url,
    AGENT_TOKEN: await steps.agentToken('acme'),
    AGENT_WORK_DIR: work,
    ...(opa.includes('/') && { OPA_PATH: opa }),
    ...(terraform.includes('/') && { TERRAFORM_PATH: terraform }),
  });
});

afterAll(async () => {
  killCommands();
  await agent?.end('SIGKILL');
  await service?.end();
  if (directory === undefined) return;
  await endRecording(directory);
});

const configuration =
  'resource "terraform_data" "x" { input = "hello" }\noutput "greeting" { value = terraform_data.x.output }\noutput "secret" {\n  value     = "hunter4"\n  sensitive = true\n}\n';

const mended =
  'resource "terraform_data" "y" { input = "hello" }\noutput "greeting" { value = terraform_data.y.output }\n';

/** Ended well, and printed this. */
const expectDone = ({ code, printed }: Ended, ...texts: readonly string[]): void => {
  for (const text of texts) if (!printed.includes(text)) throw new Error(`${text} was not printed in:\n${printed}`);
  if (code !== 0) throw new Error(`it ended with ${code}:\n${printed}`);
};

/** A configuration, and the workspace that holds its state. */
class Site {
  private constructor(
    readonly name: string,
    readonly place: Workplace,
    readonly workspaceId: string,
  ) {}

  /** The same workspace, from a directory of its own. */
  async throughRemoteBackend(): Promise<Site> {
    const name = `${this.name}-remote`;
    const place = await Site.placeOf(name, this.name, mended);
    await place.write(
      'cloud.tf',
      `terraform {\n  backend "remote" {\n    hostname     = "${hostname}"\n    organization = "acme"\n    workspaces {\n      name = "${this.name}"\n    }\n  }\n}\n`,
    );
    expectDone(await place.run('init', '-input=false', '-no-color'));
    return new Site(name, place, this.workspaceId);
  }

  private static placeOf(directoryName: string, name: string, body: string): Promise<Workplace> {
    const at = { url: service.url, token: adminToken };
    return Workplace.make(join(directory, `place-${directoryName}`), at, { organization: 'acme', name }, body);
  }

  static async make(name: string, executionMode: 'local' | 'agent', body = configuration): Promise<Site> {
    const id = await steps.workspace(name, executionMode === 'local' ? { 'execution-mode': 'local' } : {});
    const place = await Site.placeOf(name, name, body);
    expectDone(await place.run('init', '-input=false', '-no-color'));
    return new Site(name, place, id);
  }

  async does(...words: readonly string[]): Promise<string> {
    const ended = await this.place.run(...words);
    expectDone(ended);
    return ended.printed;
  }

  async pulled() {
    return JSON.parse(await this.does('state', 'pull'));
  }

  listed(): Promise<string> {
    return this.does('state', 'list');
  }

  async locked(): Promise<boolean> {
    return (await steps.ask('GET', `/workspaces/${this.workspaceId}`)).attributes.locked;
  }

  current() {
    return steps.ask('GET', `/api/v2/workspaces/${this.workspaceId}/current-state-version`);
  }
}

/** Every command that writes a state, in an order in which each finds what it needs. */
async function writesEveryWay(site: Site): Promise<void> {
  const serials: number[] = [];
  const note = async () => {
    serials.push((await site.pulled()).serial);
    expect(await site.locked()).toBe(false);
  };
  await note();
  const { resources } = await site.pulled();
  const id: string = resources[0].instances[0].attributes.id;

  await site.does('taint', '-no-color', 'terraform_data.x');
  await note();
  expect((await site.pulled()).resources[0].instances[0].status).toBe('tainted');
  await site.does('untaint', '-no-color', 'terraform_data.x');
  await note();
  await site.does('state', 'mv', 'terraform_data.x', 'terraform_data.y');
  await note();
  expect(await site.listed()).toBe('terraform_data.y\n');
  await site.does('state', 'rm', 'terraform_data.y');
  await note();
  expect(await site.listed()).toBe('');
  await site.place.write('main.tf', mended);
  await site.does('import', '-no-color', '-input=false', 'terraform_data.y', id);
  await note();
  expect(await site.listed()).toBe('terraform_data.y\n');

  const [ours, theirs] = ['terraform.io/builtin/terraform', 'example.com/acme/terraform'];
  await site.does('state', 'replace-provider', '-no-color', '-auto-approve', ours, theirs);
  await note();
  expect((await site.pulled()).resources[0].provider).toContain(theirs);
  await site.does('state', 'replace-provider', '-no-color', '-auto-approve', theirs, ours);
  await note();

  const before = await site.pulled();
  const next = { ...before, serial: before.serial + 5, outputs: { pushed: { value: 'yes', type: 'string' } } };
  await site.place.write('next.tfstate', JSON.stringify(next));
  await site.does('state', 'push', 'next.tfstate');
  await note();
  expect(serials).toEqual([...serials].sort((a, b) => a - b));
  expect(new Set(serials).size).toBe(serials.length);
  expect(await site.does('output', '-no-color')).toBe('pushed = "yes"\n');

  await site.place.write('behind.tfstate', JSON.stringify(before));
  const refused = await site.place.run('state', 'push', '-no-color', 'behind.tfstate');
  expect(refused).toMatchObject({ code: 1, printed: expect.stringContaining('serial') });
  // A `cloud` block sends nothing of `-force`; a `remote` backend does.
  expect(await site.place.run('state', 'push', '-no-color', '-force', 'behind.tfstate')).toMatchObject({
    code: 1,
    printed: expect.stringContaining('Serial must be greater'),
  });
  // It keeps the lock of a state that it could not save.
  expect(await site.locked()).toBe(true);
  await site.does('force-unlock', '-force', `acme/${site.name}`);
  const remote = await site.throughRemoteBackend();
  await remote.place.write('behind.tfstate', JSON.stringify(before));
  await remote.does('state', 'push', '-force', 'behind.tfstate');
  expect((await site.pulled()).resources).toEqual(before.resources);
  expect(await site.locked()).toBe(false);
}

describe(`the states of the terraform CLI, unmodified${reason}`, () => {
  run('are kept by the service where terraform executes locally', async () => {
    const site = await Site.make('local', 'local');
    const apply = await site.does('apply', '-no-color', '-auto-approve');
    expect(apply).toContain('Apply complete! Resources: 1 added');
    expect(await site.locked()).toBe(false);
    const { attributes } = await site.current();
    expect(attributes).toMatchObject({ status: 'finalized', size: expect.any(Number) });
    expect(attributes['hosted-json-state-download-url']).toMatch(/^http/);
    expect(JSON.parse(await site.does('output', '-json'))).toEqual({
      greeting: { sensitive: false, type: 'string', value: 'hello' },
      secret: { sensitive: true, type: 'string', value: 'hunter4' },
    });
    expect(await site.does('plan', '-no-color', '-input=false', '-detailed-exitcode')).toContain('No changes.');
    await writesEveryWay(site);
    await site.does('destroy', '-no-color', '-auto-approve');
    expect(await site.listed()).toBe('');
  });

  run('are written in a workspace whose runs agents execute, and the next run begins with them', async () => {
    const site = await Site.make('remote', 'agent');
    await site.does('apply', '-no-color', '-auto-approve');
    await writesEveryWay(site);
    expect(await site.does('apply', '-no-color', '-auto-approve')).toContain('Resources: 0 added');
    expect(await site.does('plan', '-no-color', '-input=false', '-detailed-exitcode')).toContain('No changes.');
  });

  run('are pushed after an apply that could not save them', async () => {
    const body =
      'resource "terraform_data" "x" {\n  provisioner "local-exec" {\n    command = "touch begun; until test -e go; do sleep 0.1; done"\n  }\n}\n';
    const site = await Site.make('errored', 'local', body);
    const command = site.place.start('apply', '-no-color', '-auto-approve');
    await until('the apply has begun', () =>
      site.place.read('begun').then(
        () => true,
        () => false,
      ),
    );
    await steps.ask('POST', `/workspaces/${site.workspaceId}/actions/force-unlock`);
    await site.place.write('go', '');
    const ended = await command.ended();
    expect(ended).toMatchObject({ code: 1, printed: expect.stringContaining('errored.tfstate') });
    expect(await site.listed().catch(() => '')).toBe('');
    await site.does('state', 'push', 'errored.tfstate');
    expect(await site.listed()).toBe('terraform_data.x\n');
    expect(await site.does('plan', '-no-color', '-input=false')).toContain('No changes.');
  });

  run('are put back from where an agent left them', async () => {
    const site = await Site.make('lost', 'agent');
    await site.does('apply', '-no-color', '-auto-approve');
    const [last] = await steps.runs(site.workspaceId);
    const state = await site.pulled();
    const lost = Buffer.from(JSON.stringify({ ...state, serial: state.serial + 1 }));
    const file = join(directory, `${last.id}.tfstate`);
    await writeFile(file, lost);
    const putBack = async (...words: readonly string[]) => {
      const settings = { GATEHOUSE_URL: service.url, GATEHOUSE_TOKEN: adminToken };
      const program = AgentProcess.start(settings, ['put-back', ...words]);
      return { code: await program.ended(), printed: program.printed };
    };
    expect(await putBack(file)).toMatchObject({ code: 0, printed: expect.stringContaining('is the current state') });
    const current = await site.current();
    expect(current.attributes.md5).toBe(createHash('md5').update(lost).digest('hex'));
    expect(current.relationships.run.data.id).toBe(last.id);
    expect(await site.locked()).toBe(false);

    await writeFile(file, JSON.stringify(state));
    expect(await putBack(file)).toMatchObject({
      code: 1,
      printed: expect.stringContaining('Serial must be greater'),
    });
    expect(await site.locked()).toBe(false);
    expect(await putBack(file, '--force')).toMatchObject({ code: 0 });
    expect((await site.current()).attributes.serial).toBe(state.serial);
    expect(await putBack(join(directory, 'unnamed.tfstate'))).toMatchObject({ code: 1 });
  });
});
