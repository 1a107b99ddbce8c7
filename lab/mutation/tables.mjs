import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

const root = new URL('../..', import.meta.url).pathname;

const parse = (text) => ts.createSourceFile('table.ts', text, ts.ScriptTarget.Latest, true);

const bare = (node) => {
  let inner = node;
  while (ts.isAsExpression(inner) || ts.isSatisfiesExpression(inner) || ts.isParenthesizedExpression(inner)) {
    inner = inner.expression;
  }
  return inner;
};

function table(source, name) {
  let found;
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name) found = bare(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (found === undefined) throw new Error(`no table ${name}`);
  return found;
}

const nameOf = (property) => (ts.isStringLiteral(property.name) ? property.name.text : property.name.getText());
const replaced = (text, node, by) => text.slice(0, node.getStart()) + by + text.slice(node.getEnd());
const quoted = (word) => `'${word}'`;
const arrayOf = (nodes) => `[${nodes.map((node) => (typeof node === 'string' ? node : node.getText())).join(', ')}]`;
const without = (nodes, dropped) => arrayOf(nodes.filter((node) => node !== dropped));

/** Claims that are easily taken for each other. */
const alike = [
  ['runs: read', 'runs: plan', 'runs: apply', 'workspace locking', 'workspace admin', 'manage-workspaces'],
  ['site administrator', 'its own', 'owner', 'organization token', 'member'],
  ['manage-vcs-settings', 'manage-membership', 'manage-teams', 'manage-organization-access', 'manage-workspaces'],
  ['manage-policies', 'manage-policy-overrides', 'manage-agent-pools', 'manage-vcs-settings'],
  ['its members manage its token', 'in the team', 'sees the team', 'the team is within reach'],
];
const takenFor = (claim) =>
  alike
    .filter((group) => group.includes(claim))
    .flatMap((group) => [group[group.indexOf(claim) - 1], group[group.indexOf(claim) + 1]])
    .filter((other) => other !== undefined);

