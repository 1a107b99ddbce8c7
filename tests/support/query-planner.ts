import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { KnexDatabase } from '../../src/adapters/persistence/knex/knex-database.js';
import type { Transaction } from '../../src/application/index.js';
import { openMigrated } from './databases.js';

export type Work = (tx: Transaction) => Promise<unknown>;

/** A SQLite file that records the statements of some work and the query plan of each. */
export class QueryPlanner {
  private statements: string[] = [];

  private constructor(
    private readonly directory: string,
    readonly database: KnexDatabase,
    private readonly planner: Database.Database,
  ) {}

  /** `fill` inserts the rows that the work needs. */
  static async open(fill: Work): Promise<QueryPlanner> {
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    const file = join(directory, 'test.sqlite');
    let opened: QueryPlanner | undefined;
    const database = await openMigrated(file, { onStatement: (sql) => opened?.statements.push(sql) });
    await database.unitOfWork.run(fill);
    opened = new QueryPlanner(directory, database, new Database(file, { readonly: true }));
    return opened;
  }

  async close(): Promise<void> {
    this.planner.close();
    await this.database.close();
    await rm(this.directory, { recursive: true });
  }

  /** Refusals are ignored: the statements before them count. */
  async statementsOf(work: Work, transactionally = false): Promise<readonly string[]> {
    this.statements = [];
    const { unitOfWork } = this.database;
    await (transactionally ? unitOfWork.run(work) : unitOfWork.read(work)).catch(() => undefined);
    return this.statements;
  }

  planOf(sql: string): readonly string[] {
    const unbound = Array.from(sql.matchAll(/\?/g), () => null);
    const steps = this.planner.prepare(`explain query plan ${sql}`).all(...unbound) as { detail: string }[];
    return steps.map(({ detail }) => detail);
  }
}
