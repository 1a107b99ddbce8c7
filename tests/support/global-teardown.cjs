const { rm } = require('node:fs/promises');
const { stop } = require('./start-postgres.cjs');

module.exports = async () => {
  await stop();
  await rm(process.env.TEST_TEMPLATES, { recursive: true, force: true });
};
