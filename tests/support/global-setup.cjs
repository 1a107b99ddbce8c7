const { mkdtemp } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const startPostgres = require('./start-postgres.cjs');

/** Names in TEST_TEMPLATES where files of tests share the databases that they copy, and starts a Postgres. */
module.exports = async () => {
  process.env.TEST_TEMPLATES = await mkdtemp(join(tmpdir(), 'gatehouse-templates-'));
  await startPostgres();
};
