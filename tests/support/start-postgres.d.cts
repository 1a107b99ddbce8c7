/** Names a Postgres in TEST_POSTGRES_URL, started where none was given. */
declare function startPostgres(): Promise<void>;
declare namespace startPostgres {
  function stop(): Promise<void>;
}
export = startPostgres;
