import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Execution } from './execution.js';
import { RunFailure } from './execution.js';
import { unpack } from './unpack.js';

const mostEntries = 1_000_000;

/** Fetches a file of the run and unpacks it into the directory of that name. */
export async function fetched(x: Execution, url: string, name: string, sha256?: string): Promise<void> {
  const { AGENT_UNPACKED_MB: megabytes } = x.settings;
  const file = x.directory.at(`${name}.tar.gz`);
  await x.run.download(url, file);
  if (sha256 !== undefined && (await digestOf(file, 'sha256')) !== sha256) {
    throw new RunFailure(`The ${name} was damaged on its way to the agent`);
  }
  const limits = { bytes: megabytes * 1024 * 1024, entries: mostEntries };
  await unpack(file, x.directory.at(name), limits).catch((error: Error) => {
    throw error instanceof RunFailure ? new RunFailure(`The ${name} could not be unpacked: ${error.message}`) : error;
  });
  await rm(file);
}

/** Hexadecimal. */
export async function digestOf(file: string, algorithm: 'md5' | 'sha256'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Where terraform is run. Throws `RunFailure` where the configuration has no such directory. */
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

/** As terraform sorts names. */
const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

const override = /(^|_)override\.(tf|tofu)(\.json)?$/;

/**
 * Takes the place of the configuration's `cloud` or `backend` block: the state is a file beside the tree, which the agent
 * brings and takes away. Of several such files the last by name counts, so that this one goes behind the user's own.
 * Its paths are relative, for a plan remembers them and is applied in another directory.
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

/** Whoever packed the files may have run terraform there, with another backend and programs for another machine. */
export async function forgetFormerRuns(directory: string): Promise<void> {
  // Else an apply would be taken to have left it.
  await rm(join(directory, 'errored.tfstate'), { recursive: true, force: true });
  const data = join(directory, '.terraform');
  if ((await lstat(data).catch(() => undefined))?.isDirectory() !== true) return rm(data, { force: true });
  // Modules that were installed go along: the agent may not be able to fetch them.
  const others = (await readdir(data)).filter((name) => name !== 'modules');
  await Promise.all(others.map((name) => rm(join(data, name), { recursive: true, force: true })));
}

/** The text of the root module's files, each by its name. */
export async function moduleFiles(directory: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const texts = names
    .filter((name) => /\.(tf|tofu)(\.json)?$/.test(name))
    .map(async (name) => [name, await readFile(join(directory, name), 'utf8').catch(() => '')] as const);
  return new Map(await Promise.all(texts));
}
