import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { needing, walk } from '../support/examples.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../support/process.js';

let directory: string;
let service: ServiceProcess;

beforeAll(async () => {
  directory = await temporaryDirectory();
  service = await ServiceProcess.start({ DATA_DIR: directory });
  await service.provision();
});

afterAll(async () => {
  await service?.end();
  await rm(directory, { recursive: true, force: true });
});

const environment = () => ({ GATEHOUSE: service.url, TOKEN: adminToken });

describe('examples/curl', () => {
  const { run, reason } = needing('bash', 'curl', 'jq', 'tar');

  run(`walks versions, upload, team access, a token and policy outcomes${reason}`, async () => {
    const said = await walk('curl', ['./walk.sh', 'walked'], environment());
    expect(said).toEqual([
      expect.stringMatching(/^organization walked: workspace ws-\w+, team team-\w+$/),
      expect.stringMatching(/^version cv-\w+: uploaded$/),
      expect.stringMatching(/^versions listed: cv-\w+$/),
      'files that came back: 2',
      "the team's runs: plan",
      'access listed: custom',
      'as the team: version pending',
      'team tokens: 1',
      expect.stringMatching(/^run run-\w+:$/),
      '  tags: passed (mandatory)',
      '  sizes: failed (advisory)',
      'organization walked is deleted',
    ]);
  });

  run(`ends with the service's words where it is refused${reason}`, async () => {
    const refused = walk('curl', ['./walk.sh', 'not a name'], environment());
    await expect(refused).rejects.toThrow(/POST \/organizations was refused: \{"errors"/);
  });
});

describe('examples/fetch', () => {
  const { run, reason } = needing('tar');

  run(`streams an upload, follows a list, reads refusals${reason}`, async () => {
    const said = await walk('fetch', [process.execPath, 'walk.mjs', 'fetched'], environment());
    expect(said.slice(1)).toEqual([
      expect.stringMatching(/^version cv-\w+: uploaded$/),
      'the same bytes came back',
      'archive: 409: configuration could not be archived because it is current',
      'as the team, without access: 404',
      'as the team, with plan access: 3 versions on 2 pages',
      'organization fetched is deleted',
    ]);
  });
});
