import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { commands } from './cli/commands.js';
import { commandLinePage } from './cli/help.js';
import { configurationPage, lifecyclePage, limitsPage, metricsPage, openApiPage, permissionsPage } from './docs.js';

const folder = new URL('../../docs/', import.meta.url);
const pages = {
  'command-line.md': commandLinePage(commands),
  'configuration.md': configurationPage(),
  'lifecycle.md': lifecyclePage(),
  'limits.md': limitsPage(),
  'openapi.json': openApiPage(),
  'metrics.md': metricsPage(),
  'permissions.md': permissionsPage(),
};

await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(pages)) {
  const file = new URL(name, folder);
  await writeFile(file, text);
  process.stdout.write(`${fileURLToPath(file)}\n`);
}
