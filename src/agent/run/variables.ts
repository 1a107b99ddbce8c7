import { writeFile } from 'node:fs/promises';
import type { Job } from '../service/job.js';
import { moduleFiles } from './configuration.js';

/** What terraform is told of variables. */
export interface Variables {
  /** Files for `-var-file`, in their order. */
  readonly files: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** A machine hands a program no single one above 128 KiB, and not many of them. */
const mostInEnvironment = 64 * 1024;

/**
 * Writes the workspace's and the run's variables where terraform reads them; the run's win.
 *
 * Texts go into a JSON file, whose strings terraform takes as they are; literals of the language into one of the language.
 * Files set a variable whatever its type, which `TF_VAR_` does not: that takes a literal for text where no type is
 * declared. But files warn of variables that the configuration does not declare. So those it seems to declare go into the
 * files, and the rest into the environment, which nobody is warned of and which still sets one that was overlooked: as
 * far as there is room, for most of them set nothing.
 *
 * A plan remembers its variables, and an apply must not be told of others. Only those that are ephemeral it asks for again.
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
  // In brackets, so that a second line of one sets no other variable unless it closes them.
  const literals = inFiles.filter(({ hcl }) => hcl).map(({ key, value }) => `${key} = (\n${value}\n)\n`);
  const files = [at('texts.tfvars.json'), at('literals.tfvars')] as const;
  await writeFile(files[0], JSON.stringify(texts), { mode: 0o600 });
  await writeFile(files[1], literals.join(''), { mode: 0o600 });
  if (phase === 'apply') return { files: inFiles.length > 0 ? files : [], environment: {} };
  const others = all.filter(({ key, value }) => !declared.has(key) && /^[^=\0]+$/.test(key) && !value.includes('\0'));
  let bytes = 0;
  const fitting = others.filter(({ key, value }) => {
    const size = Buffer.byteLength(key) + Buffer.byteLength(value);
    if (bytes + size > mostInEnvironment) return false;
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

/** Finds too many rather than too few: what stands in a comment does no harm. */
const declarationsIn = (sources: ReadonlyMap<string, string>): readonly Declaration[] =>
  [...sources]
    .flatMap(([file, text]) => (file.endsWith('.json') ? declarationsInJson(text) : declarationsInText(text)))
    .filter(({ name }) => identifier.test(name));

/** Each is looked through up to the next one: nothing else of a root module is made ephemeral in these words. */
function declarationsInText(text: string): readonly Declaration[] {
  const found = [...text.matchAll(declaration)];
  return found.map(({ 1: name = '', index }, number) => ({
    name,
    ephemeral: /\bephemeral\s*=\s*true\b/.test(text.slice(index, found[number + 1]?.index)),
  }));
}

function declarationsInJson(text: string): readonly Declaration[] {
  try {
    // Blocks may be one object or a list of them.
    const roots = [JSON.parse(text)].flat();
    const blocks = roots
      .flatMap((root) => [root?.variable ?? {}].flat())
      .flatMap((block) => Object.entries(block ?? {}));
    return blocks.map(([name, content]) => ({ name, ephemeral: /"ephemeral":"?true\b/.test(JSON.stringify(content)) }));
  } catch {
    return [];
  }
}
