import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PolicyArchive } from '../service/job.js';
import { digestOf, mostEntries } from './configuration.js';
import { type Execution, RunFailure } from './execution.js';
import { unpack } from './unpack.js';

/** The unpacked archive of a policy set. */
export interface PolicyTree {
  readonly root: string;
  /** The paths of its policies, without tests. */
  readonly files: readonly string[];
}

/** Downloads and unpacks the archive of a policy set. Throws `RunFailure`. */
export async function policyTree(x: Execution, { id, sha256, url }: PolicyArchive): Promise<PolicyTree> {
  const name = id.replace(/[^\w-]/g, '');
  const root = x.directory.at('policies', name);
  const file = `${root}.tar.gz`;
  await x.run.download(url, file);
  if ((await digestOf(file, 'sha256')) !== sha256) {
    throw new RunFailure('The archive of the policies was damaged on its way to the agent.');
  }
  await mkdir(root, { mode: 0o700 });
  await unpack(file, root, { bytes: x.settings.AGENT_UNPACKED_MB * 1024 * 1024, entries: mostEntries });
  await rm(file);
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
