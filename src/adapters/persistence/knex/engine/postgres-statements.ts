import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Pooling } from './postgres-sessions.js';
import type { Compiled, OnStatement } from './statements.js';

/** For statements whose texts depend on what is asked: a page of every size has one of its own. */
const namesKept = 300;

/** SQLSTATEs of a name that the server session has not prepared, or already has. */
const unknownName = '26000';
const takenName = '42P05';

interface Fault {
  readonly code?: string;
  readonly routine?: string;
}

/** A migration changed what a prepared statement returns. The message is translated, the code has other meanings. */
const isOutdated = ({ code, routine }: Fault): boolean => code === '0A000' && routine === 'RevalidateCachedQuery';

/** Whether the statement that the server session has under the name is not the expected one, or cannot be used any more. */
export const isNameFault = (error: unknown): boolean =>
  [unknownName, takenName].includes((error as Fault | undefined)?.code ?? '') || isOutdated((error ?? {}) as Fault);

/** Runs `work`, and if its names were not the server's, once more without names, which cannot fail so again. */
export const withNames = <Result>(work: (named: boolean) => Promise<Result>): Promise<Result> =>
  work(true).catch((error: unknown) => {
    if (!isNameFault(error)) throw error;
    return work(false);
  });

/**
 * Names by which connections prepare statements: planning a join costs Postgres more than running it. Statements met
 * once the names are used up go without, and are planned each time; those that recur always have one. A name is a
 * digest, so that it means the same statement to every process that shares a server session.
 */
class StatementNames {
  private readonly names = new Map<string, Named>();

  of({ sql, recurs = false }: Compiled): Named | undefined {
    const known = this.names.get(sql);
    if (known !== undefined || (!recurs && this.names.size >= namesKept)) return known;
    return this.name(sql, sql, 0);
  }

  /** Gives a statement that is outdated under `name` another text: a pooler prepares by text, and cannot be made to forget one. */
  renew(sql: string, name: string): void {
    const known = this.names.get(sql);
    if (known?.name === name) this.name(sql, `${sql} /* ${known.renewed + 1} */`, known.renewed + 1);
  }

  private name(sql: string, text: string, renewed: number): Named {
    const name = `gatehouse_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    const named = { name, text, renewed };
    this.names.set(sql, named);
    return named;
  }
}

interface Named {
  readonly name: string;
  readonly text: string;
  readonly renewed: number;
}

/** The texts that the driver considers prepared, by name. */
const preparedOn = (connection: pg.Client): Record<string, string> =>
  (connection.connection as unknown as { readonly parsedStatements: Record<string, string> }).parsedStatements;

export interface SenderOptions {
  readonly onStatement?: OnStatement | undefined;
  readonly pooling: Pooling;
  /** Called once, when this process stops naming statements. */
  readonly onUnnamed?: () => void;
}

/** Gives the driver statements as they are: by Knex's own way they take half as long again. */
export class StatementSender {
  private readonly names = new StatementNames();
  private lostNames = false;

  constructor(private readonly options: SenderOptions) {}

  /** Whether statements are prepared by name. */
  get naming(): boolean {
    return this.options.pooling !== 'transaction' && !this.lostNames;
  }

  /** Reports a statement, in the request that it belongs to. */
  report({ sql }: Compiled): void {
    this.options.onStatement?.(sql);
  }

  /** Rejects with an error for which `isNameFault` is true if the name failed. */
  async send(connection: pg.Client, statement: Compiled, named = true): Promise<pg.QueryResult> {
    const { sql, bindings } = statement;
    const known = named && this.naming ? this.names.of(statement) : undefined;
    const values = [...bindings];
    if (known === undefined) return connection.query({ text: sql, values });
    const { name, text } = known;
    try {
      return await connection.query({ text, values, name });
    } catch (error) {
      if (isOutdated(error as Fault)) this.names.renew(sql, name);
      this.learn(preparedOn(connection), name, text, error as Fault);
      throw error;
    }
  }

  private learn(prepared: Record<string, string>, name: string, text: string, { code }: Fault): void {
    if (code === takenName) prepared[name] = text;
    if (code !== unknownName) return;
    delete prepared[name];
    if (this.options.pooling !== 'auto' || this.lostNames) return;
    this.lostNames = true;
    this.options.onUnnamed?.();
  }
}
