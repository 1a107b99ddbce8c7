import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { removeTree } from '../../src/agent/run/run-directory.js';
import { inTemporaryDirectory } from '../support/process.js';

const nobody = 65534;
const root = process.getuid?.() === 0;

describe("a run's directory", () => {
  afterEach(() => {
    if (root) process.seteuid?.(0);
  });

  it('is removed with what programs left there that nobody may write to', async () => {
    await inTemporaryDirectory(async (directory) => {
      await chmod(directory, 0o777);
      // To root all is allowed.
      if (root) process.seteuid?.(nobody);
      const deep = join(directory, 'run', 'home', 'cache', 'module');
      await mkdir(deep, { recursive: true });
      await writeFile(join(deep, 'file'), '', { mode: 0o400 });
      await chmod(deep, 0o500);
      await chmod(join(deep, '..'), 0o500);
      await removeTree(join(directory, 'run'));
      expect(await readdir(directory)).toEqual([]);
      if (root) process.seteuid?.(0);
    });
  });
});
