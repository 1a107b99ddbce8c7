// What `npm pack` puts into the package as its manifest: the members that an embedder or an operator needs. Programs that
// only tests here need would be downloaded by everyone who installs the package.
// `slim` puts it in the place of package.json, for as long as npm packs; `whole` puts package.json back.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const published = [
  'name',
  'version',
  'description',
  'license',
  'repository',
  'type',
  'engines',
  'bin',
  'exports',
  'files',
  'sideEffects',
  'dependencies',
];

const file = 'package.json';
const kept = '.package.json.kept';

const slimmed = (text) =>
  `${JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).filter(([name]) => published.includes(name))), null, 2)}\n`;

function whole() {
  if (!existsSync(kept)) return;
  if (readFileSync(file, 'utf8') !== slimmed(readFileSync(kept, 'utf8'))) {
    throw new Error(`${file} changed since a pack that was cut off set ${kept} aside: compare them, and remove one`);
  }
  renameSync(kept, file);
}

function slim() {
  // Of a pack that was cut off.
  whole();
  const text = slimmed(readFileSync(file, 'utf8'));
  renameSync(file, kept);
  writeFileSync(file, text);
}

({ slim, whole })[process.argv[2]]();
