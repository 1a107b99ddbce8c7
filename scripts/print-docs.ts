import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { commands } from '../src/infrastructure/cli/commands.js';
import { commandLinePage } from '../src/infrastructure/cli/help.js';
import { compatibilityPage } from './compatibility.js';
import {
  configurationPage,
  importPage,
  lifecyclePage,
  limitsPage,
  metricsPage,
  openApiPage,
  permissionsPage,
  variablesPage,
} from './docs.js';

/** The directory the pages are written to: the one given as an argument, or `docs`. */
const folder = pathToFileURL(`${process.argv[2] ?? fileURLToPath(new URL('../docs', import.meta.url))}/`);
const pages = {
  'command-line.md': commandLinePage(commands),
  'compatibility.md': compatibilityPage(),
  'configuration.md': configurationPage(),
  'import.md': importPage(await readFile(new URL('../docs/import.md', import.meta.url), 'utf8')),
  'lifecycle.md': lifecyclePage(),
  'limits.md': limitsPage(),
  'variables.md': variablesPage(),
  'openapi.json': await openApiPage(),
  'metrics.md': metricsPage(),
  'permissions.md': permissionsPage(),
};

await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(pages)) {
  const file = new URL(name, folder);
  await writeFile(file, text);
  process.stdout.write(`${fileURLToPath(file)}\n`);
}
