/** Names a Postgres in TEST_POSTGRES_URL, started where none was given. */
declare function startPostgres(options?: { readonly durable?: boolean }): Promise<void>;
declare namespace startPostgres {
  function stop(): Promise<void>;
}
export = startPostgres;
