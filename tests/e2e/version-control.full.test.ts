import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { filesIn } from '../support/archives.js';
import { GitRepository, GitServer, type GitServerOptions } from '../support/git-server.js';
import { ServiceProcess, temporaryDirectory } from '../support/process.js';
import { usable } from '../support/programs.js';
import { ServiceSteps, until } from '../support/service-steps.js';
import { bytesOf, githubHeaders, type Payload, signersBy } from '../support/webhook-deliveries.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

const present = spawnSync('git', ['version']).status === 0;
const reason = present ? '' : ' (skipped: no git on PATH)';
const suite = usable('git', present) ? describe : describe.skip;

const password = 'p4ssword-of-the-deploy-key';
const encoded = Buffer.from(`deployer:${password}`).toString('base64');
const protectedByPassword: GitServerOptions = { basicAuth: `deployer:${password}` };

let root: string;
let dataDir: string;
let credentialsDir: string;
let repository: GitRepository;
let server: GitServer;
let service: ServiceProcess;
let steps: ServiceSteps;
/** Every response of the service, to any caller. */
let answers: string[];

const start = async (environment: Readonly<Record<string, string>> = {}): Promise<void> => {
  service = await ServiceProcess.start({
    DATA_DIR: dataDir,
    VCS_ALLOWED_HOSTS: '127.0.0.1',
    VCS_CREDENTIALS_DIR: credentialsDir,
    LOG_LEVEL: 'trace',
    ...environment,
  });
  steps = new ServiceSteps(service);
};

const serve = async (options: GitServerOptions = protectedByPassword): Promise<void> => {
  server = await GitServer.start(root, options);
  const lines = [`url=http://${server.host}/harbour`, 'username=deployer', `password=${password}`];
  await writeFile(join(credentialsDir, 'deploy'), `${lines.join('\n')}\n`, { mode: 0o600 });
};

const cloneUrl = (): string => server.url('harbour/app.git');

/** The link as the service shows it, with the webhook's key if it is new. */
const link = async (workspaceId: string, credential: string | null = 'deploy'): Promise<Json> => {
  const change = {
    'queue-all-runs': true,
    'vcs-repo': { 'clone-url': cloneUrl(), ...(credential === null ? {} : { credential }) },
  };
  return (await steps.update(workspaceId, change)).attributes['vcs-repo'];
};

const pushOf = (sha: string): Payload => ({
  ref: 'refs/heads/main',
  after: sha,
  repository: { full_name: 'harbour/app', clone_url: 'https://forge.example/harbour/app.git', default_branch: 'main' },
  head_commit: { id: sha, message: 'Pushed', url: `https://forge.example/harbour/app/commit/${sha}` },
});

async function deliver(hook: Json, payload: Payload, id = 'delivery-1'): Promise<number> {
  const body = bytesOf(payload);
  const response = await fetch(service.url + hook['webhook-url'], {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...githubHeaders('push', id),
      ...signersBy(hook['webhook-key']).hub(body),
    },
    body: new Uint8Array(body),
  });
  answers.push(await response.text());
  return response.status;
}

/** The only version of the workspace. */
const onlyVersion = async (workspaceId: string): Promise<string> => {
  const versions = await steps.versions(workspaceId);
  expect(versions).toHaveLength(1);
  return versions[0].id;
};

/** The runs of the workspace, as soon as there are any. */
const queuedRuns = (workspaceId: string): Promise<readonly Json[]> =>
  until('a run is queued', async () => {
    const runs = await steps.runs(workspaceId);
    return runs.length > 0 && runs;
  });

/** Every API response about the workspace. */
async function shown(workspaceId: string): Promise<string> {
  const paths = [
    `/workspaces/${workspaceId}`,
    `/workspaces/${workspaceId}/configuration-versions?include=ingress-attributes`,
    `/workspaces/${workspaceId}/runs`,
    '/organizations/acme/workspaces',
    '/admin/failing-effects',
  ];
  return (await Promise.all(paths.map(async (path) => JSON.stringify((await service.api('GET', path)).json)))).join();
}

/** The arguments of every process, one per line. */
async function commandLines(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.map((line) => line.replaceAll('\0', ' ')).join('\n');
}

/** All bytes below the directory, as one text. A file may be moved or discarded meanwhile. */
async function textBelow(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map((file) =>
    readFile(join(file.parentPath, file.name), 'latin1').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return '';
    }),
  );
  return (await Promise.all(texts)).join();
}

const fetchDirectories = (): Promise<readonly string[]> => readdir(join(dataDir, 'tmp'));

