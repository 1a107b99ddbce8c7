import { type Fault, faultOf, storedBytes } from '../../stored-bundles.js';
import type { Command } from '../toolkit/command.js';
import { openStore, withDatabase } from '../toolkit/operator.js';
import { counted } from '../toolkit/output.js';

const said: Readonly<Record<Fault['what'], string>> = {
  missing: 'is missing',
  'other bytes': 'has other content',
  unreadable: 'cannot be read',
};

const sentence = ({ of, key, what, why }: Fault): string =>
  `${of}: ${key} ${said[what]}${why === undefined ? '' : `: ${why}`}`;

export const verify: Command = {
  name: 'verify',
  does: 'reads every archive and lists those that are missing or differ from what was uploaded',
  about: 'It changes nothing. The exit code is 1 if it finds a problem.',
  run: async ({ config, progress }) =>
    withDatabase(config, async ({ unitOfWork }) => {
      const store = await openStore(config);
      const faults: Fault[] = [];
      let looked = 0;
      for await (const stored of storedBytes(unitOfWork)) {
        const fault = await faultOf(stored, unitOfWork, store);
        if (fault !== undefined) faults.push(fault);
        looked += 1;
        progress.print(`${looked} archives read, ${faults.length} with problems`);
      }
      const good = looked - faults.length;
      return {
        json: { good, faults: faults.map(({ of, key, what, why = null }) => ({ of, key, what, why })) },
        text: [...faults.map(sentence), `${counted(good, 'archive')} intact, ${faults.length} with problems`].join(
          '\n',
        ),
        failed: faults.length > 0,
      };
    }),
};