export function policyMutants(text) {
  const source = parse(text);
  const mutants = [];
  const add = (name, node, by) => mutants.push({ name: `policy ${name}`, text: replaced(text, node, by) });

  const requirement = (name, array) => {
    const openToMembers = array.elements.some((element) => element.getText() === "['member']");
    if (!openToMembers) add(`${name}: or member`, array, arrayOf([...array.elements, "['member']"]));
    for (const element of array.elements) {
      add(`${name}: without ${element.getText()}`, element, ts.isSpreadElement(element) ? '...[]' : "['nobody']");
      if (!ts.isArrayLiteralExpression(element)) continue;
      for (const claim of element.elements) {
        if (element.elements.length > 1) {
          add(`${name}: ${element.getText()} without ${claim.getText()}`, element, without(element.elements, claim));
        }
        if (!ts.isStringLiteral(claim)) continue;
        for (const other of takenFor(claim.text)) {
          add(`${name}: ${quoted(other)} for ${claim.getText()} in ${element.getText()}`, claim, quoted(other));
        }
      }
    }
  };

  const shared = bare(table(source, 'delegated').body);
  requirement('delegated', shared);
  for (const property of table(source, 'policy').properties) {
    const value = property.initializer;
    const name = nameOf(property);
    if (ts.isArrayLiteralExpression(value)) requirement(name, value);
    else {
      add(`${name}: or member`, value, `[...${value.getText()}, ['member']]`);
      add(`${name}: to nobody`, value, "[['nobody']]");
    }
    const visit = (node) => {
      if (ts.isCallExpression(node)) {
        const [right] = node.arguments;
        for (const other of takenFor(right.text)) {
          add(`${name}: ${quoted(other)} for ${right.getText()}`, right, quoted(other));
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(value);
  }
  // A claim that nobody has takes the place of an alternative, so that the table keeps its shape.
  const opening = 'export const claims = {';
  return mutants.map((mutant) => ({
    ...mutant,
    text: mutant.text.replace(opening, `${opening}\n  nobody: () => false,`),
  }));
}

/** The words of a list, those of the lists that it spreads among them. */
const wordsOf = (list) =>
  list.elements.flatMap((element) =>
    ts.isSpreadElement(element) ? wordsOf(table(element.getSourceFile(), element.expression.text)) : [element.text],
  );

/** What one cell of a lifecycle could say instead; `all` are the words it may hold. */
const cellMutants = (add) => (name, node, all) => {
  if (ts.isArrayLiteralExpression(node)) {
    const held = wordsOf(node);
    for (const element of node.elements)
      add(`${name} without ${element.getText()}`, node, without(node.elements, element));
    for (const word of all.filter((one) => !held.includes(one))) {
      add(`${name} with ${word}`, node, arrayOf([...node.elements, quoted(word)]));
    }
    node.elements.slice(1).forEach((second, index) => {
      const order = [...node.elements];
      order.splice(index, 2, second, node.elements[index]);
      if (name.endsWith(' guards')) add(`${name}: ${second.text} asked earlier`, node, arrayOf(order));
    });
  } else if (ts.isStringLiteral(node)) {
    for (const word of all.filter((one) => one !== node.text)) add(`${name}: ${word}`, node, quoted(word));
  } else if (ts.isIdentifier(node)) {
    add(`${name} without the last of ${node.text}`, node, `${node.text}.slice(0, -1)`);
  } else {
    add(`${name}: the opposite`, node, node.kind === ts.SyntaxKind.TrueKeyword ? 'false' : 'true');
  }
};

export async function runMutants(text) {
  const source = parse(text);
  const mutants = [];
  const add = (name, node, by) => mutants.push({ name: `runs ${name}`, text: replaced(text, node, by) });
  const inRuns = async (name, file) =>
    table(parse(await readFile(join(root, 'src/domain/supporting/runs', file), 'utf8')), name);
  const statuses = (await inRuns('stages', 'run-status.ts')).properties.flatMap((stage) =>
    stage.initializer.elements.map((element) => element.text),
  );
  const effects = [...text.matchAll(/^ {2}\| '([a-z-]+)'/gm)].map(([, effect]) => effect);
  const guards = (await inRuns('runGuards', 'run-guards.ts')).properties.map(nameOf);
  // One status of each kind will do: whatever else a row led to, a test that looks would see it.
  const known = { from: statuses, guards, effects, to: ['plan_queued', 'planned', 'confirmed', 'errored'] };
  const cell = cellMutants(add);
  for (const row of table(source, 'runLifecycle').elements) {
    const [spread, trigger, ...rest] = row.properties;
    const name = trigger.initializer.text;
    const [is, other] = spread.getText() === '...step' ? ['step', 'automatic'] : ['automatic', 'step'];
    add(`${name}: ${other} for ${is}`, spread, `...${other}`);
    // `done` is a word of the sentence, not of the rule.
    for (const property of rest.filter((one) => nameOf(one) !== 'done')) {
      cell(`${name} ${nameOf(property)}`, property.initializer, known[nameOf(property)] ?? ['something else']);
    }
  }
  return mutants;
}

export function lifecycleMutants(text) {
  const source = parse(text);
  const mutants = [];
  const add = (name, node, by) => mutants.push({ name: `lifecycle ${name}`, text: replaced(text, node, by) });
  const statuses = wordsOf(table(source, 'statuses'));
  const guards = table(source, 'guards').properties.map(nameOf);
  const rows = table(source, 'lifecycle').elements;
  const column = (name) => [
    ...new Set(
      rows.flatMap((row) =>
        row.properties.filter((property) => nameOf(property) === name).map((property) => property.initializer.text),
      ),
    ),
  ];
  const [stamps, codes] = [column('stamp'), column('refusedAs')];
  const effects = ['discard-bundle', 'queue-run', 'purge-backing-data'];
  const known = { from: statuses, guards, effects, to: statuses, stamp: stamps, refusedAs: codes };

  const cell = cellMutants(add);

  for (const row of rows) {
    const [trigger] = row.properties;
    for (const property of row.properties.slice(1)) {
      const name = `${trigger.initializer.text} ${nameOf(property)}`;
      cell(name, property.initializer, known[nameOf(property)] ?? ['something else']);
    }
  }
  for (const status of table(source, 'statusTraits').properties) {
    for (const trait of bare(status.initializer).properties) {
      cell(`${nameOf(status)} ${nameOf(trait)}`, trait.initializer, ['api', 'version-control']);
    }
  }
  return mutants;
}

export function errorMutants(text) {
  const mutants = [];
  for (const row of table(parse(text), 'errorTable').properties) {
    for (const { name, initializer } of row.initializer.properties) {
      const by = name.getText() === 'status' ? '418' : "'something else'";
      mutants.push({ name: `errors ${nameOf(row)} ${name.getText()}`, text: replaced(text, initializer, by) });
    }
  }
  return mutants;
}
