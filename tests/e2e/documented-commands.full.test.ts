import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { needing } from '../support/examples.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { ServiceSteps, until } from '../support/service-steps.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

let directory: string;
let service: ServiceProcess;
/** The variables that the guides leave to the reader. */
let given: Readonly<Record<string, string>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const data = join(directory, 'data');
  service = await ServiceProcess.start({
    DATA_DIR: data,
    OIDC_ISSUER: 'https://login.example.com',
    OIDC_CLIENT_ID: 'gatehouse',
    OIDC_CLIENT_SECRET: 'example',
    OIDC_GROUPS_CLAIM: 'groups',
  });
  await service.provision('acme', 'api');
  const steps = new ServiceSteps(service);
  await steps.memberToken('readers', {});
  const [team] = await steps.ask('GET', '/organizations/acme/teams?q=readers');
  const { id: ws } = await steps.ask('GET', '/organizations/acme/workspaces/api');
  const { data: users } = (await service.api('GET', '/admin/users?q=readers')).json;
  await mkdir(join(directory, 'bin'));
  const command = `#!/bin/sh\nexec '${process.execPath}' '${root}dist/infrastructure/cli/gatehouse.js' "$@"\n`;
  await writeFile(join(directory, 'bin/gatehouse'), command);
  await chmod(join(directory, 'bin/gatehouse'), 0o755);
  given = { TOKEN: adminToken, URL: service.url, DATA_DIR: data, ws, team: team.id, user: users[0].id };
});

afterAll(async () => {
  await service?.end();
  await rm(directory, { recursive: true, force: true });
});

/** The shell blocks of the guides, with where they begin. */
const blocks = globSync('docs/**/*.md', { cwd: root })
  .filter((path) => !path.startsWith('docs/api/'))
  .map(async (path) => {
    const text = await readFile(join(root, path), 'utf8');
    return [...text.matchAll(/^```(?:sh|bash)\n(.*?)^```$/gms)].map(([, script = '']) => ({ path, script }));
  });

/** The block of a guide that contains these words. */
async function blockWith(path: string, words: string): Promise<string> {
  const found = (await Promise.all(blocks)).flat().filter((one) => one.path === path && one.script.includes(words));
  expect(found).toHaveLength(1);
  return found[0]?.script ?? '';
}

/** Runs a block in an empty directory, against the service. Rejects if one of its commands fails. */
async function typed(path: string, words: string, change: (script: string) => string = (script) => script) {
  const folder = await mkdtemp(join(directory, 'typed-'));
  const script = change(await blockWith(path, words))
    .replaceAll('localhost:8080', new URL(service.url).host)
    .replaceAll('/backups/', `${folder}/`);
  const env = { ...given, PATH: `${directory}/bin:${process.env.PATH}` };
  return (await promisify(execFile)('bash', ['--norc', '-ec', script], { cwd: folder, env })).stdout.trim();
}

const here = (path: string) => `run by ${path}`;

/** Each block that cannot run here, by its guide and words of it, with the reason. */
const notRun: readonly (readonly [path: string, words: string, because: string])[] = [
  [
    'docs/agents.md',
    'put-back',
    `names a state that an agent has left; ${here('tests/e2e/terraform-state.full.test.ts')}`,
  ],
  ['docs/embedding.md', 'npm pack', `packs this package; ${here('tests/e2e/packed.full.test.ts')}`],
  ['docs/policy-trials.md', 'policy try', `needs an agent; ${here('tests/e2e/policy-trials.full.test.ts')}`],
  ['docs/policy-trials.md', '/results', `needs an agent; ${here('tests/http/policy-trials.test.ts')}`],
  ['docs/tls.md', 'caddy run', here('tests/e2e/tls.full.test.ts')],
  ['docs/tls.md', 'terraform.json', here('tests/e2e/tls.full.test.ts')],
  ['docs/import.md', 'gatehouse import', `needs two services; ${here('tests/e2e/import.full.test.ts')}`],
  ['docs/import.md', '-migrate-state', `needs a state; ${here('tests/e2e/import-backends.full.test.ts')}`],
  ['docs/operations.md', 'docker run', 'needs docker'],
  ['docs/operations.md', 'docker compose', 'needs docker'],
  [
    'docs/operations.md',
    'gatehouse move',
    `needs a Postgres named db, and a service that is stopped; ${here('tests/e2e/cli.full.test.ts')}`,
  ],
  ['docs/operations.md', 'pg_dump', 'needs a bucket and the aws program'],
  ['docs/operations.md', 'createdb', 'needs a bucket and the aws program'],
];

