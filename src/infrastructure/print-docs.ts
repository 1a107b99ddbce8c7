import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { lifecyclePage, permissionsPage } from './docs.js';

const folder = new URL('../../docs/', import.meta.url);
const pages = { 'lifecycle.md': lifecyclePage(), 'permissions.md': permissionsPage() };

await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(pages)) {
  const file = new URL(name, folder);
  await writeFile(file, text);
  process.stdout.write(`${fileURLToPath(file)}\n`);
}
