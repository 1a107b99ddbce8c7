import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Evaluating, Execution } from './execution.js';
import { RunFailure } from './execution.js';
import { unpack } from './unpack.js';

const maxEntries = 1_000_000;

/** Downloads a file of the run and unpacks it into the directory of that name; failures call it `what`. */
export async function fetched(x: Evaluating, url: string, name: string, sha256?: string, what = name): Promise<void> {
  const { AGENT_UNPACKED_MB: megabytes } = x.settings;
  const file = x.directory.at(`${name}.tar.gz`);
  await x.run.download(url, file);
  if (sha256 !== undefined && (await digestOf(file, 'sha256')) !== sha256) {
    throw new RunFailure(`The ${what} was damaged on its way to the agent`);
  }
  const limits = { bytes: megabytes * 1024 * 1024, entries: maxEntries };
  await unpack(file, x.directory.at(name), limits).catch((error: Error) => {
    throw error instanceof RunFailure ? new RunFailure(`The ${what} could not be unpacked: ${error.message}`) : error;
  });
  await rm(file);
}

/** In hexadecimal. */
export async function digestOf(file: string, algorithm: 'md5' | 'sha256'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** The directory terraform runs in. Throws `RunFailure` if the configuration does not contain it. */
export async function workingDirectory(x: Execution, name: string): Promise<string> {
  const root = await realpath(x.directory.at('configuration'));
  const path = await realpath(join(root, name)).catch(() => undefined);
  const inside = path !== undefined && (path === root || path.startsWith(root + sep));
  if (!inside || !(await lstat(path)).isDirectory()) {
    throw new RunFailure(
      `The configuration has no directory ${JSON.stringify(name)}, which is the working directory of the workspace`,
    );
  }
  return path;
}

/** Terraform's sort order of names. */
const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

const override = /(^|_)override\.(tf|tofu)(\.json)?$/;

/**
 * Replaces the configuration's `cloud` or `backend` block: the state is a file outside the tree, which the agent
 * provides and collects. Terraform uses the last override file by name, so this name sorts after the user's own. Its
 * paths are relative, because a plan records them and is applied in another directory.
 */
export async function replaceBackend(directory: string, states: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => override.test(name)).sort(byBytes);
  const last = names.at(-1)?.replace(/\.(tf|tofu)(\.json)?$/, '') ?? '';
  const name = `${byBytes(last, 'zz_gatehouse') > 0 ? `${last}_` : ''}zz_gatehouse_override.tf`;
  const place = relative(directory, states);
  const paths = [
    ['path', join(place, 'terraform.tfstate')],
    ['workspace_dir', place],
  ].map(([argument, path]) => `    ${argument} = ${JSON.stringify(path)}\n`);
  await rm(join(directory, name), { force: true });
  await writeFile(join(directory, name), `terraform {\n  backend "local" {\n${paths.join('')}  }\n}\n`);
}

/** The packed files may include another run's backend and programs for another machine. */
export async function forgetFormerRuns(directory: string): Promise<void> {
  // Otherwise it would be taken for the state of a failed apply.
  await rm(join(directory, 'errored.tfstate'), { recursive: true, force: true });
  const data = join(directory, '.terraform');
  if ((await lstat(data).catch(() => undefined))?.isDirectory() !== true) return rm(data, { force: true });
  // Installed modules stay: the agent may not be able to download them.
  const others = (await readdir(data)).filter((name) => name !== 'modules');
  await Promise.all(others.map((name) => rm(join(data, name), { recursive: true, force: true })));
}

/** The files of the root module, by name. */
export async function moduleFiles(directory: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const texts = names
    .filter((name) => /\.(tf|tofu)(\.json)?$/.test(name))
    .map(async (name) => [name, await readFile(join(directory, name), 'utf8').catch(() => '')] as const);
  return new Map(await Promise.all(texts));
}
