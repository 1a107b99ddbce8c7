import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SqliteConnection } from './sqlite-statements.js';

/** The size of a page of SQLite. */
export const pageBytes = 4_096;

/** In pages that only the log has. SQLite has the same limit. */
const enough = 1_000;

/** The limit from which on a commit copies them on its own: under steady load the thread never catches up. */
export const maxPagesInLog = 16_384;

interface Log {
  readonly log: number;
  readonly checkpointed: number;
}

interface Thread {
  readonly worker: Worker;
  readonly ended: Promise<void>;
}

/**
 * Copies what is committed from the log of SQLite into its file, on a thread that begins with the first copy. SQLite
 * would do it within a commit, and everything else would wait for it.
 */
export class Checkpoints {
  private readonly look;
  private thread: Thread | undefined;
  private copying = false;

  constructor(
    private readonly file: string,
    writer: Pick<SqliteConnection, 'prepare'>,
  ) {
    this.look = writer.prepare('pragma wal_checkpoint(noop)');
  }

  afterCommit(): void {
    if (this.copying) return;
    const { log, checkpointed } = this.look.get() as Log;
    if (log - checkpointed < enough) return;
    this.copying = true;
    this.thread ??= this.begin();
    this.thread.worker.postMessage('copy');
  }

  /** Ends the thread and its connection. */
  async close(): Promise<void> {
    this.thread?.worker.ref();
    this.thread?.worker.postMessage('end');
    await this.thread?.ended;
  }

  private begin(): Thread {
    const program = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(program, { workerData: this.file });
    worker.unref();
    worker.on('message', () => {
      this.copying = false;
    });
    // One that does not even begin is not asked again: the log then grows to its limit.
    worker.on('error', () => {});
    return { worker, ended: new Promise((resolve) => worker.once('exit', () => resolve())) };
  }
}
