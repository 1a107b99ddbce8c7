import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from '@jest/globals';
import { example, needing, walk } from '../support/examples.js';
import { adminToken, inTemporaryDirectory, ServiceProcess } from '../support/process.js';

const served = (work: (service: ServiceProcess, directory: string) => Promise<void>): Promise<void> =>
  inTemporaryDirectory(async (directory) => {
    const service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data') });
    try {
      await work(service, directory);
    } finally {
      await service.end();
    }
  });

describe('examples/go', () => {
  const go = process.env.GO ?? 'go';
  const { run, reason } = needing(go);

  run(
    `walks teams, access, a token and a version with go-tfe${reason}`,
    () =>
      served(async (service, directory) => {
        const built = join(directory, 'walk');
        await promisify(execFile)(go, ['build', '-o', built, '.'], { cwd: example('go') });
        const said = await walk('go', [built, 'gone'], { TFE_ADDRESS: service.url, TFE_TOKEN: adminToken });
        expect(said).toEqual([
          expect.stringMatching(/^organization gone: workspace ws-\w+, team team-\w+$/),
          "the team's access: custom, runs: plan",
          expect.stringMatching(/^as the team: version cv-\w+ is uploaded$/),
          expect.stringMatching(/^as the team: 1 listed, \d+ bytes came back$/),
          'organization gone is deleted',
        ]);
      }),
    300_000,
  );
});

describe('examples/terraform', () => {
  const { run, reason } = needing('bash', 'terraform');

  run(
    `connects the terraform CLI, which makes the workspace${reason}`,
    () =>
      served(async (service) => {
        await service.provision('planned', 'another');
        const said = await walk('terraform', ['./walk.sh', 'planned'], { GATEHOUSE: service.url, TOKEN: adminToken });
        expect(said.at(-1)).toBe('network');
        expect((await service.api('GET', '/organizations/planned/workspaces/network')).status).toBe(200);
      }),
    60_000,
  );
});
