import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { adminToken, inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { recordedIn, recordingIn, refusedIn } from '../support/recorded-requests.js';

const run = promisify(execFile);
const client = fileURLToPath(new URL('../clients/go-tfe', import.meta.url));
const configuration = fileURLToPath(new URL('../../examples/configuration', import.meta.url));

const go = process.env.GO ?? 'go';
const present = spawnSync(go, ['version']).status === 0;
const reason = present ? '' : ' (skipped: no go on PATH, and GO names none)';

describe(`the client library of the field, unmodified${reason}`, () => {
  (present ? it : it.skip)(
    'walks the service: organization, versions, policies with code, runs held to policies, deleted backing data, and back',
    async () => {
      await inTemporaryDirectory(async (directory) => {
        const walk = join(directory, 'walk');
        await run(go, ['build', '-o', walk, '.'], { cwd: client });
        const service = await ServiceProcess.start({
          DATA_DIR: join(directory, 'data'),
          NOTIFICATION_ALLOWED_HOSTS: '127.0.0.1',
          ...recordingIn(directory),
        });
        try {
          const { stdout } = await run(walk, [service.url, adminToken, configuration], { timeout: 240_000 }).catch(
            (failure) => failure as { stdout: string },
          );
          const steps = stdout.trim().split('\n');
          expect(steps.filter((step) => !step.startsWith('ok '))).toEqual([]);
          expect(steps.length).toBeGreaterThan(140);
        } finally {
          await service.end();
        }
        expect(recordedIn(directory).length).toBeGreaterThan(100);
        expect(refusedIn(directory)).toEqual([]);
      });
    },
  );
});
