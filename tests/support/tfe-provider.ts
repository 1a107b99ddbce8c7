import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { providerVersion } from '../clients/provider-resources.js';
import { usable } from './programs.js';

const go = process.env.GO ?? 'go';
const named = process.env.TFE_PROVIDER;

/** Kept between runs, because a build takes minutes. */
const built = join(tmpdir(), `gatehouse-tfe-provider-${providerVersion}`, 'terraform-provider-tfe');

const canBuild = (): boolean => {
  const { status, stdout } = spawnSync(go, ['version'], { encoding: 'utf8' });
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  return status === 0 && (Number(major) > 1 || Number(minor) >= 25);
};

const present = named !== undefined || existsSync(built) || canBuild();

export const tfeProvider = {
  usable: usable('terraform-provider-tfe', present),
  reason: present ? '' : ' (skipped: TFE_PROVIDER names no tfe provider, and no Go from 1.25 is there to build it)',
};

/** The program of the provider: the one that the environment names, or one built from the module proxy. */
export async function findProvider(): Promise<string> {
  if (named !== undefined) return named;
  if (existsSync(built)) return built;
  await mkdir(dirname(built), { recursive: true });
  const unfinished = await mkdtemp(join(dirname(built), 'build-'));
  try {
    const program = join(unfinished, 'terraform-provider-tfe');
    const cwd = fileURLToPath(new URL('../clients/tfe-provider', import.meta.url));
    const words = ['build', '-o', program, 'github.com/hashicorp/terraform-provider-tfe'];
    await promisify(execFile)(go, words, { cwd, maxBuffer: 1 << 26 });
    await rename(program, built);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return built;
}
