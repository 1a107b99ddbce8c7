const { mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { secretsIn } = require('./find-secrets.cjs');

/** Looks through the logs of all files of tests for the secrets of all, when the run ends. */
module.exports = class LogsHoldNoSecrets {
  onRunStart() {
    this.notes = mkdtempSync(join(tmpdir(), 'gatehouse-notes-'));
    process.env.GATEHOUSE_NOTES = this.notes;
  }

  onRunComplete() {
    const read = (ending) =>
      readdirSync(this.notes)
        .filter((name) => name.endsWith(ending))
        .map((name) => readFileSync(join(this.notes, name), 'utf8'));
    const secrets = new Set(read('.secrets').flatMap((text) => JSON.parse(text)));
    const logs = read('.log');
    rmSync(this.notes, { recursive: true, force: true });
    const leaks = new Set(logs.flatMap((log) => secretsIn(log, secrets)));
    if (leaks.size === 0) return;
    this.error = new Error(`logs of the tests hold ${leaks.size} secrets, the first ${[...leaks][0]}`);
    process.stderr.write(`\n${this.error.message}\n`);
  }

  /** Makes the run fail. */
  getLastError() {
    return this.error;
  }
};