/** Each block that runs, in this order, with what it prints. */
const run: readonly (readonly [path: string, words: string, prints: unknown])[] = [
  ['docs/api-guide.md', 'search[name]=api', expect.stringContaining('"name":"api"')],
  ['docs/api-guide.md', 'effective-access', expect.stringContaining('"held": false')],
  ['docs/api-guide.md', 'upload-url', 'uploaded'],
  ['docs/temporary-access.md', 'todate', expect.stringContaining('"then":"none"')],
  ['docs/temporary-access.md', 'expires-within-days', expect.stringContaining('"access":"admin"')],
  ['docs/who-can.md', 'who-can', expect.stringContaining('"kind": "user"')],
  ['docs/who-can.md', 'access-report', expect.stringMatching(/^person,.*\nrows in all,\d+,/s)],
  ['docs/policy-counts.md', 'policy-outcome-counts', ''],
  ['docs/troubleshooting.md', 'include=current_run', expect.stringContaining('"status": "plan_queued"')],
  ['docs/troubleshooting.md', 'attention', expect.stringContaining('"complete": true')],
  ['docs/troubleshooting.md', 'account/details', '"admin"'],
  ['docs/troubleshooting.md', 'configuration-versions', expect.stringContaining('"status": "uploaded"')],
  ['docs/troubleshooting.md', 'readyz', '{"status":"ready"}'],
  ['docs/operations.md', 'gatehouse backup', expect.stringContaining('"faults": []')],
  ['docs/operations.md', 'audit-events/export', ''],
  ['docs/sign-in.md', '/identities', expect.stringContaining('00u1a2b3')],
  ['docs/sign-in.md', 'organization groups', expect.stringContaining('platform-*')],
  ['docs/sign-in.md', 'sso-team-id', expect.stringContaining('platform-engineers')],
  // The token of this service is refused in the organization afterwards.
  ['docs/sign-in.md', 'user-tokens-enabled', expect.stringContaining('"session-timeout":60')],
];

const streamed = ['docs/api-guide.md', '/changes'] as const;

describe('a command of a guide', () => {
  const { run: test, reason } = needing('bash', 'curl', 'jq', 'tar');

  it('is run, or not run for a reason', async () => {
    const rows = [...notRun, ...run, streamed].map(([path, words]) => ({ path, words }));
    const all = (await Promise.all(blocks)).flat();
    const without = all.filter(
      ({ path, script }) => rows.filter((row) => row.path === path && script.includes(row.words)).length !== 1,
    );
    expect(without).toEqual([]);
    expect(rows).toHaveLength(all.length);
  });

  test(`follows changes${reason}`, async () => {
    const following = typed(...streamed, (script) => `${script.trim()} | grep -m1 ^event:`);
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    following.then(end, end);
    // The command ends when it has an event that nothing reads.
    await until('an event came', async () => {
      await new ServiceSteps(service).update(given.ws ?? '', { description: `at ${performance.now()}` });
      return isOver;
    });
    expect(await following).toBe('event: workspace');
  });

  test(`shows the words of the service where an archive is a bad one${reason}`, async () => {
    const wrong = (script: string) => script.replace('tar czf - -C "$files" .', 'cat "$files/main.tf"');
    await expect(typed('docs/api-guide.md', 'upload-url', wrong)).rejects.toMatchObject({
      code: 22,
      stdout: expect.stringContaining('upload a correct archive to a new configuration version'),
      stderr: expect.stringContaining('422'),
    });
  });

  test(`ends with an error where the workspace is missing${reason}`, async () => {
    const wrong = (script: string) => script.replace('/workspaces/api', '/workspaces/other');
    await expect(typed('docs/api-guide.md', 'upload-url', wrong)).rejects.toMatchObject({
      stderr: expect.stringContaining('404'),
    });
  });

  for (const [path, words, prints] of run) {
    test(`does what ${path} says: ${words}${reason}`, async () => {
      expect(await typed(path, words)).toEqual(prints);
    });
  }
});
