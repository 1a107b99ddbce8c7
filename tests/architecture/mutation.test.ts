import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

it('npm run mutation finds what it changes, and explains no mutant that it cannot make', () => {
  const printed = execFileSync(process.execPath, ['lab/mutation/run.mjs', '--only', 'no such mutant'], {
    encoding: 'utf8',
  });
  expect(printed).toMatch(/^all: 0 mutants, 0 killed, 0 explained/);
});
