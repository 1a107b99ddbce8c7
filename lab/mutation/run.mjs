/**
 * Changes what decides, one place at a time, and runs the tests that should notice: every cell of the tables (policy,
 * lifecycles, errors), and conditions, guards and calls of the code that asks for rights, leases, sessions and capability
 * URLs. A change that no test notices survives; one without an explanation fails the run. `npm run mutation`, or
 * `npm run mutation -- leases` for one area, `npm run mutation -- leases --only 'dropped'` for the changes that are so
 * named. `--results FILE` writes each verdict there; a later run with the same file passes over what was killed.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { areas } from './areas.mjs';
import { explained } from './explained.mjs';
import { judgeAll } from './judging.mjs';

const root = new URL('../..', import.meta.url).pathname;
const say = (line) => process.stdout.write(`${line}\n`);

const { values, positionals: wanted } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [''] }, results: { type: 'string' } },
  allowPositionals: true,
});
const unknown = wanted.find((name) => !(name in areas));
if (unknown !== undefined) throw new Error(`no area ${unknown}: there are ${Object.keys(areas).join(', ')}`);

const digest = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** All mutants of the chosen areas. */
async function makeMutants() {
  const made = [];
  for (const [area, sources] of Object.entries(areas)) {
    if (wanted.length > 0 && !wanted.includes(area)) continue;
    for (const { file, mutants, tests } of sources) {
      const original = await readFile(join(root, file), 'utf8');
      for (const mutant of await mutants(original))
        made.push({ ...mutant, area, file, tests, digest: digest(mutant.text) });
    }
  }
  const names = new Set(made.map(({ name }) => name));
  const outdated = wanted.length > 0 ? [] : [...explained.keys()].filter((name) => !names.has(name));
  if (outdated.length > 0) throw new Error(`explained, and no mutant any more:\n${outdated.join('\n')}`);
  return made.filter(({ name }) => values.only.some((part) => name.includes(part)));
}

const keyOf = ({ area, file, name, digest }) => [area, file, name, digest].join('\n');

/** What an earlier run has killed. */
async function killedBefore() {
  if (values.results === undefined || !existsSync(values.results)) return new Map();
  const lines = (await readFile(values.results, 'utf8')).split('\n').filter((line) => line !== '');
  const verdicts = lines.map((line) => JSON.parse(line));
  return new Map(verdicts.filter(({ verdict }) => verdict === 'killed').map((one) => [keyOf(one), one]));
}

const mutants = await makeMutants();
const before = await killedBefore();
const counts = new Map(mutants.map(({ area }) => [area, { mutants: 0, killed: 0, explained: 0, alive: 0, broken: 0 }]));

function count(mutant, { verdict, by }) {
  const reason = verdict === 'survived' ? explained.get(mutant.name) : undefined;
  const result = verdict !== 'survived' ? verdict : reason === undefined ? 'alive' : 'explained';
  const area = counts.get(mutant.area);
  area.mutants += 1;
  area[result] += 1;
  const where = mutant.line === undefined ? mutant.file : `${mutant.file}:${mutant.line}`;
  if (result === 'alive') say(`SURVIVED: ${where} ${mutant.name}`);
  if (result === 'explained') say(`explained (${reason}): ${where} ${mutant.name}`);
  // A change that does not load says nothing about the tests.
  if (result === 'broken') say(`DOES NOT LOAD: ${where} ${mutant.name}: ${by}`);
}

async function report(mutant, judged) {
  count(mutant, judged);
  if (values.results === undefined) return;
  const { area, file, name, digest: text } = mutant;
  const { verdict, file: test, by } = judged;
  await appendFile(values.results, `${JSON.stringify({ area, file, name, digest: text, verdict, test, by })}\n`);
}

const began = Date.now();
const left = mutants.filter((mutant) => {
  const known = before.get(keyOf(mutant));
  if (known !== undefined) count(mutant, known);
  return known === undefined;
});
const failing = left.length > 0 ? await judgeAll(left, report) : [];
for (const file of failing) say(`FAILS WITHOUT ANY CHANGE, and was left out: ${file}`);

const row = (name, { mutants: all, killed, explained: known, alive, broken }) =>
  say(`${name}: ${all} mutants, ${killed} killed, ${known} explained, ${alive} alive, ${broken} do not load`);
const sum = { mutants: 0, killed: 0, explained: 0, alive: 0, broken: 0 };
for (const [area, found] of counts) {
  row(area, found);
  for (const key of Object.keys(sum)) sum[key] += found[key];
}
row('all', sum);
say(`${left.length} judged in ${Math.round((Date.now() - began) / 1000)} s`);
process.exitCode = sum.alive + sum.broken + failing.length > 0 ? 1 : 0;
