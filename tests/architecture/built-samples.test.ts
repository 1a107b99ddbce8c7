import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import ts from 'typescript';
import { root } from './cruise.js';

/** The call that a literal is a part of. */
const callAround = (node: ts.Node): string => {
  if (ts.isCallExpression(node)) return node.expression.getText().replace(/^.*\./s, '');
  return ts.isStatement(node) || ts.isFunctionLike(node) ? '' : callAround(node.parent);
};

/** Aggregates are known by their id and revision. Builders take parts of them, and matchers what is expected. */
const isWholeAggregate = (node: ts.Node): boolean =>
  ts.isObjectLiteralExpression(node) &&
  ['id', 'revision'].every((name) => node.properties.some((member) => member.name?.getText() === name)) &&
  !/^(an?|to)[A-Z]/.test(callAround(node.parent));

it('only builders and samples write whole aggregates', () => {
  const found: string[] = [];
  for (const file of globSync('tests/**/*.ts', { cwd: root })) {
    const text = readFileSync(`${root}/${file}`, 'utf8');
    if (/(builders|samples)\.ts$/.test(file) || !text.includes('revision')) continue;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
    const visit = (node: ts.Node): void => {
      if (isWholeAggregate(node)) found.push(`${file}: ${node.getText()}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  expect(found).toEqual([]);
});
