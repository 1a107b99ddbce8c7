import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PolicyArchive } from '../service/job.js';
import { fetched } from './configuration.js';
import type { Evaluating } from './execution.js';

/** The unpacked archive of a policy set. */
export interface PolicyTree {
  readonly root: string;
  /** The paths of its policies, without tests. */
  readonly files: readonly string[];
}

/** Downloads and unpacks the archive of a policy set. Throws `RunFailure`. */
export async function policyTree(x: Evaluating, { id, sha256, url }: PolicyArchive): Promise<PolicyTree> {
  const name = join('policies', id.replace(/[^\w-]/g, ''));
  const root = x.directory.at(name);
  await mkdir(root, { mode: 0o700 });
  await fetched(x, url, name, sha256, 'archive of the policies');
  const files = await regoIn(root);
  await x.directory.giveTree(root, files);
  return { root, files };
}

/** Links are left out: they could lead to files of the agent. */
async function regoIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.rego') && !entry.name.endsWith('_test.rego'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
