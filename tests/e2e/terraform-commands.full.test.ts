import { execFileSync, spawn } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { commands, configuration, elsewhere, type Site, type Way, ways } from '../clients/terraform-commands.js';
import { AgentProcess } from '../support/agent-process.js';
import { needing } from '../support/examples.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { endRecording, recordingIn } from '../support/recorded-requests.js';
import { ServiceSteps } from '../support/service-steps.js';
import {
  hostname,
  killCommands,
  RunningCommand,
  terraform,
  Workplace,
  writeSettings,
} from '../support/terraform-cli.js';

const programs = { terraform, OpenTofu: process.env.TOFU ?? 'tofu' };

const pathOf = (program: string): string =>
  execFileSync('sh', ['-c', `command -v "${program}"`], { encoding: 'utf8' }).trim();

/** A service with an agent that executes runs with the program; made by the first of the concurrent tests. */
class Stage {
  private constructor(
    private readonly directory: string,
    private readonly service: ServiceProcess,
    private readonly steps: ServiceSteps,
    private readonly agent: AgentProcess,
  ) {}

  private static readonly made = new Map<string, Promise<Stage>>();

  static of(program: string): Promise<Stage> {
    const stage = Stage.made.get(program) ?? Stage.make(program);
    Stage.made.set(program, stage);
    return stage;
  }

  private static async make(program: string): Promise<Stage> {
    const directory = await temporaryDirectory();
    const service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data'), ...recordingIn(directory) });
    const steps = new ServiceSteps(service);
    const attributes = { name: 'acme', email: 'ops@example.com' };
    await steps.ask('POST', '/organizations', { data: { type: 'organizations', attributes } });
    const work = join(directory, 'agent');
    await mkdir(work);
    const agent = AgentProcess.start({
      GATEHOUSE_URL: service.url,
      AGENT_TOKEN: await steps.agentToken('acme'),
      AGENT_WORK_DIR: work,
      TERRAFORM_PATH: pathOf(program),
    });
    return new Stage(directory, service, steps, agent);
  }

  static async endAll(): Promise<void> {
    for (const made of Stage.made.values()) await (await made).end();
  }

  private async end(): Promise<void> {
    await this.agent.end('SIGKILL');
    await this.service.end();
    await endRecording(this.directory);
  }

  /** A home directory without credentials. */
  async home(): Promise<string> {
    const at = join(this.directory, 'home');
    await mkdir(join(at, '.terraform.d'), { recursive: true });
    await writeSettings(join(at, '.terraformrc'), this.service.url);
    return at;
  }

  /** A workspace, and a directory with a configuration that uses it. */
  async site(way: Way, program: string): Promise<Site> {
    const name = `way-${ways.indexOf(way)}`;
    const mode = way.execution === 'local' ? { 'execution-mode': 'local' } : {};
    const organization = way.tags === undefined ? 'acme' : name;
    const workspace = way.tags !== undefined ? 'one' : way.manyWorkspaces ? `${name}-one` : name;
    if (way.tags === undefined) {
      await this.steps.workspace(workspace, mode);
    } else {
      const attributes = { name: organization, email: 'ops@example.com' };
      await this.steps.ask('POST', '/organizations', { data: { type: 'organizations', attributes } });
      const make = (name: string, relationships: object = {}) => {
        const made = { type: 'workspaces', attributes: { name, ...mode }, relationships };
        return this.steps.ask('POST', `/organizations/${organization}/workspaces`, { data: made });
      };
      await make(elsewhere, way.project === undefined ? {} : way.tags);
      await make(workspace, { ...way.tags, ...(await this.inProject(organization, way)) });
    }
    const at = { url: this.service.url, token: adminToken };
    const place = await Workplace.make(join(this.directory, name), at, { organization, name }, configuration, program);
    await place.write('cloud.tf', `terraform {\n${way.block(organization, name)}}\n`);
    const lock = async () => {
      const { id } = await this.steps.ask('GET', `/organizations/${organization}/workspaces/${workspace}`);
      await this.steps.ask('POST', `/workspaces/${id}/actions/lock`);
    };
    return { place, lock, lockId: `${organization}/${workspace}` };
  }

