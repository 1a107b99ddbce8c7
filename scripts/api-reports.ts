/**
 * Writes what each published entry promises to those who compile against it: every exported declaration as it stands in
 * the built types, by area and name, without comments and private members. Usage: api-reports.ts [directory]
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Readonly<Record<string, string | { readonly types: string }>>;
};
const entries = Object.entries(exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [{ name: path.replace('./', ''), file: join(root, target.types) }],
);

const program = ts.createProgram(
  entries.map(({ file }) => file),
  { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, lib: ['lib.es2023.d.ts'], types: [], strict: true },
);
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true });

const resolved = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** For a variable, its whole statement; for anything else, the declaration. */
const statementOf = (declaration: ts.Declaration): ts.Node =>
  ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;

const isOurs = (declaration: ts.Declaration): boolean =>
  declaration.getSourceFile().fileName.startsWith(join(root, 'dist/')) &&
  ts.isSourceFile(statementOf(declaration).parent);

const textOf = (symbol: ts.Symbol): string =>
  (symbol.declarations ?? [])
    .map((declaration) =>
      printer.printNode(ts.EmitHint.Unspecified, statementOf(declaration), declaration.getSourceFile()),
    )
    .join('\n')
    .replaceAll(/^ +private (?!constructor).*;\n/gm, '')
    // The compiler writes them in the order in which it met them, which differs between builds.
    .replaceAll(/"[^"\n]+"(?: \| "[^"\n]+")+/g, (words) => words.split(' | ').sort().join(' | '));

/** The top-level symbols of the project's files that the declarations of `symbol` refer to. */
function namedBy(symbol: ts.Symbol): ReadonlySet<ts.Symbol> {
  const found = new Set<ts.Symbol>();
  const visit = (node: ts.Node): void => {
    const named = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    if (named !== undefined && resolved(named).declarations?.some(isOurs)) found.add(resolved(named));
    ts.forEachChild(node, visit);
  };
  for (const declaration of symbol.declarations ?? []) visit(statementOf(declaration));
  return found;
}

const byName = (a: ts.Symbol, b: ts.Symbol): number => (a.name < b.name ? -1 : 1);

const block = (symbols: readonly ts.Symbol[]): string =>
  ['```ts', [...symbols].sort(byName).map(textOf).join('\n\n'), '```'].join('\n');

/** The folder of its layer that a declaration stands in: the area that a reader looks for. */
function areaOf(symbol: ts.Symbol): string {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
  const folder = relative(join(root, 'dist'), file).split(sep).slice(1, -1).join('/');
  const words = folder
    .replace(/^supporting\//, '')
    .replace('/', ': ')
    .replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const byArea = (symbols: readonly ts.Symbol[]): string => {
  const areas = [...Map.groupBy(symbols, areaOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  if (areas.length === 1) return block(symbols);
  return areas.map(([area, found]) => `## ${area || 'For all areas'}\n\n${block(found)}`).join('\n\n');
};

/** The symbols of this entry and of those before it. */
const reported = new Set<ts.Symbol>();

function report(name: string, file: string): string {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol;
  const exported = checker.getExportsOfModule(module).map(resolved);
  for (const symbol of exported) reported.add(symbol);
  const hidden: ts.Symbol[] = [];
  const visit = (symbol: ts.Symbol): void => {
    for (const named of namedBy(symbol)) {
      if (reported.has(named)) continue;
      reported.add(named);
      hidden.push(named);
      visit(named);
    }
  };
  for (const symbol of exported) visit(symbol);
  return [
    `# What \`gatehouse-tf/${name}\` publishes`,
    'Printed from the built types when the package is made. Embedders see each difference from the last\nrelease: [versions](../versioning.md) says which number it moves, and the change log names it.',
    byArea(exported),
    ...(hidden.length === 0 ? [] : ['## Not exported, but part of what is', block(hidden)]),
    '',
  ].join('\n\n');
}

const directory = process.argv[2] ?? join(root, 'docs/api');
mkdirSync(directory, { recursive: true });
for (const { name, file } of entries) {
  const path = join(directory, `${name}.md`);
  writeFileSync(path, report(name, file).replace(/\n+$/, '\n'));
  process.stdout.write(`${path}\n`);
}
