/**
 * Changes what decides, one place at a time and in a copy, and runs the tests that should notice: every cell of the tables
 * (policy, lifecycles, errors), and conditions, guards and calls of the code that asks for rights, leases and capability
 * URLs. A change that no test notices survives; one without an explanation fails the run. `npm run mutation`, or
 * `npm run mutation -- leases` for one area, `npm run mutation -- leases --only 'dropped'` for the changes that are so named.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { codeMutants } from './operators.mjs';

const root = new URL('../..', import.meta.url).pathname;
const workers = 2;

/** The steps of a run that its policies decide. */
const verdicts = ['pass-policy-check', 'await-override', 'fail-policy-check'];

/** Survivors that are no fault of the tests, by the name of the mutant. */
const explained = new Map([
  [
    'visibility.ts true in membersManageToken: false',
    'asked only of members of the team, and nobody is a member of the team that stands for those of others',
  ],
  [
    'effective-access.ts dropped: known.set(key, suffices);',
    'the same parts are then asked again, with the same answer',
  ],
  [
    'visibility.ts true in stranger(false)',
    'only an owner manages the token of the owners team, and an owner sees secret teams, so its being secret changes nothing',
  ],
  [
    'workspace-permissions.ts > in rank(scale, a[scale]) >= rank(scale, b[scale])',
    'of two equal levels it does not matter which is picked',
  ],
  [
    'workspace-permissions.ts && in needed[scale] === undefined || needed[scale] === held[scale]',
    'a shortcut: the ranks say the same of a level that is not named, which ranks below all, and of equal ones',
  ],
  [
    'workspace-permissions.ts > in rank(scale, held[scale]) >= rank(scale, needed[scale])',
    'equal ranks are equal levels, which were compared before',
  ],
  [
    'run-progress.ts dropped: if (version === undefined) throw gone(run.state.id);',
    'a version goes away with its runs, so it is there; the types do not know it',
  ],
  [
    'run-progress.ts dropped: if (!held) throw notFound();',
    'taking the sequence refuses it as well: the lock makes the two wait for each other',
  ],
  [
    'run-progress.ts true in workspaceHeld: false',
    'asked only when a waiting run is executed by force, and a run that waits needs the workspace and has it not',
  ],
  ...['isCurrent', 'usedByRun'].map((fact) => [
    `run-progress.ts true in ${fact}: false`,
    'the row of `finish-runs` does not look at it; the type asks for it',
  ]),
  [
    "run-progress.ts dropped: if (!version.allows('finish-runs', unused, this.clock.now())) return;",
    'a shortcut: what is ordered here asks the lifecycle again',
  ],
  [
    'claim-run.ts && in workspace === undefined || pool === undefined',
    'the lock on the row of the workspace and the share of the pool keep both there; the types do not know it',
  ],
  ...['fetch-files', 'queue-plan', ...verdicts, 'queue-apply', 'request-cancel', 'finish-cancel'].map((trigger) => [
    `runs ${trigger} guards with policies done`,
    'the guard refuses only runs that are planned, and this step never starts there',
  ]),
  ...verdicts.map((trigger) => [
    `runs ${trigger} guards with policies apply`,
    'policies that passed or failed apply: the guard before it already refuses a run without any',
  ]),
  ['open-bundle.ts false in done: true', 'whoever ends an iteration does not look at what ending it returns'],
]);

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

