const { mkdtemp } = require('node:fs/promises');
const { join } = require('node:path');
const passingFiles = require('./passing-files.cjs');
const startPostgres = require('./start-postgres.cjs');

/** Names in TEST_TEMPLATES where files of tests share the databases that they copy, and starts a Postgres. */
module.exports = async () => {
  process.env.TEST_TEMPLATES = await mkdtemp(join(passingFiles, 'gatehouse-templates-'));
  await startPostgres();
};
