const { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const root = join(__dirname, '..', '..');
const suite = join(root, 'tests', 'http');
const examplesFile = join(root, 'src', 'adapters', 'http', 'openapi', 'examples.json');

/** Raised around all routes alike: one of them is proof for all. */
const aroundRoutes = new Set(['400', '403', '408', '413', '414', '415', '429', '500', '503']);

/** What no test in memory sees, and where it is seen instead. */
const elsewhere = {
  '409-shared.stale-revision': 'two change the same at once: tests/contracts and tests/http/error-table',
  '507-service.storage-full': 'a full disk: tests/e2e/storage-full',
};

/** Fails a run of the whole HTTP suite in which something documented, or a recorded example, was never answered. */
module.exports = class DescribedIsSeen {
  constructor({ testNamePattern }) {
    this.partial = Boolean(testNamePattern);
  }

  onRunStart() {
    this.notes = mkdtempSync(join(tmpdir(), 'gatehouse-seen-'));
    process.env.GATEHOUSE_SEEN = this.notes;
  }

  onRunComplete(_contexts, results) {
    const linesOf = (kind) =>
      readdirSync(this.notes)
        .filter((name) => name.endsWith(kind))
        .flatMap((name) => readFileSync(join(this.notes, name), 'utf8').split('\n').filter(Boolean));
    const lines = linesOf('.txt');
    const examples = linesOf('.examples').map((line) => JSON.parse(line));
    const described = readIfThere(join(this.notes, 'described.json'));
    rmSync(this.notes, { recursive: true, force: true });
    const passed = new Set(
      results.testResults
        .filter(({ numFailingTests, testExecError }) => numFailingTests === 0 && !testExecError)
        .map(({ testFilePath }) => testFilePath),
    );
    const files = readdirSync(suite).filter((name) => name.endsWith('.test.ts') && !name.endsWith('.full.test.ts'));
    const ran = new Set(results.testResults.map(({ testFilePath }) => testFilePath));
    const allAmong = (paths) => !this.partial && files.every((name) => paths.has(join(suite, name)));
    // Failures do no harm: the description lacks the examples of a new operation until they are recorded.
    if (process.env.RECORD_EXAMPLES !== undefined && allAmong(ran)) return record(examples);
    if (!allAmong(passed)) return;
    const unsaid = unsaidIn(JSON.parse(readFileSync(examplesFile, 'utf8')), examples);
    if (unsaid.length > 0) {
      this.error = new Error(
        `examples of the API description that no test was answered (npm run examples):\n${unsaid.join('\n')}`,
      );
      process.stderr.write(`\n${this.error.message}\n`);
      return;
    }
    const unseen = unseenIn(described, new Set(lines));
    if (unseen.length === 0) return;
    this.error = new Error(`described, and answered in no test:\n${unseen.join('\n')}`);
    process.stderr.write(`\n${this.error.message}\n`);
  }

  /** Makes the run fail. */
  getLastError() {
    return this.error;
  }
};

const unsaidIn = (recorded, confirmed) => {
  const said = new Set(confirmed.map(([key]) => key));
  return Object.keys(recorded).filter((key) => !said.has(key));
};

/** The first of each: by rank, and by its text where that is the same. */
function record(found) {
  const best = new Map();
  for (const [key, ...example] of found) {
    const known = best.get(key);
    const place = known === undefined ? 0 : example.findIndex((part, index) => part !== known[index]);
    if (known === undefined || (place >= 0 && example[place] < known[place])) best.set(key, example);
  }
  const keys = [...best.keys()].sort();
  const lines = keys.map((key) => `${JSON.stringify(key)}: ${best.get(key).at(-1)}`);
  writeFileSync(examplesFile, `{\n${lines.join(',\n')}\n}\n`);
  process.stderr.write(`\n${keys.length} examples recorded; npm run docs prints them\n`);
}

const readIfThere = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);

/** Successes are to be seen at each mount; refusals do not differ between them. */
function unseenIn(described, seen) {
  const contract = (path) => path.replace(/^\/api\/v2/, '');
  const anywhere = new Set([...seen].map((line) => line.split(' ')[2]));
  const atEither = new Set([...seen].map((line) => line.replace(' /api/v2', ' ')));
  return described
    .filter(({ method, path, status, shared }) => {
      if (shared in elsewhere) return false;
      if (aroundRoutes.has(status)) return !anywhere.has(status);
      return shared === undefined
        ? !seen.has(`${method} ${path} ${status}`)
        : !atEither.has(`${method} ${contract(path)} ${status}`);
    })
    .map(({ method, path, status }) => `${method} ${path} ${status}`);
}
