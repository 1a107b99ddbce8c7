import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Modules are never unloaded: a process that has grown beyond this makes room for a new one. */
const memory = 1_500_000_000;

/** A process that runs files of tests, one at a time. */
export class TestProcess {
  #directory;
  #child;
  full = false;

  constructor(directory) {
    this.#directory = directory;
    this.#start();
  }

  #start() {
    const child = fork(join(this.#directory, 'lab/mutation/worker.cjs'), [this.#directory], {
      cwd: this.#directory,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // It would outlive an interrupted run in a loop that a change has made endless.
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    this.#child = child;
    this.full = false;
  }

  /** What came of the tests: whether they passed, and if not, which one failed or why none could. */
  async run(test, mutant, limit) {
    if (!this.#child.connected) this.#start();
    const child = this.#child;
    const done = new AbortController();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, limit);
    // A process that ends meanwhile is noticed below.
    child.send({ test, mutant }, () => {});
    const answer = await Promise.race([
      once(child, 'message', { signal: done.signal }).then(([message]) => message),
      once(child, 'exit', { signal: done.signal }).then(() => undefined),
    ]);
    done.abort();
    clearTimeout(timer);
    if (answer !== undefined) {
      this.full = answer.memory > memory;
      return answer;
    }
    this.#start();
    return {
      passed: false,
      loads: true,
      ended: true,
      by: late ? 'the tests do not end' : 'the tests end their process',
    };
  }

  async end() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  async renew() {
    await this.end();
    this.#start();
  }
}
