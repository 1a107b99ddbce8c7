import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from '../../tests/support/global-setup.cjs';
import stopPostgres from '../../tests/support/global-teardown.cjs';
import { dependentsIn } from './dependents.mjs';
import { TestProcess } from './test-process.mjs';

const root = new URL('../..', import.meta.url).pathname;
const processes = 2;

/** How many kills are confirmed together. */
const atATime = 25;

async function copyOfTree() {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-mutation-'));
  for (const name of [
    'src',
    'lab',
    'web',
    'scripts',
    'tests',
    'docs',
    'package.json',
    'tsconfig.json',
    'jest.config.js',
  ]) {
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

/**
 * Runs each file of tests without a change. Returns how long each took, in milliseconds, and which failed: those notice
 * nothing, so they are left out.
 */
async function runUnchanged(directory, files) {
  const left = [...files];
  const took = new Map();
  const failing = [];
  await inProcesses(directory, async (tests) => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      const began = Date.now();
      const { passed, by } = await tests.run(file, undefined, 300_000);
      if (passed) took.set(file, Date.now() - began);
      else failing.push(`${file}: ${by}`);
    }
  });
  return { took, failing };
}

/** Files of tests in the order in which they are asked about changes of one source: those that notice much in little time first. */
class Order {
  #kills;
  #milliseconds;

  constructor(files, milliseconds) {
    this.#kills = new Map(files.map((file) => [file, 0]));
    this.#milliseconds = milliseconds;
  }

  get files() {
    const worth = (file) => (this.#kills.get(file) + 1) / this.#milliseconds.get(file);
    return [...this.#kills.keys()].sort((one, other) => worth(other) - worth(one));
  }

  noticed(file) {
    this.#kills.set(file, this.#kills.get(file) + 1);
  }
}

/** Asks the tests about one change until one of them fails. A file that does not load with it says nothing of the others. */
async function judge(tests, change, order, limitOf) {
  let unloaded = { verdict: 'survived' };
  for (const file of order.files) {
    const { passed, loads, ended, by } = await tests.run(file, change, limitOf(file));
    if (passed) continue;
    if (!loads) {
      unloaded = { verdict: 'broken', file, by };
      continue;
    }
    order.noticed(file);
    return { verdict: 'killed', file, by, ended };
  }
  return unloaded;
}

async function judgeIn(directory, mutants, report) {
  const { took, failing } = await runUnchanged(directory, new Set(mutants.flatMap(({ tests }) => tests)));
  // A table that leads in a circle is noticed by never coming to an end.
  const limitOf = (file) => 15_000 + 5 * took.get(file);
  const dependentsOf = await dependentsIn(directory);
  const orders = new Map(
    mutants.map(({ area, file, tests }) => [
      `${area} ${file}`,
      new Order(
        tests.filter((test) => took.has(test)),
        took,
      ),
    ]),
  );
  const left = [...mutants];
  await inProcesses(directory, async (tests) => {
    let killed = [];
    /**
     * What a change left behind in the process could fail the tests of later ones. Unless tests pass there without any
     * change, each is judged again in a new process. So is one whose process crashed or was late: a process that has just
     * begun takes seconds to load.
     */
    const confirm = async () => {
      const { file } = killed.at(-1).judged;
      const { passed } = await tests.run(file, undefined, limitOf(file));
      if (!passed) left.push(...killed.map(({ mutant }) => ({ ...mutant, alone: true })));
      else for (const { mutant, judged } of killed) await report(mutant, judged);
      killed = [];
    };
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      if (mutant.alone) {
        if (killed.length > 0) await confirm();
        await tests.renew();
      }
      const path = join(directory, mutant.file);
      const change = { path, text: mutant.text, dependents: dependentsOf(path) };
      const judged = await judge(tests, change, orders.get(`${mutant.area} ${mutant.file}`), limitOf);
      if (judged.ended && !mutant.alone) left.push({ ...mutant, alone: true });
      else if (judged.verdict === 'killed' && !mutant.alone) killed.push({ mutant, judged });
      else await report(mutant, judged);
      if (killed.length === atATime || (killed.length > 0 && (tests.full || left.length === 0))) await confirm();
      if (tests.full) await tests.renew();
    }
  });
  return failing;
}

const interrupted = () =>
  new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`stopped by ${signal}`)));
  });

/**
 * Judges each change in a copy of the tree, and reports each verdict. Returns which files of tests fail without any
 * change, and why.
 */
export async function judgeAll(mutants, report) {
  const directory = await copyOfTree();
  try {
    await postgres();
    return await Promise.race([judgeIn(directory, mutants, report), interrupted()]);
  } finally {
    await stopPostgres();
    // Processes of a run that was interrupted may still write there.
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
