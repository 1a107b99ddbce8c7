import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { it } from '@jest/globals';
import { usable } from './programs.js';

export const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

const onPath = (program: string): boolean => spawnSync('sh', ['-c', `command -v "${program}"`]).status === 0;

interface Needing {
  readonly run: typeof it.skip;
  /** The end of the name of a test that is skipped. */
  readonly reason: string;
  readonly test: (title: string, test: () => unknown) => void;
}

/** How tests are run that need these programs. */
export function needing(...programs: readonly string[]): Needing {
  const missing = programs.filter((program) => !onPath(program));
  const run = programs.every((program) => usable(program, !missing.includes(program))) ? it : it.skip;
  const reason = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')} on PATH)`;
  return { run, reason, test: (title, test) => run(title + reason, test as () => void) };
}

/** Runs a program of an example in its folder, and answers the lines it printed. Rejects with what it said when it fails. */
export async function walk(
  name: string,
  [program = '', ...words]: readonly string[],
  environment: Readonly<Record<string, string>>,
  folder = example(name),
): Promise<readonly string[]> {
  const { PATH, HOME } = process.env;
  const ran = await promisify(execFile)(program, words, {
    cwd: folder,
    env: { ...(PATH && { PATH }), ...(HOME && { HOME }), ...environment },
    timeout: 240_000,
  });
  return ran.stdout.trim().split('\n');
}
