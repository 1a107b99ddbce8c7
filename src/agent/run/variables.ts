import { writeFile } from 'node:fs/promises';
import type { Job } from '../service/job.js';
import { moduleFiles } from './configuration.js';

/** The variables passed to terraform. */
export interface Variables {
  /** Files for `-var-file`, in order. */
  readonly files: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The system limits one environment entry to 128 KiB, and their total size. */
const maxInEnvironment = 64 * 1024;

/**
 * Writes the workspace's and the run's variables where terraform reads them; the run's take precedence.
 *
 * Text goes into a JSON file, whose strings terraform takes literally; expressions go into a file in terraform's
 * language. Files set a variable whatever its type, unlike `TF_VAR_`, which takes an expression for text if the
 * variable has no declared type. But terraform warns about variables in files that the configuration does not declare.
 * So variables that it seems to declare go into files, and the rest into the environment, which causes no warning and
 * still sets a variable whose declaration was missed. The environment has limited space, and most of these variables
 * set nothing.
 *
 * A plan records its variables, and an apply must not receive others, except for ephemeral ones, which it requires
 * again.
 */
export async function writeVariables(
  { phase, workspace, run }: Pick<Job, 'phase' | 'workspace' | 'run'>,
  directory: string,
  at: (name: string) => string,
): Promise<Variables> {
  const sources = await moduleFiles(directory);
  const declarations = declarationsIn(sources);
  const declared = new Set(declarations.map(({ name }) => name));
  const ephemeral = new Set(declarations.filter((one) => one.ephemeral).map(({ name }) => name));
  const ofWorkspace = workspace.variables.filter(({ category }) => category === 'terraform');
  const given = [...ofWorkspace, ...run.variables.map((one) => ({ ...one, hcl: true }))];
  const all = [...new Map(given.map((one) => [one.key, one])).values()];
  const inFiles = all.filter(({ key }) => declared.has(key) && (phase === 'plan' || ephemeral.has(key)));
  const texts = Object.fromEntries(inFiles.filter(({ hcl }) => !hcl).map(({ key, value }) => [key, value]));
  // In parentheses, so that a multi-line value cannot set another variable unless it closes them.
  const literals = inFiles.filter(({ hcl }) => hcl).map(({ key, value }) => `${key} = (\n${value}\n)\n`);
  const files = [at('texts.tfvars.json'), at('literals.tfvars')] as const;
  await writeFile(files[0], JSON.stringify(texts), { mode: 0o600 });
  await writeFile(files[1], literals.join(''), { mode: 0o600 });
  if (phase === 'apply') return { files: inFiles.length > 0 ? files : [], environment: {} };
  const others = all.filter(({ key, value }) => !declared.has(key) && /^[^=\0]+$/.test(key) && !value.includes('\0'));
  let bytes = 0;
  const fitting = others.filter(({ key, value }) => {
    const size = Buffer.byteLength(key) + Buffer.byteLength(value);
    if (bytes + size > maxInEnvironment) return false;
    bytes += size;
    return true;
  });
  return { files, environment: Object.fromEntries(fitting.map(({ key, value }) => [`TF_VAR_${key}`, value])) };
}

const declaration = /\bvariable[ \t]+"?([^"\s{]+)"?[ \t]*\{/g;
const identifier = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}-]*$/u;

interface Declaration {
  readonly name: string;
  readonly ephemeral: boolean;
}

/** Finds too many rather than too few: a match in a comment does no harm. */
const declarationsIn = (sources: ReadonlyMap<string, string>): readonly Declaration[] =>
  [...sources]
    .flatMap(([file, text]) => (file.endsWith('.json') ? declarationsInJson(text) : declarationsInText(text)))
    .filter(({ name }) => identifier.test(name));

/** Each is searched up to the next one: no other block of a root module uses these words to be ephemeral. */
function declarationsInText(text: string): readonly Declaration[] {
  const found = [...text.matchAll(declaration)];
  return found.map(({ 1: name = '', index }, number) => ({
    name,
    ephemeral: /\bephemeral\s*=\s*true\b/.test(text.slice(index, found[number + 1]?.index)),
  }));
}

function declarationsInJson(text: string): readonly Declaration[] {
  try {
    // Blocks may be one object or a list of objects.
    const roots = [JSON.parse(text)].flat();
    const blocks = roots
      .flatMap((root) => [root?.variable ?? {}].flat())
      .flatMap((block) => Object.entries(block ?? {}));
    return blocks.map(([name, content]) => ({ name, ephemeral: /"ephemeral":"?true\b/.test(JSON.stringify(content)) }));
  } catch {
    return [];
  }
}
