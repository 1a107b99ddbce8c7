import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from '../support/global-setup.cjs';
import stopPostgres from '../support/global-teardown.cjs';
import { dependentsIn } from './dependents.mjs';
import { TestProcess } from './test-process.mjs';

const root = new URL('../..', import.meta.url).pathname;
const processes = 2;

/** How many kills are confirmed together. */
const atATime = 25;

async function copyOfTree() {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-mutation-'));
  for (const name of ['src', 'web', 'scripts', 'tests', 'docs', 'package.json', 'tsconfig.json', 'jest.config.js']) {
    await cp(join(root, name), join(directory, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

/** Calls `work` in as many loops as there are processes, each with a process of its own. */
async function inProcesses(directory, work) {
  const loop = async () => {
    const own = new TestProcess(directory);
    try {
      await work(own);
    } finally {
      await own.end();
    }
  };
  await Promise.all(Array.from({ length: processes }, loop));
}

/** Runs each file of tests without a change, and returns how long each may take with one, in milliseconds. */
async function runUnchanged(directory, files) {
  const left = [...files];
  const limits = new Map();
  await inProcesses(directory, async (tests) => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      const began = Date.now();
      const { passed, by } = await tests.run(file, undefined, 300_000);
      if (!passed) throw new Error(`the tests fail without any change: ${by}`);
      limits.set(file, 15_000 + 5 * (Date.now() - began));
    }
  });
  return limits;
}

/** Asks the tests about one change until one of them fails. The tests that noticed the last change come first. */
async function judge(tests, { path, text, dependents, order, limits }) {
  for (const file of [...order]) {
    const { passed, loads, by } = await tests.run(file, { path, text, dependents }, limits.get(file));
    if (passed) continue;
    order.splice(order.indexOf(file), 1);
    order.unshift(file);
    return { verdict: loads ? 'killed' : 'broken', by };
  }
  return { verdict: 'survived' };
}

async function judgeIn(directory, mutants, report) {
  const limits = await runUnchanged(directory, new Set(mutants.flatMap(({ tests }) => tests)));
  const dependentsOf = await dependentsIn(directory);
  const orders = new Map(mutants.map(({ file, tests }) => [file, [...tests]]));
  const left = [...mutants];
  await inProcesses(directory, async (tests) => {
    let killed = [];
    /**
     * What a change left behind in the process could fail the tests of later ones. Unless tests pass there without any
     * change, each is judged again, with a process to itself.
     */
    const confirm = async () => {
      const [file] = orders.get(killed.at(-1).mutant.file);
      const { passed } = await tests.run(file, undefined, limits.get(file));
      if (!passed) left.push(...killed.map(({ mutant }) => ({ ...mutant, alone: true })));
      else for (const { mutant, judged } of killed) await report(mutant, judged);
      killed = [];
    };
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      if (mutant.alone) await tests.renew();
      const path = join(directory, mutant.file);
      const change = { path, text: mutant.text, dependents: dependentsOf(path) };
      const judged = await judge(tests, { ...change, order: orders.get(mutant.file), limits });
      if (judged.verdict === 'killed' && !mutant.alone) killed.push({ mutant, judged });
      else await report(mutant, judged);
      if (killed.length === atATime || (killed.length > 0 && (tests.full || left.length === 0))) await confirm();
      if (tests.full) await tests.renew();
    }
  });
}

/** Judges each change in a copy of the tree, and reports each verdict. */
export async function judgeAll(mutants, report) {
  const directory = await copyOfTree();
  try {
    await postgres();
    await judgeIn(directory, mutants, report);
  } finally {
    await stopPostgres();
    await rm(directory, { recursive: true });
  }
}