suite(`a service that fetches from a git server${reason}`, () => {
  beforeEach(async () => {
    root = await temporaryDirectory();
    dataDir = join(root, 'data');
    credentialsDir = join(root, 'credentials');
    await mkdir(credentialsDir);
    repository = await GitRepository.create(root, 'harbour/app.git');
    await repository.commit({ 'main.tf': 'one\n' }, 'first');
    answers = [];
  });

  afterEach(async () => {
    await service.end('SIGKILL');
    await server.stop();
    await rm(root, { recursive: true, force: true });
  });

  it('takes a pushed commit from its webhook to an apply and an archived version, and fetches it again', async () => {
    await serve();
    await start();
    const workspaceId = await service.provision();
    const hook = await link(workspaceId);

    const files = { 'main.tf': 'two\n', 'modules/net/main.tf': 'net\n' };
    const sha = await repository.commit(files, 'Second');
    expect(await deliver(hook, pushOf(sha))).toBe(202);
    expect(await deliver(hook, pushOf(sha))).toBe(204);
    expect(await deliver({ ...hook, 'webhook-key': 'whsec_guessed' }, pushOf(sha), 'delivery-2')).toBe(404);
    const versionId = await onlyVersion(workspaceId);
    await steps.versionBecomes(versionId, 'uploaded');
    const downloaded = await service.download(versionId);
    expect(await filesIn(downloaded)).toMatchObject(files);

    const agent = steps.agent(await steps.agentToken());
    const planning = await agent.claimed();
    expect((await planning.configuration()).bytes.equals(downloaded)).toBe(true);
    expect((await planning.planned()).status).toBe(200);
    await steps.ask('POST', `/runs/${planning.runId}/actions/apply`);
    const applying = await agent.claimed();
    expect([applying.runId, applying.phase]).toEqual([planning.runId, 'apply']);
    await applying.applied();
    expect((await steps.runs(workspaceId)).map(({ id }) => id)).toEqual([planning.runId]);
    await steps.versionBecomes(versionId, 'archived');
    expect((await service.api('GET', `/configuration-versions/${versionId}/download`)).status).toBe(404);
    await until('the bytes are gone', async () => !(await textBelow(join(dataDir, 'bundles'))).length);

    // Later pushes are not included: the version's own commit is fetched again.
    await repository.commit({ 'main.tf': 'three\n' }, 'Third');
    const runId = await steps.run(workspaceId, versionId);
    const again = await agent.claimed();
    expect(again.runId).toBe(runId);
    expect(await filesIn((await again.configuration()).bytes)).toMatchObject(files);
    await again.planned(false);
    await steps.runBecomes(runId, 'planned_and_finished');
    expect(await service.statusOf(versionId)).toBe('archived');

    const told = [await shown(workspaceId), ...answers, service.printed].join('\n');
    expect(server.requests.some(({ authorization }) => authorization === `Basic ${encoded}`)).toBe(true);
    await service.prints('/hooks/vcs/:id');
    for (const secret of [password, encoded]) {
      expect(told).not.toContain(secret);
      expect(await textBelow(dataDir)).not.toContain(secret);
    }
    expect(service.printed).not.toContain(hook['webhook-key']);
    expect(await fetchDirectories()).toEqual([]);
    expect(await service.end()).toBe(0);
  });

  it('gives a policy set what is below its policies path, at the link and after a push', async () => {
    await serve();
    await start();
    await service.provision();
    const policies = (...names: readonly string[]) => ({
      'sets/net/policies.hcl': names.map((name) => `policy "${name}" {\n  query = "data.${name}"\n}\n`).join(''),
      'sets/net/lib/rules.rego': 'package rules\n',
    });
    await repository.commit(policies('owners'), 'Policies');
    const made = await steps.ask('POST', '/organizations/acme/policy-sets', {
      data: {
        type: 'policy-sets',
        attributes: {
          name: 'net',
          kind: 'opa',
          'policies-path': 'sets/net',
          'vcs-repo': { 'clone-url': cloneUrl(), credential: 'deploy' },
        },
      },
    });
    const hook = made.attributes['vcs-repo'];
    const policiesBecome = (...names: readonly string[]) =>
      until(`the set has the policies ${names}`, async () => {
        const { json } = await service.api('GET', `/policy-sets/${made.id}?include=current_version`);
        const found = json.data.attributes.policies.map(({ name }: Json) => name);
        return found.join() === names.join() && json.included[0].attributes;
      });
    await policiesBecome('owners');
    const sha = await repository.commit(policies('owners', 'size'), 'More policies');
    expect(await deliver(hook, pushOf(sha))).toBe(202);
    expect(await policiesBecome('owners', 'size')).toMatchObject({
      source: 'github',
      status: 'ready',
      'ingress-attributes': { branch: 'main', 'commit-sha': sha, 'commit-message': 'Pushed' },
    });
    expect(await deliver(hook, pushOf(sha), 'delivery-2')).toBe(204);
    expect(await fetchDirectories()).toEqual([]);
    expect(service.printed).not.toContain(hook['webhook-key']);
  });

  it('refuses a private host that is not allowed with a reason that names the setting', async () => {
    await serve();
    await start({ VCS_ALLOWED_HOSTS: '' });
    const workspaceId = await service.provision();
    const hook = await link(workspaceId);
    expect(await deliver(hook, pushOf('ab'.repeat(20)))).toBe(202);
    const version = await steps.versionBecomes(await onlyVersion(workspaceId), 'errored');
    expect(version.attributes['error-message']).toContain('VCS_ALLOWED_HOSTS');
    expect(server.requests).toEqual([]);
    expect(await steps.runs(workspaceId)).toEqual([]);
    expect((await service.api('GET', '/admin/failing-effects')).json.data).toEqual([]);
  });

  it('says what is wrong with a credential, and fetches once it is mended, without a restart', async () => {
    await serve();
    await start();
    const workspaceId = await service.provision();
    const reasonFor = async (credential: string | null): Promise<string> => {
      await link(workspaceId, credential);
      const { id } = await steps.ask('POST', `/workspaces/${workspaceId}/actions/fetch`);
      return (await steps.versionBecomes(id, 'errored')).attributes['error-message'];
    };
    expect(await reasonFor(null)).toContain('it requires a credential');
    expect(await reasonFor('unknown')).toBe('there is no credential named "unknown" on the server');
    const elsewhere = `url=http://${server.host}/elsewhere\nusername=deployer\npassword=${password}\n`;
    await writeFile(join(credentialsDir, 'later'), elsewhere);
    const sentence = await reasonFor('later');
    expect(sentence).toContain('not for this repository');
    expect(sentence).not.toContain(password);

    await writeFile(join(credentialsDir, 'later'), elsewhere.replace('/elsewhere', '/harbour'));
    const { id } = await steps.ask('POST', `/workspaces/${workspaceId}/actions/fetch`);
    await steps.versionBecomes(id, 'uploaded');
  });

  it('fetches again, for a run, what it fetched where no branch is the default one', async () => {
    await serve({});
    const sha = await repository.commit({ 'main.tf': 'detached\n' }, 'Detached');
    await repository.git('--git-dir', join(root, 'served', 'harbour/app.git'), 'update-ref', '--no-deref', 'HEAD', sha);
    await start();
    const workspaceId = await service.provision();
    await link(workspaceId, null);
    const { id } = await steps.ask('POST', `/workspaces/${workspaceId}/actions/fetch`);
    await steps.versionBecomes(id, 'uploaded');
    const commit = await steps.ask('GET', `/configuration-versions/${id}/ingress-attributes`);
    expect(commit.attributes).toMatchObject({ branch: '', 'commit-sha': sha, 'on-default-branch': false });
    const [first] = await queuedRuns(workspaceId);
    await steps.ask('POST', `/runs/${first.id}/actions/cancel`);
    await steps.versionBecomes(id, 'archived');
    await steps.runBecomes(await steps.run(workspaceId, id), 'plan_queued');
  });

  it('ends soon though its git server says nothing, and fetches after the next start', async () => {
    await serve({ hangs: 'always' });
    const { port } = server;
    await start();
    const workspaceId = await service.provision();
    await link(workspaceId);
    const { id } = await steps.ask('POST', `/workspaces/${workspaceId}/actions/fetch`);
    await until('the git server is asked', async () => server.requests.length > 0);
    expect(server.requests[0]?.authorization).toBe(`Basic ${encoded}`);
    const running = await commandLines();
    expect(running).toContain(cloneUrl());
    for (const secret of [password, encoded]) expect(running).not.toContain(secret);
    const begun = performance.now();
    expect(await service.end('SIGTERM')).toBe(0);
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(await fetchDirectories()).toEqual([]);

    await server.stop();
    await serve({ ...protectedByPassword, port });
    await start();
    await steps.versionBecomes(id, 'uploaded');
    expect((await service.api('GET', '/admin/failing-effects')).json.data).toEqual([]);
    expect(await queuedRuns(workspaceId)).toHaveLength(1);
  });

  it('fetches what a killed process was fetching, and takes away what that one left', async () => {
    await serve({ hangs: 'packs' });
    const { port } = server;
    await start();
    const workspaceId = await service.provision();
    await link(workspaceId, null);
    const { id } = await steps.ask('POST', `/workspaces/${workspaceId}/actions/fetch`);
    await until('something is fetched', async () => (await fetchDirectories()).length > 0);
    await until('the git server is asked', async () => server.requests.length > 1);
    await service.end('SIGKILL');
    expect(await fetchDirectories()).toHaveLength(1);

    await server.stop();
    await serve({ port });
    await start();
    await steps.versionBecomes(id, 'uploaded');
    expect(await filesIn(await service.download(id))).toEqual({ 'main.tf': 'one\n' });
    expect(await queuedRuns(workspaceId)).toHaveLength(1);
    expect(await fetchDirectories()).toEqual([]);
  });
});
