import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

const page = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Runs the shell block of a page that contains these words, in an empty directory. */
async function typed(
  path: string,
  words: string,
  change: (script: string) => string = (script) => script,
): Promise<string> {
  const block = [...(await page(path)).matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, text = '']) => text)
    .find((text) => text.includes(words));
  const script = change((block ?? '').replaceAll('localhost:8080', service.url.replace('http://', '')));
  const { PATH = '' } = process.env;
  const options = { cwd: await mkdtemp(join(directory, 'typed-')), env: { PATH, TOKEN: adminToken } };
  return (await promisify(execFile)('bash', ['-c', script], options)).stdout.trim();
}

describe('the upload in the API guide', () => {
  const { run, reason } = needing('bash', 'curl', 'jq', 'tar');

  run(`brings a configuration of its own, and shows that it is uploaded${reason}`, async () => {
    expect(await typed('docs/api-guide.md', 'upload-url')).toBe('uploaded');
  });

  run(`ends with an error in words where the archive is a bad one${reason}`, async () => {
    const wrong = (script: string) => script.replace('tar czf - -C "$files" .', 'cat "$files/main.tf"');
    await expect(typed('docs/api-guide.md', 'upload-url', wrong)).rejects.toMatchObject({
      code: 22,
      stdout: expect.stringContaining('upload a correct archive to a new configuration version'),
      stderr: expect.stringContaining('422'),
    });
  });

  run(`ends with an error where the workspace is missing${reason}`, async () => {
    const wrong = (script: string) => script.replace('/workspaces/api', '/workspaces/other');
    await expect(typed('docs/api-guide.md', 'upload-url', wrong)).rejects.toMatchObject({
      stderr: expect.stringContaining('404'),
    });
  });
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
