import ts from 'typescript';

const kind = ts.SyntaxKind;

/** What an operator is easily taken for. */
const neighbours = new Map([
  [kind.AmpersandAmpersandToken, '||'],
  [kind.BarBarToken, '&&'],
  [kind.EqualsEqualsEqualsToken, '!=='],
  [kind.ExclamationEqualsEqualsToken, '==='],
  [kind.LessThanToken, '<='],
  [kind.LessThanEqualsToken, '<'],
  [kind.GreaterThanToken, '>='],
  [kind.GreaterThanEqualsToken, '>'],
]);
const flips = new Map([
  [kind.TrueKeyword, 'false'],
  [kind.FalseKeyword, 'true'],
]);
const quantifiers = new Map([
  ['some', 'every'],
  ['every', 'some'],
]);
const tests = ['some', 'every', 'has', 'includes', 'startsWith', 'endsWith'];

const calledName = (node) =>
  ts.isCallExpression(node) ? (node.expression.name?.text ?? node.expression.text) : undefined;

/** Whether an expression is true or false by its looks. */
function isBoolean(node) {
  if (ts.isParenthesizedExpression(node)) return isBoolean(node.expression);
  if (ts.isPrefixUnaryExpression(node)) return node.operator === kind.ExclamationToken;
  if (ts.isBinaryExpression(node)) return neighbours.has(node.operatorToken.kind);
  return tests.includes(calledName(node));
}

const isPredicate = (node) =>
  node.body !== undefined &&
  (node.type?.kind === kind.BooleanKeyword ||
    (node.type !== undefined && ts.isTypePredicateNode(node.type)) ||
    (!ts.isBlock(node.body) && isBoolean(node.body)));

const endsIn = (statement) => (ts.isBlock(statement) ? statement.statements.at(-1) : statement);

/** An `if` whose only purpose is to leave. */
function isGuard(node) {
  const last = ts.isIfStatement(node) && node.elseStatement === undefined && endsIn(node.thenStatement);
  return last && (ts.isThrowStatement(last) || ts.isReturnStatement(last));
}

/** A statement that is a call, of whose result nothing is made. */
function isBareCall(node) {
  if (!ts.isExpressionStatement(node)) return false;
  const inner = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
  return ts.isCallExpression(inner) && inner.expression.kind !== kind.SuperKeyword;
}

/** The ways to get one place of a source file wrong: each is a place, what stands there instead, and what was done. */
function* changesAt(node) {
  if (isGuard(node)) yield [node, ';', 'dropped'];
  else if (ts.isIfStatement(node)) yield [node.expression, `!(${node.expression.getText()})`, 'negated'];
  if (ts.isConditionalExpression(node)) yield [node.condition, `!(${node.condition.getText()})`, 'negated'];
  if (isBareCall(node)) yield [node, ';', 'dropped'];
  if (ts.isBinaryExpression(node) && neighbours.has(node.operatorToken.kind)) {
    const by = neighbours.get(node.operatorToken.kind);
    yield [node.operatorToken, by, `${by} in ${node.getText()}`];
  }
  const quantifier = quantifiers.get(calledName(node));
  if (quantifier !== undefined && node.expression.name !== undefined) {
    yield [node.expression.name, quantifier, `${quantifier} in ${node.getText()}`];
  }
  const flipped = flips.get(node.kind);
  if (flipped !== undefined && !ts.isLiteralTypeNode(node.parent)) {
    yield [node, flipped, `${flipped} in ${node.parent.getText()}`];
  }
  if (ts.isFunctionLike(node) && isPredicate(node)) {
    for (const by of ['true', 'false']) yield [node.body, ts.isBlock(node.body) ? `{ return ${by}; }` : by, by];
  }
}

const short = (text) => text.replaceAll(/\s+/g, ' ').slice(0, 90);

/** Every way to get one place of the text wrong that these operators know, by names that stay when lines move. */
export function codeMutants(file) {
  return (text) => {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const mutants = [];
    const seen = new Map();
    const visit = (node) => {
      for (const [at, by, what] of changesAt(node)) {
        const said = what.includes(' in ') ? what : `${what}: ${node.getText()}`;
        const plain = `${file.split('/').at(-1)} ${short(said)}`;
        const count = (seen.get(plain) ?? 0) + 1;
        seen.set(plain, count);
        mutants.push({
          name: count === 1 ? plain : `${plain} #${count}`,
          line: source.getLineAndCharacterOfPosition(at.getStart()).line + 1,
          text: text.slice(0, at.getStart()) + by + text.slice(at.getEnd()),
        });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return mutants;
  };
}
