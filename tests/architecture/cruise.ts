import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

export interface Cruise {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly violations: readonly {
      readonly rule: { readonly name: string };
      readonly from: string;
      readonly to: string;
    }[];
  };
}

/** The report of dependency-cruiser on `src`, `lab` and the console in `folder`, which holds its own copy of the rules. */
export async function cruise(folder: string): Promise<Cruise> {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const options = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src', 'lab', 'web/console'];
  const { stdout } = await run(process.execPath, [program, ...options], { cwd: folder, maxBuffer: 1 << 28 });
  return JSON.parse(stdout);
}

/**
 * As `rule: importer > imported`, the imported package by its name alone. A cycle of files is reported once, one of folders
 * by each arrow in it.
 */
export const reports = ({ summary }: Cruise): readonly string[] =>
  summary.violations
    .map(({ rule, from, to }) => `${rule.name}: ${from} > ${to.replace(/^.*node_modules\/([^/]+)\/.*$/, '$1')}`)
    .sort();
