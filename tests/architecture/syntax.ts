import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folders that untrusted input reaches; `src/infrastructure` reads only the operator's settings. */
const exposed = ['src/domain', 'src/application', 'src/adapters', 'src/agent'];

const sources = exposed.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return ts.createSourceFile(relative(root, path), readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true);
    }),
);

export const exposedNodes: { readonly file: string; readonly node: ts.Node }[] = [];
for (const source of sources) {
  const visit = (node: ts.Node): void => {
    exposedNodes.push({ file: source.fileName, node });
    ts.forEachChild(node, visit);
  };
  visit(source);
}
