import type { ChildProcess } from 'node:child_process';

/** Names a Postgres in TEST_POSTGRES_URL, started where none was given. */
declare function startPostgres(options?: { readonly durable?: boolean }): Promise<void>;
declare namespace startPostgres {
  function stop(): Promise<void>;
  /** The folder of the binaries for this machine, if npm installed them. */
  function packaged(): string | undefined;
  /** A copy of the binaries that any user may run. */
  function installed(binaries: string, directory: string): Promise<string>;
  /** Gives a file or directory to the user that servers run as. */
  function own(made: string): Promise<void> | undefined;
  /** Creates the data of a server in a directory that is its own. */
  function createData(native: string, data: string): void;
  function spawnServer(server: {
    readonly native: string;
    readonly data: string;
    /** For its sockets: their paths must be short. */
    readonly directory: string;
    readonly port: number;
    readonly settings: readonly string[];
  }): ChildProcess;
  /** Resolves when the server accepts connections, also those of a standby. */
  function ready(server: ChildProcess): Promise<void>;
  /** Settings of servers whose data is gone when the tests end. */
  const passing: readonly string[];
}
export = startPostgres;