  /** A directory with local workspaces, each with a state of its own, and the organization that they will be in. */
  async localSite(program: string, names: readonly string[]) {
    const organization = 'migrated';
    const attributes = { name: organization, email: 'ops@example.com', 'default-execution-mode': 'local' };
    await this.steps.ask('POST', '/organizations', { data: { type: 'organizations', attributes } });
    const at = { url: this.service.url, token: adminToken };
    const body = `output "here" { value = "state of \${terraform.workspace}" }\n`;
    const place = await Workplace.make(
      join(this.directory, organization),
      at,
      { organization, name: '' },
      body,
      program,
    );
    await place.write('cloud.tf', '');
    for (const name of names) {
      for (const words of [
        ['workspace', 'new', name],
        ['apply', '-auto-approve'],
      ]) {
        const { code, printed } = await place.run(...words, '-no-color');
        if (code !== 0) throw new Error(printed);
      }
    }
    return { organization, place };
  }

  /** The names of workspaces with the tags, in order. */
  async tagged(organization: string, tags: string): Promise<readonly string[]> {
    const found = await this.steps.ask('GET', `/organizations/${organization}/workspaces?search[tags]=${tags}`);
    return found.map(({ attributes }: { readonly attributes: { readonly name: string } }) => attributes.name);
  }

  /** The relationship of workspaces in the project of the way, which is made. */
  private async inProject(organization: string, { project }: Way): Promise<object> {
    if (project === undefined) return {};
    const data = { type: 'projects', attributes: { name: project } };
    const { id } = await this.steps.ask('POST', `/organizations/${organization}/projects`, { data });
    return { project: { data: { type: 'projects', id } } };
  }
}

afterAll(async () => {
  killCommands();
  await Stage.endAll();
});

describe.each(Object.entries(programs))('the commands of %s, unmodified', (name, program) => {
  const { run, reason } = needing(program);
  const together = run === it ? it.concurrent : it.skip;
  for (const way of ways) {
    if (way.only !== undefined && way.only !== name) continue;
    together(`work in a workspace of ${way.name}${reason}`, async () => {
      const stage = await Stage.of(program);
      const site = await stage.site(way, program);
      for (const { command, words, manyWorkspaces, before, input, prints, hides } of commands) {
        if (manyWorkspaces && !way.manyWorkspaces) continue;
        await before?.(site);
        const started = site.place.start(...words, ...(command === 'force-unlock' ? [site.lockId] : []));
        if (input !== undefined) started.read(input);
        const { code, printed } = await started.ended();
        if (code !== 0 || !printed.includes(prints) || (hides !== undefined && printed.includes(hides))) {
          const wanted = `${prints} should be in it${hides === undefined ? '' : `, and not ${hides}`}`;
          throw new Error(`${command} ended with ${code}, and ${wanted}:\n${printed}`);
        }
      }
    });
  }

  together(`init migrates local workspaces to \`cloud\` with tags${reason}`, async () => {
    const stage = await Stage.of(program);
    const names = ['blue', 'green', 'red'];
    const { organization, place } = await stage.localSite(program, names);
    const tags = 'tags = ["app", "site:one"]';
    const settings = `hostname = "${hostname}"\norganization = "${organization}"\nworkspaces {\n${tags}\n}\n`;
    await place.write('cloud.tf', `terraform {\ncloud {\n${settings}}\n}\n`);
    const init = place.start('init', '-no-color');
    await init.answer('Would you like to rename your workspaces?', '1');
    await init.answer('How would you like to rename your workspaces?', 'app-*');
    const { code, printed } = await init.ended();
    expect([code, printed]).toEqual([0, expect.stringContaining('Migration complete!')]);
    expect(await stage.tagged(organization, 'app,site:one')).toEqual(names.map((one) => `app-${one}`));
    for (const one of names) {
      await place.run('workspace', 'select', '-no-color', `app-${one}`);
      expect((await place.run('output', '-no-color')).printed).toContain(`here = "state of ${one}"`);
    }
  });

  together(`login keeps a pasted token, and logout forgets it${reason}`, async () => {
    const stage = await Stage.of(program);
    const home = await stage.home();
    // Without a PATH, the CLI finds no browser to open.
    const env = { PATH: '', HOME: home, CHECKPOINT_DISABLE: '1' };
    const start = (...words: readonly string[]) =>
      new RunningCommand(spawn(pathOf(program), words, { cwd: home, env }), words.join(' '));
    const login = start('login', '-no-color', hostname);
    await login.answer('Enter a value:', 'yes');
    await login.answer(`Token for ${hostname}:`, adminToken);
    const { code, printed } = await login.ended();
    expect([code, printed]).toEqual([0, expect.stringContaining('Retrieved token for user admin')]);
    const kept = join(home, '.terraform.d/credentials.tfrc.json');
    expect(await readFile(kept, 'utf8')).toContain(adminToken);
    expect((await start('logout', '-no-color', hostname).ended()).code).toBe(0);
    expect(await readFile(kept, 'utf8')).not.toContain(adminToken);
  });
});