function policyMutants(text) {
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

async function runMutants(text) {
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

function lifecycleMutants(text) {
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

function errorMutants(text) {
  const mutants = [];
  for (const row of table(parse(text), 'errorTable').properties) {
    for (const { name, initializer } of row.initializer.properties) {
      const by = name.getText() === 'status' ? '418' : "'something else'";
      mutants.push({ name: `errors ${nameOf(row)} ${name.getText()}`, text: replaced(text, initializer, by) });
    }
  }
  return mutants;
}

/** `tests` are groups of suites: the next is asked only about what the ones before did not notice. */
const code = (files, ...tests) => files.map((file) => ({ file, mutants: codeMutants(file), tests }));
const under = (directory, names) => names.map((name) => `${directory}/${name}.ts`);

const areas = {
  policy: [
    {
      file: 'src/domain/authorization/policy.ts',
      mutants: policyMutants,
      tests: [['tests/domain/policy.test.ts']],
    },
  ],
  lifecycle: [
    {
      file: 'src/domain/configuration-versions/lifecycle.ts',
      mutants: lifecycleMutants,
      tests: [['tests/domain/lifecycle.test.ts', 'tests/domain/lifecycle.property.test.ts']],
    },
    ...code(['src/domain/shared/lifecycle-engine.ts'], ['tests/domain/lifecycle-engine.test.ts']),
  ],
  errors: [
    {
      file: 'src/adapters/http/routing/error-table.ts',
      mutants: errorMutants,
      tests: [['tests/http/error-table.test.ts']],
    },
  ],
  authorization: code(
    under('src/domain/authorization', ['policy', 'visibility', 'workspace-permissions', 'actor', 'effective-access']),
    [
      'policy',
      'authorization',
      'project-access',
      'effective-permissions',
      'effective-access',
      'workspace-permissions',
      'visibility.property',
    ].map((name) => `tests/domain/${name}.test.ts`),
    ['tests/application/teams.test.ts', 'tests/application/users.test.ts', 'tests/application/runs.test.ts'],
    ['tests/http/rights.test.ts'],
  ),
  runs: [
    {
      file: 'src/domain/supporting/runs/run-lifecycle.ts',
      mutants: runMutants,
      tests: [['tests/domain/runs.test.ts', 'tests/domain/runs.property.test.ts']],
    },
    ...code(
      under('src/domain/supporting/runs', ['run', 'run-guards']),
      ['tests/domain/runs.test.ts', 'tests/domain/runs.property.test.ts'],
      ['tests/http/runs.test.ts'],
    ),
    ...code(
      under('src/application/supporting/runs', ['run-progress', 'create-run', 'change-run', 'read-run-log']),
      ['runs', 'run-tasks', 'agents', 'version-control', 'quota'].map((name) => `tests/application/${name}.test.ts`),
      ['runs', 'forced-runs', 'run-tasks', 'workspaces', 'quota', 'agent-files', 'recorded-changes'].map(
        (name) => `tests/http/${name}.test.ts`,
      ),
      ['tests/contracts/side-by-side.test.ts'],
    ),
  ],
  leases: code(
    under('src/application/supporting/agents', [
      'claim-run',
      'lease-holder',
      'renew-lease',
      'reclaim-lost-runs',
      'append-run-log',
      'report-phase',
      'report-policy-evaluation',
      'store-run-artifact',
      'announce-state',
      'upload-state',
      'read-plan-file',
      'read-run-files',
      'read-run-state',
    ]),
    ['tests/application/agents.test.ts'],
    ['tests/http/agent-files.test.ts'],
    ['agent-api', 'variables', 'statements'].map((name) => `tests/http/${name}.test.ts`),
    ['tests/contracts/side-by-side.test.ts'],
  ),
  urls: code(
    [
      'src/adapters/files/signed-capability-urls.ts',
      'src/application/supporting/users/seen-by-creator.ts',
      'src/application/configuration-versions/upload-configuration-bundle.ts',
      ...under('src/application/files', ['bundle-attempt', 'open-bundle', 'locate-bundle', 'read-bundle']),
    ],
    ['uploads', 'configuration-versions', 'open-bundle'].map((name) => `tests/application/${name}.test.ts`),
    ['tests/http/bundles.test.ts'],
    ['state-versions', 'audit-events', 'agent-files', 'runs'].map((name) => `tests/http/${name}.test.ts`),
    ['tests/contracts/side-by-side.test.ts'],
  ),
};

async function copyOfTree() {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-mutation-'));
  for (const name of ['src', 'web', 'scripts', 'tests', 'docs', 'package.json', 'tsconfig.json', 'jest.config.js']) {
    await cp(join(root, name), join(directory, name), { recursive: true });
  }
  // Most suites need no Postgres, which takes its time to start.
  const config = [
    "import config from './jest.config.js';",
    'const { globalSetup, globalTeardown, ...fast } = config.projects[0];',
    "const setupFilesAfterEnv = [...fast.setupFilesAfterEnv, '<rootDir>/tests/mutation/first-failure.cjs'];",
    'export default { projects: [{ ...fast, setupFilesAfterEnv }] };',
  ];
  await writeFile(join(directory, 'jest.mutation.mjs'), config.join('\n'));
  await mkdir(join(directory, 'cache'));
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

const jest = (directory, tests, limit) =>
  new Promise((resolve, reject) => {
    const needsPostgres = tests.some((path) => path.startsWith('tests/contracts/'));
    // One test there measures how many have their way at once: a busy machine fails it.
    const config = needsPostgres
      ? ['--selectProjects', 'fast', '--testNamePattern', '^(?!.*nearly all of many)']
      : ['--config', 'jest.mutation.mjs'];
    const own = [...config, '--runInBand', '--bail', '--silent', '--cacheDirectory', 'cache'];
    const args = ['node_modules/jest/bin/jest.js', ...own, '--runTestsByPath', ...tests];
    const child = spawn(process.execPath, args, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.on('error', reject);
    const timer = setTimeout(() => child.kill('SIGKILL'), limit);
    child.on('exit', () => clearTimeout(timer));
    child.on('exit', (status) => resolve({ passed: status === 0, endless: status === null, said }));
  });

/** How long each group of suites may take. A table that leads in a circle is noticed by never coming to an end. */
const limits = new Map();

/** Whether every group of suites passes, and what the last one said. */
async function passing(directory, groups) {
  let last;
  for (const tests of groups) {
    const began = Date.now();
    last = await jest(directory, tests, limits.get(tests) ?? 120_000);
    if (!last.passed) break;
    if (!limits.has(tests)) limits.set(tests, 15_000 + 5 * (Date.now() - began));
  }
  return last;
}

const { values, positionals: wanted } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [''] } },
  allowPositionals: true,
});
const unknown = wanted.find((name) => !(name in areas));
if (unknown !== undefined) throw new Error(`no area ${unknown}: there are ${Object.keys(areas).join(', ')}`);
const chosen = Object.entries(areas).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const sources = chosen.flatMap(([, one]) => one);
const made = [];
for (const { file, mutants, tests } of sources) {
  const original = await readFile(join(root, file), 'utf8');
  made.push(...(await mutants(original)).map((mutant) => ({ ...mutant, original, file, tests })));
}
const queue = made.filter(({ name }) => values.only.some((part) => name.includes(part)));
const names = new Set(made.map(({ name }) => name));
const outdated = wanted.length > 0 ? [] : [...explained.keys()].filter((name) => !names.has(name));
if (outdated.length > 0) throw new Error(`explained, and no mutant any more:\n${outdated.join('\n')}`);

const say = (line) => process.stdout.write(`${line}\n`);
const began = Date.now();
const total = queue.length;
const survivors = [];
const broken = [];

async function work() {
  const directory = await copyOfTree();
  try {
    for (const tests of new Set(sources.map((one) => one.tests))) {
      const { passed, said } = await passing(directory, tests);
      if (!passed) throw new Error(`the tests fail without any change:\n${said}`);
    }
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      await writeFile(join(directory, mutant.file), mutant.text);
      const { passed, endless, said } = await passing(directory, mutant.tests);
      await writeFile(join(directory, mutant.file), mutant.original);
      if (passed) {
        survivors.push(mutant.name);
        const reason = explained.get(mutant.name);
        const where = mutant.line === undefined ? mutant.file : `${mutant.file}:${mutant.line}`;
        say(`${reason === undefined ? 'SURVIVED' : `explained (${reason})`}: ${where} ${mutant.name}`);
      } else if (endless) say(`killed, because the tests do not end: ${mutant.name}`);
      // A change that does not load says nothing about the tests.
      else if (/SyntaxError|Test suite failed to run/.test(said)) broken.push(mutant.name);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

if (total > 0) await Promise.all(Array.from({ length: workers }, work));

const unexplained = survivors.filter((name) => !explained.has(name));
for (const name of broken) say(`DOES NOT LOAD: ${name}`);
const seconds = Math.round((Date.now() - began) / 1000);
const killed = total - survivors.length - broken.length;
say(`${total} mutants, ${killed} killed, ${survivors.length - unexplained.length} explained, ${seconds} s`);
process.exitCode = unexplained.length + broken.length > 0 ? 1 : 0;
