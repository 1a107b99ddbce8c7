import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { DomainError } from '../../../../domain/index.js';
import type { Present } from './present.js';
import type { SqliteConnection } from './sqlite-statements.js';
import { type MapError, OnlyReads, type Query, type Statements } from './statements.js';

/** A larger group would make reads wait for longer than its flush takes. */
const maxTogether = 64;

/**
 * How long a unit of work on its own may wait for something outside the database, in milliseconds: others wait behind
 * it. A group waits as long for another process that holds the lock for writing.
 */
const usualLongest = 5_000;
const betweenTries = 20;

type Work = (db: Statements) => Promise<unknown>;

interface Unit {
  /** In the asynchronous context of its caller, whose trace its statements belong to. */
  readonly work: Work;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** It waits for something outside the database, and must not hold up others. */
  readonly alone: boolean;
}

type Outcome =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly error: unknown }
  | { readonly kind: 'waits' };

const tooLong = () => new DomainError('service/unavailable', 'a change waited for too long, and nothing was changed');

/** Refuses to run anything once its unit of work is over: on a shared connection it would become part of the next one. */
class OpenStatements implements Statements {
  readonly sql: Knex;
  readonly present: Present;
  over = false;

  constructor(private readonly inner: Statements) {
    this.sql = inner.sql;
    this.present = inner.present;
  }

  async all<Row>(query: Query): Promise<Row[]> {
    return this.open().all(query);
  }

  async first<Row>(query: Query): Promise<Row | undefined> {
    return this.open().first(query);
  }

  async run(query: Query): Promise<number> {
    return this.open().run(query);
  }

  async runLater(query: Query, mapError?: MapError): Promise<void> {
    return this.open().runLater(query, mapError);
  }

  private open(): Statements {
    if (this.over) throw new Error('the transaction is over');
    return this.inner;
  }
}

/**
 * Group commit: units of work share a transaction and its flush, each in a savepoint of its own. They run one after the
 * other, and none is answered before the flush, because one may be refused for a row that another one added.
 */
export class GroupedCommits {
  private waiting: Unit[] = [];
  private working: Promise<void> | undefined;
  private committing: Promise<void> | undefined;

  constructor(
    private readonly writer: SqliteConnection,
    private readonly statements: Statements,
    private readonly longest = usualLongest,
    private readonly afterCommit = () => {},
  ) {}

  run<Result>(work: (db: Statements) => Promise<Result>): Promise<Result> {
    const inContext = AsyncLocalStorage.snapshot();
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({
        work: (db) => inContext(work, db),
        resolve: resolve as Unit['resolve'],
        reject,
        alone: false,
      });
      this.working ??= this.workOff();
    });
  }

  /** Resolves once nothing is under way. */
  async settled(): Promise<void> {
    while (this.working !== undefined) await this.working;
  }

  /** The commit that is under way. */
  get open(): Promise<void> | undefined {
    return this.committing;
  }

  private async workOff(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.gathered();
      this.committing = this.commit(this.next());
      await this.committing;
      this.committing = undefined;
    }
    this.working = undefined;
  }

  /**
   * Waits for as long as each turn of the event loop brings more units: those who were answered by the last commit are
   * about to ask again. Otherwise half of them would wait for the other half.
   */
  private async gathered(): Promise<void> {
    for (let before = 0; before < this.waiting.length && this.waiting.length < maxTogether; ) {
      before = this.waiting.length;
      await new Promise(setImmediate);
    }
  }

  /**
   * The next units in the order in which they came. A unit that is known to wait runs on its own, after those before
   * it.
   */
  private next(): readonly Unit[] {
    const apart = this.waiting.findIndex(({ alone }) => alone);
    const ready = apart < 0 ? this.waiting.length : apart;
    return this.waiting.splice(0, Math.max(1, Math.min(ready, maxTogether)));
  }

  /** Never rejects: a failure rejects each unit's own promise. */
  private async commit(units: readonly Unit[]): Promise<void> {
    const ended = new Map<Unit, Outcome>();
    const apart: Unit[] = [];
    try {
      await this.begin();
      for (const unit of units) {
        const outcome = await this.attempt(unit, units.length > 1);
        if (outcome.kind === 'waits') apart.push(unit);
        else ended.set(unit, outcome);
      }
      if (this.writer.inTransaction) this.writer.exec('commit');
      for (const [unit, outcome] of ended) answer(unit, outcome);
      this.afterCommit();
    } catch (error) {
      if (this.writer.inTransaction) this.writer.exec('rollback');
      for (const unit of units) if (!apart.includes(unit)) unit.reject(error);
    }
    this.waiting.push(...apart.map((unit) => ({ ...unit, alone: true })));
  }

  /** Waits for the lock between turns of the event loop: SQLite's own wait would hold up everything else. */
  private async begin(): Promise<void> {
    for (const began = performance.now(); ; await pause(betweenTries)) {
      try {
        this.writer.exec('begin immediate');
        return;
      } catch (error) {
        const locked = (error as { readonly code?: string }).code === 'SQLITE_BUSY';
        if (!locked || performance.now() - began > this.longest) throw error;
      }
    }
  }

  /** Rolls back a unit that does not succeed. Throws when the whole transaction is over. */
  private async attempt(unit: Unit, grouped: boolean): Promise<Outcome> {
    const db = new OpenStatements(this.statements);
    if (grouped) this.writer.exec('savepoint unit');
    const outcome = await this.outcomeOf(async () => unit.work(db), grouped);
    db.over = true;
    // Some failures, such as a full disk, roll back the whole transaction.
    if (!this.writer.inTransaction) {
      throw outcome.kind === 'refused' ? outcome.error : new Error('the database ended the transaction');
    }
    if (outcome.kind !== 'done') this.writer.exec(grouped ? 'rollback to unit; release unit' : 'rollback');
    else if (grouped) this.writer.exec('release unit');
    return outcome;
  }

  /**
   * The database answers synchronously: work that continues in another turn of the event loop waits for something else.
   */
  private async outcomeOf(work: () => Promise<unknown>, grouped: boolean): Promise<Outcome> {
    let stop: () => void = () => {};
    const outside = new Promise<Outcome>((resolve) => {
      if (grouped) {
        const turn = setImmediate(() => resolve({ kind: 'waits' }));
        stop = () => clearImmediate(turn);
      } else {
        const timer = setTimeout(() => resolve({ kind: 'refused', error: tooLong() }), this.longest);
        stop = () => clearTimeout(timer);
      }
    });
    const outcome = work().then(
      (result): Outcome => ({ kind: 'done', result }),
      (error: unknown): Outcome => ({ kind: 'refused', error }),
    );
    try {
      return await Promise.race([outcome, outside]);
    } finally {
      stop();
    }
  }
}

function answer({ resolve, reject }: Unit, outcome: Outcome): void {
  if (outcome.kind === 'done') resolve(outcome.result);
  else if (outcome.kind === 'refused') reject(outcome.error);
}

/** Reads on the connection that also writes. A statement waits for the open transaction, whose rows may be rolled back. */
export class ReadsBetweenCommits extends OnlyReads {
  readonly sql: Knex;
  readonly present: Present;

  constructor(
    private readonly inner: Statements,
    private readonly commits: GroupedCommits,
  ) {
    super();
    this.sql = inner.sql;
    this.present = inner.present;
  }

  async all<Row>(query: Query): Promise<Row[]> {
    while (this.commits.open !== undefined) await this.commits.open;
    return this.inner.all(query);
  }

  async first<Row>(query: Query): Promise<Row | undefined> {
    while (this.commits.open !== undefined) await this.commits.open;
    return this.inner.first(query);
  }
}
