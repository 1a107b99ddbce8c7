import { writeFile } from 'node:fs/promises';
import type { Job } from '../service/job.js';
import { moduleFiles } from './configuration.js';

/** What terraform is told of variables. */
export interface Variables {
  /** Files for `-var-file`, in their order. */
  readonly files: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Whether an apply has to be told of them again. */
  readonly ephemeral: boolean;
}

/**
 * Writes the workspace's and the run's variables where terraform reads them; the run's win.
 *
 * Texts go into a JSON file, whose strings terraform takes as they are; literals of the language into one of the language.
 * Files set a variable whatever its type, which `TF_VAR_` does not: that takes a literal for text where no type is
 * declared. But files warn of variables that the configuration does not declare. So those it seems to declare go into the
 * files, and the rest into the environment, which nobody is warned of and which still sets one that was overlooked.
 */
export async function writeVariables(
  { workspace, run }: Pick<Job, 'workspace' | 'run'>,
  directory: string,
  at: (name: string) => string,
): Promise<Variables> {
  const sources = await moduleFiles(directory);
  const declared = declaredIn(sources);
  const ofWorkspace = workspace.variables.filter(({ category }) => category === 'terraform');
  const given = [...ofWorkspace, ...run.variables.map((one) => ({ ...one, hcl: true }))];
  const all = [...new Map(given.map((one) => [one.key, one])).values()];
  const inFiles = all.filter(({ key }) => declared.has(key));
  const texts = Object.fromEntries(inFiles.filter(({ hcl }) => !hcl).map(({ key, value }) => [key, value]));
  const literals = inFiles.filter(({ hcl }) => hcl).map(({ key, value }) => `${key} = ${value}\n`);
  const files = [at('texts.tfvars.json'), at('literals.tfvars')] as const;
  await writeFile(files[0], JSON.stringify(texts), { mode: 0o600 });
  await writeFile(files[1], literals.join(''), { mode: 0o600 });
  const others = all.filter(({ key, value }) => !declared.has(key) && /^[^=\0]+$/.test(key) && !value.includes('\0'));
  return {
    files,
    environment: Object.fromEntries(others.map(({ key, value }) => [`TF_VAR_${key}`, value])),
    ephemeral: [...sources.values()].some((text) => /\bephemeral"?\s*[=:]\s*true\b/.test(text)),
  };
}

const identifier = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}-]*$/u;

/** Finds too many rather than too few: what stands in a comment does no harm. */
function declaredIn(sources: ReadonlyMap<string, string>): ReadonlySet<string> {
  const names = [...sources].flatMap(([file, text]) =>
    file.endsWith('.json')
      ? namesInJson(text)
      : [...text.matchAll(/\bvariable[ \t]+"?([^"\s{]+)"?[ \t]*\{/g)].map(([, name = '']) => name),
  );
  return new Set(names.filter((name) => identifier.test(name)));
}

function namesInJson(text: string): readonly string[] {
  try {
    // Blocks may be one object or a list of them.
    const roots = [JSON.parse(text)].flat();
    return roots.flatMap((root) => [root?.variable ?? {}].flat()).flatMap((block) => Object.keys(block ?? {}));
  } catch {
    return [];
  }
}
