import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Settings } from '../settings.js';

export interface TerraformProgram {
  readonly path: string;
  readonly title: 'Terraform' | 'OpenTofu';
  readonly version: string;
  /** As the program reports it, such as `linux_amd64`. */
  readonly platform: string;
}

export interface OpaProgram {
  readonly path: string;
  readonly version: string;
}

/** The download addresses, for messages. */
export const opaFrom = 'https://github.com/open-policy-agent/opa/releases';
const terraformFrom = 'https://developer.hashicorp.com/terraform/install or https://opentofu.org/docs/intro/install';

export const noTerraform = (settings: Settings): string =>
  settings.TERRAFORM_PATH === undefined
    ? `The agent found neither terraform nor tofu. Install one of them on the agent's machine (${terraformFrom}), or set TERRAFORM_PATH.`
    : `The agent cannot run ${settings.TERRAFORM_PATH}. Set TERRAFORM_PATH to a terraform or tofu program, or unset it.`;

export const noOpa = (settings: Settings): string =>
  settings.OPA_PATH === undefined
    ? `The agent found no opa. Install Open Policy Agent on the agent's machine (${opaFrom}), or set OPA_PATH.`
    : `The agent cannot run ${settings.OPA_PATH}. Set OPA_PATH to an opa program, or unset it.`;

/** Undefined if none runs. */
export async function findTerraform(
  settings: Settings,
  environment: Readonly<Record<string, string>>,
): Promise<TerraformProgram | undefined> {
  const { TERRAFORM_PATH: named } = settings;
  const path = named ?? (await onPath('terraform', environment.PATH)) ?? (await onPath('tofu', environment.PATH));
  const said = path && (await answerOf(path, ['version'], environment, settings));
  const [, title, version, platform] = /^(Terraform|OpenTofu) v(\S+)\r?\non (\S+)/.exec(said || '') ?? [];
  if (!path || !version || !platform) return undefined;
  return { path, title: title as TerraformProgram['title'], version, platform };
}

export async function findOpa(
  settings: Settings,
  environment: Readonly<Record<string, string>>,
): Promise<OpaProgram | undefined> {
  const path = settings.OPA_PATH ?? (await onPath('opa', environment.PATH));
  const said = path && (await answerOf(path, ['version'], environment, settings));
  const version = /^Version: (\S{1,64})$/m.exec(said || '')?.[1];
  return path && version ? { path, version } : undefined;
}

async function onPath(name: string, path = ''): Promise<string | undefined> {
  for (const directory of path.split(delimiter).filter((part) => part !== '')) {
    const file = join(directory, name);
    const usable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return file;
  }
  return undefined;
}

const answerOf = (
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { AGENT_RUN_AS: user }: Settings,
): Promise<string> =>
  promisify(execFile)(path, args, {
    env: { ...env, CHECKPOINT_DISABLE: '1' },
    cwd: user === undefined ? tmpdir() : '/',
    timeout: 30_000,
    ...user,
  }).then(
    ({ stdout }) => stdout,
    () => '',
  );
