import { execFile } from 'node:child_process';
import { cp, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { AgentProcess } from '../support/agent-process.js';
import { example, needing, walk } from '../support/examples.js';
import { adminToken, inTemporaryDirectory, ServiceProcess } from '../support/process.js';

const served = (work: (service: ServiceProcess, directory: string) => Promise<void>): Promise<void> =>
  inTemporaryDirectory(async (directory) => {
    const service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data') });
    try {
      await work(service, directory);
    } finally {
      await service.end();
    }
  });

describe('examples/go', () => {
  const go = process.env.GO ?? 'go';
  const { test } = needing(go);

  test('walks teams, access, a token and a version with go-tfe', () =>
    served(async (service, directory) => {
      const built = join(directory, 'walk');
      await promisify(execFile)(go, ['build', '-o', built, '.'], { cwd: example('go') });
      const said = await walk('go', [built, 'gone'], { TFE_ADDRESS: service.url, TFE_TOKEN: adminToken });
      expect(said).toEqual([
        expect.stringMatching(/^organization gone: workspace ws-\w+, team team-\w+$/),
        "the team's access: custom, runs: plan",
        expect.stringMatching(/^as the team: version cv-\w+ is uploaded$/),
        expect.stringMatching(/^as the team: 1 listed, \d+ bytes came back$/),
        'organization gone is deleted',
      ]);
    }));
});

describe('examples/terraform', () => {
  const opa = process.env.OPA ?? 'opa';
  const { test } = needing('bash', 'terraform', opa);

  test('plans, is judged by its policies and applies, with what gatehouse-agent --with-server says', () =>
    inTemporaryDirectory(async (directory) => {
      const data = join(directory, 'data');
      const agent = AgentProcess.start(
        { DATA_DIR: data, PORT: '0', AGENT_WORK_DIR: directory, ...(opa.includes('/') && { OPA_PATH: opa }) },
        ['--with-server'],
      );
      try {
        await agent.prints('claims runs from');
        const commands = agent.printed.match(/^ {2}(export|terraform) .*$/gm) ?? [];
        expect(commands).toHaveLength(3);
        const folder = join(directory, 'configuration');
        await cp(example('terraform'), folder, { recursive: true });
        const script = commands
          .map((line) => line.replace(/-chdir='[^']*'/, `-chdir='${folder}'`))
          .join('\n')
          .replace(/apply$/, 'apply -no-color -auto-approve');
        const { stdout } = await promisify(execFile)('bash', ['-ec', script], { timeout: 240_000 });
        expect(stdout).toContain('Policy first-try/owner (advisory) failed:');
        expect(stdout).toContain('2 policies evaluated');
        expect(stdout).toContain('Apply complete! Resources: 2 added, 0 changed, 0 destroyed.');
        expect(agent.printed).toContain('Configurations run as');
        const [, url, workspace] = /(http:\S+)\/app\/demo\/workspaces\/(\S+);/.exec(agent.printed) ?? [];
        const [, file = ''] = /token to sign in with is in (\S+)\./.exec(agent.printed) ?? [];
        const headers = { Authorization: `Bearer ${(await readFile(file, 'utf8')).trim()}` };
        const shown = await fetch(`${url}/api/v2/organizations/demo/workspaces/${workspace}`, { headers });
        expect(shown.status).toBe(200);
        expect((await stat(join(data, 'first-try', 'terraformrc'))).mode & 0o777).toBe(0o600);
        expect(await agent.end()).toBe(0);

        // The second time everything exists already.
        const again = AgentProcess.start({ DATA_DIR: data, PORT: '0', AGENT_WORK_DIR: directory }, ['--with-server']);
        await again.prints('claims runs from');
        expect(await again.end()).toBe(0);
      } finally {
        await agent.end('SIGKILL');
      }
    }));

  it('can be tried next to a running service, on a port and in a directory of its own', () =>
    served(async (service, directory) => {
      const settings = { AGENT_WORK_DIR: directory, OPA_PATH: '/nowhere/opa' };
      const agent = AgentProcess.start(settings, ['--with-server'], { cwd: directory });
      try {
        await agent.prints('claims runs from');
        const [, url = ''] = /Gatehouse serves at (\S+)\. /.exec(agent.printed) ?? [];
        expect(url).not.toBe(service.url);
        expect(agent.printed).toContain('install opa (https://github.com/open-policy-agent/opa/releases)');
        const configuration = await readFile(join(directory, 'data/first-try/terraformrc'), 'utf8');
        const response = await fetch(`${url}/.well-known/terraform.json`);
        const discovered = (await response.json()) as Record<string, string>;
        expect(Object.keys(discovered)).toEqual(['state.v2', 'tfe.v2', 'tfe.v2.1', 'tfe.v2.2']);
        for (const [name, path] of Object.entries(discovered))
          expect(configuration).toContain(`"${name}" = "${url}${path}"`);
        expect(await agent.end()).toBe(0);
      } finally {
        await agent.end('SIGKILL');
      }
    }));

  it('has a CLI configuration for any service in its README, with the names that the service is found by', async () => {
    const readme = await readFile(example('README.md'), 'utf8');
    for (const name of ['state.v2', 'tfe.v2', 'tfe.v2.1', 'tfe.v2.2']) {
      expect(readme).toMatch(new RegExp(`^ +"${name}" += "http://127.0.0.1:8080/api/v2/"$`, 'm'));
    }
  });

  it('is tried on this machine alone', async () => {
    for (const environment of [
      { HOST: '0.0.0.0' },
      { PUBLIC_URL: 'https://gatehouse.example.com' },
      { DATABASE_URL: 'postgres://somewhere/else' },
    ]) {
      const agent = AgentProcess.start(environment, ['--with-server']);
      expect(await agent.ended()).toBe(1);
      expect(agent.printed).toContain('--with-server is for a first try on this machine only: ');
    }
  });
});
