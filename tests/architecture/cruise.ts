import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

export interface Cruise {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
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

const roots = [
  'src/domain',
  'src/application',
  'src/adapters',
  'src/infrastructure',
  'src/agent',
  'lab',
  'web/console',
];

/** The folder of a file. A file that lies in a root, above all folders, is a place of its own. */
const placeOf = (file: string): string => (roots.includes(dirname(file)) ? file : dirname(file));

/**
 * The arrows between folders that lead back. Dependency-cruiser counts what lies in a folder's folders as its own, so it
 * would see no circle of a folder with one inside it.
 */
function arrowsInCircles({ modules }: Cruise): readonly string[] {
  const arrows = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    if (!roots.some((root) => source.startsWith(`${root}/`))) continue;
    const places = dependencies.map(({ resolved }) => placeOf(resolved)).filter((place) => place !== placeOf(source));
    arrows.set(placeOf(source), new Set([...(arrows.get(placeOf(source)) ?? []), ...places]));
  }
  const reachedFrom = (start: string): ReadonlySet<string> => {
    const reached = new Set([start]);
    // A set goes on to what is added to it meanwhile.
    for (const place of reached) for (const next of arrows.get(place) ?? []) reached.add(next);
    return reached;
  };
  return [...arrows].flatMap(([from, next]) =>
    [...next].filter((to) => reachedFrom(to).has(from)).map((to) => `no-cycles-of-folders: ${from} > ${to}`),
  );
}

/**
 * As `rule: importer > imported`, the imported package by its name alone. A cycle of files is reported once, one of folders
 * by each arrow in it.
 */
export const reports = (found: Cruise): readonly string[] =>
  found.summary.violations
    .map(({ rule, from, to }) => `${rule.name}: ${from} > ${to.replace(/^.*node_modules\/([^/]+)\/.*$/, '$1')}`)
    .concat(arrowsInCircles(found))
    .sort();
