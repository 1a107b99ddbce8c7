import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { SealedSecretBox } from '../../src/adapters/system/sealed-secret-box.js';
import { commands } from '../../src/infrastructure/cli/commands.js';
import { runCommandLine } from '../../src/infrastructure/cli/run-command-line.js';
import type { Command } from '../../src/infrastructure/cli/toolkit/command.js';
import { size, table } from '../../src/infrastructure/cli/toolkit/output.js';
import { nodeFault } from '../../src/infrastructure/node-version.js';
import { archiveOf } from '../support/archives.js';
import { gatehouse, program } from '../support/command-line.js';
import { freshDatabase, freshSchema, onPostgres, skipPostgres } from '../support/databases.js';
import { inTemporaryDirectory, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { noteSecretsOf } from '../support/secrets-in-logs.js';
import { ServiceSteps, until } from '../support/service-steps.js';

type Environment = Readonly<Record<string, string>>;

/** Runs the command in this process, as in a terminal, which a test does not have. */
async function typed(words: readonly string[], environment: Environment, isTTY = true, given = commands) {
  let out = '';
  let err = '';
  const status = await runCommandLine(words, given, {
    environment,
    out: {
      isTTY,
      write: (text) => {
        out += text;
      },
    },
    err: {
      isTTY,
      write: (text) => {
        err += text;
      },
    },
  });
  noteSecretsOf(out);
  // biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
  const json: any = isTTY || out === '' ? undefined : JSON.parse(out);
  return { status, out, err, json };
}

const piped = (words: readonly string[], environment: Environment, given = commands) =>
  typed(words, environment, false, given);

const statusWith = async (service: ServiceProcess, token: string, path = '/account/details'): Promise<number> =>
  (await fetch(service.url + path, { headers: { Authorization: `Bearer ${token}` } })).status;

const secretForm = /^gatehouse\.v1\.\w{48}$/;

describe('the command line, while a service runs on SQLite', () => {
  let directory: string;
  let service: ServiceProcess;
  let environment: Environment;

  beforeAll(async () => {
    directory = await temporaryDirectory();
    service = await ServiceProcess.start({ DATA_DIR: directory });
    environment = { DATA_DIR: directory, PORT: new URL(service.url).port };
    await service.provision();
    const team = { data: { type: 'teams', attributes: { name: 'platform', visibility: 'secret' } } };
    await service.api('POST', '/organizations/acme/teams', team);
  });

  afterAll(async () => {
    await service.end();
    await rm(directory, { recursive: true, force: true });
  });

  it('makes users, and suspends them, and the service knows at once', async () => {
    const added = await gatehouse(['user', 'add', 'alice', '--email', 'alice@example.com'], environment);
    const id = expect.stringMatching(/^user-/);
    expect(added).toMatchObject({ status: 0, err: '', json: { id, username: 'alice', 'is-admin': false } });
    const secret: string = added.json['authentication-token'].token;
    expect(secret).toMatch(secretForm);
    expect(await statusWith(service, secret)).toBe(200);
    expect(await statusWith(service, secret, '/admin/users')).toBe(404);

    expect(await piped(['user', 'suspend', 'ALICE'], environment)).toMatchObject({ status: 0, err: '' });
    expect(await statusWith(service, secret)).toBe(401);
    const { json } = await piped(['user', 'list'], environment);
    expect(json).toMatchObject([{ username: 'admin' }, { username: 'alice', 'is-suspended': true }]);
    expect((await typed(['user', 'unsuspend', 'alice'], environment)).out).toBe('alice was unsuspended\n');
    expect(await statusWith(service, secret)).toBe(200);
  });

  it('makes site administrators when asked to', async () => {
    const words = ['user', 'add', 'root', '--email=root@example.com', '--site-administrator'];
    const { json } = await piped(words, environment);
    expect(await statusWith(service, json['authentication-token'].token, '/admin/users')).toBe(200);
  });

  it('shows people a table, with how many there are', async () => {
    const { out, err } = await typed(['user', 'list'], environment);
    const [head = '', first = '', ...more] = out.split('\n');
    expect(head).toMatch(/^NAME {2,}EMAIL {2,}IS {2,}SINCE {2,}ID$/);
    expect(first).toMatch(/^admin {2,}admin@localhost {2,}site administrator {2,}\S+Z {2,}user-\w+$/);
    expect(first.indexOf('admin@')).toBe(head.indexOf('EMAIL'));
    expect(more.at(-2)).toMatch(/^\d users$/);
    expect(err).toBe('');
    expect(JSON.parse((await typed(['user', 'list', '--json'], environment)).out)).toBeInstanceOf(Array);
  });

  it.each([
    ['user', 'admin', '/account/details'],
    ['team', 'acme/platform', '/organizations/acme'],
    ['team', 'acme/owners', '/organizations/acme'],
    ['organization', 'acme', '/organizations/acme'],
    ['audit-trails', 'acme', '/organizations/acme/audit-events'],
  ])('issues a token to a %s, %s, and revokes it', async (kind, name, path) => {
    const issued = await piped(['token', 'issue', `--${kind}`, name, '--expires', '2099-01-01T00:00:00Z'], environment);
    expect(issued).toMatchObject({
      status: 0,
      err: '',
      json: { [kind]: name, token: expect.stringMatching(secretForm), 'expired-at': '2099-01-01T00:00:00.000Z' },
    });
    expect(await statusWith(service, issued.json.token, path)).toBe(200);
    const list = kind === 'user' ? ['--user', name] : ['--organization', 'acme'];
    const listed = await piped(['token', 'list', ...list], environment);
    const row = listed.json.find(({ id }: { id: string }) => id === issued.json.id);
    expect(row).toMatchObject({
      of: kind === 'audit-trails' ? 'acme (audit-trails)' : name,
      'expired-at': '2099-01-01T00:00:00.000Z',
    });
    expect(listed.out).not.toContain(issued.json.token);
    const which = kind === 'user' ? ['--id', issued.json.id] : [`--${kind}`, name];
    expect(await piped(['token', 'revoke', ...which], environment)).toMatchObject({
      status: 0,
      json: { revoked: true },
    });
    expect(await statusWith(service, issued.json.token, path)).toBe(401);
  });

  it('issues no more tokens to a user than the service does', async () => {
    const refused = await piped(['token', 'issue', '--user', 'admin'], { ...environment, MAX_TOKENS_PER_USER: '1' });
    expect(refused).toMatchObject({ status: 1, err: expect.stringContaining('MAX_TOKENS_PER_USER') });
  });

  it('prints a link that signs a user in, and none for who may not', async () => {
    const asked = ['sign-in-link', '--user', 'admin'];
    const { json } = await piped(asked, environment);
    expect(json).toEqual({
      user: 'admin',
      'expired-at': expect.any(String),
      link: expect.stringMatching(/^http:\/\/[^/]+\/app\/sign-in#code=gatehouse\.v1\.\w{48}~admin$/),
    });
    expect((await typed(asked, environment)).out).toMatch(/sign in as admin. It is valid until .*, once:\n\n {2}http/);
    await piped(['user', 'add', 'sleeping', '--email', 'sleeping@example.com'], environment);
    await piped(['user', 'suspend', 'sleeping'], environment);
    for (const [words, err] of [
      [['--user', 'sleeping'], 'there is no active user sleeping'],
      [['--user', 'unknown'], 'there is no user unknown'],
    ] as const) {
      expect(await typed(['sign-in-link', ...words], environment)).toMatchObject({
        status: 1,
        err: expect.stringContaining(err),
      });
    }
  });

  it('says on a terminal that a secret is shown only now, and nowhere but there', async () => {
    const { out, err } = await typed(['token', 'issue', '--user', 'admin'], environment);
    expect(out).toMatch(/is shown only once:\n\n {2}TOKEN=gatehouse\.v1\.\w{48}\n/);
    expect(err).toBe('');
    const secret = /gatehouse\.v1\.\w+/.exec(out)?.[0] ?? '';
    expect(await statusWith(service, secret)).toBe(200);
    expect(service.printed).not.toContain(secret);
    for (const name of ['gatehouse.sqlite', 'gatehouse.sqlite-wal']) {
      expect((await readFile(join(directory, name), 'latin1')).includes(secret)).toBe(false);
    }
  });

  it('revokes by id a team’s token and an agent’s, and says where an organization’s are revoked', async () => {
    const team = await piped(['token', 'issue', '--team', 'acme/platform'], environment);
    expect(await piped(['token', 'revoke', '--id', team.json.id], environment)).toMatchObject({ status: 0 });
    const agentToken = await new ServiceSteps(service).agentToken('acme');
    const pools = (await service.api('GET', '/organizations/acme/agent-pools')).json.data;
    const path = `/agent-pools/${pools[0].id}/authentication-tokens`;
    const [{ id }] = (await service.api('GET', path)).json.data;
    expect(await piped(['token', 'revoke', '--id', id], environment)).toMatchObject({ status: 0 });
    const claim = { method: 'POST', headers: { Authorization: `Bearer ${agentToken}` }, body: '{"name":"x"}' };
    expect((await fetch(`${service.url}/agent/v1/claims?wait=0`, claim)).status).toBe(401);
    for (const kind of ['--organization', '--audit-trails']) {
      const own = await piped(['token', 'issue', kind, 'acme'], environment);
      const refused = await piped(['token', 'revoke', '--id', own.json.id], environment);
      expect(refused).toMatchObject({ status: 2, err: expect.stringContaining(kind) });
    }
    const gone = await piped(['token', 'revoke', '--id', 'at-none'], environment);
    expect(gone).toMatchObject({ status: 1, err: 'there is no token at-none\n' });
  });

  it('makes, shows and deletes organizations, in the name of an owner', async () => {
    const owner = await piped(['user', 'add', 'olivia', '--email', 'olivia@example.com'], environment);
    const words = ['organization', 'create', 'globex', '--email', 'ops@globex.example', '--owner', 'olivia'];
    expect(await piped(words, environment)).toMatchObject({ status: 0, json: { name: 'globex' } });
    const token: string = owner.json['authentication-token'].token;
    expect(await statusWith(service, token, '/organizations/globex/organization-memberships')).toBe(200);
    expect((await piped(['organization', 'list'], environment)).json).toMatchObject([
      { name: 'acme' },
      { name: 'globex' },
    ]);
    const shown = await piped(['organization', 'show', 'globex'], environment);
    expect(shown.json).toMatchObject({ owners: ['olivia'], members: 1, teams: 1, workspaces: 0 });
    expect((await typed(['organization', 'show', 'globex'], environment)).out).toMatch(/^owners +olivia$/m);
    // Again: the name is taken.
    expect(await piped(words, environment)).toMatchObject({ status: 1, err: 'Name has already been taken\n' });

    const hesitant = await piped(['organization', 'delete', 'globex'], environment);
    expect(hesitant).toMatchObject({ status: 2, err: expect.stringContaining('--yes') });
    expect((await piped(['organization', 'delete', 'globex', '--yes'], environment)).status).toBe(0);
    expect(await statusWith(service, token, '/organizations/globex')).toBe(404);
  });

  it('creates a site agent pool with tokens of it, lists and removes them', async () => {
    const created = await piped(['agent-pool', 'create', 'racks'], environment);
    expect(created).toMatchObject({ status: 0, json: { name: 'racks', id: expect.stringMatching(/^apool-/) } });
    expect((await piped(['agent-pool', 'create', 'racks'], environment)).status).not.toBe(0);
    const listed = await piped(['agent-pool', 'list'], environment);
    expect(listed.json.map(({ name }: { name: string }) => name)).toContain('racks');
    const issued = await piped(['agent-pool', 'issue-token', 'racks', '--description', 'rack 4'], environment);
    expect(issued.json).toMatchObject({ 'agent-pool': 'racks', description: 'rack 4', token: expect.any(String) });
    const claim = async () => {
      const headers = { Authorization: `Bearer ${issued.json.token}`, 'Content-Type': 'application/json' };
      return (await fetch(`${service.url}/agent/v1/claims`, { method: 'POST', headers, body: '{"name":"x"}' })).status;
    };
    expect(await claim()).toBeLessThan(300);
    const tokens = await piped(['agent-pool', 'list-tokens', 'racks'], environment);
    expect(tokens.json).toMatchObject([{ id: issued.json.id, description: 'rack 4' }]);
    expect(tokens.out).not.toContain(issued.json.token);
    expect((await piped(['agent-pool', 'revoke-token', issued.json.id], environment)).status).toBe(0);
    expect(await claim()).toBe(401);
    const hesitant = await piped(['agent-pool', 'remove', 'racks'], environment);
    expect(hesitant).toMatchObject({ status: 2, err: expect.stringContaining('--yes') });
    expect((await piped(['agent-pool', 'remove', 'racks', '--yes'], environment)).status).toBe(0);
    const missing = await piped(['agent-pool', 'list-tokens', 'racks'], environment);
    expect(missing).toMatchObject({ status: 1, err: expect.stringContaining('there is no site agent pool racks') });
  });

  it('names what it made, and itself, where the service shows who did it', async () => {
    const { json } = await piped(['token', 'issue', '--team', 'acme/platform'], environment);
    const shown = await service.api('GET', `/authentication-tokens/${json.id}`);
    expect(shown.json.data.relationships['created-by'].data.id).toBe('operator');
    const trail = await service.api('GET', '/organizations/acme/audit-events');
    expect(trail.json.data[0].attributes).toMatchObject({
      action: 'team-tokens/manage',
      outcome: 'done',
      'actor-id': 'operator',
      'token-id': 'command-line',
      route: 'gatehouse token issue',
      address: null,
    });
    const own = await piped(['token', 'issue', '--user', 'admin'], environment);
    await piped(['token', 'revoke', '--id', own.json.id], environment);
    const ofSite = await service.api('GET', '/admin/audit-events?filter[actor]=operator&page[size]=2');
    for (const event of ofSite.json.data) {
      expect(event.attributes).toMatchObject({
        subject: own.json.id,
        'actor-id': 'operator',
        'token-id': 'command-line',
      });
    }
    const owned = ['organization', 'create', 'initech', '--email', 'ops@initech.example', '--owner', 'admin'];
    await piped(owned, environment);
    const [made] = (await service.api('GET', '/admin/audit-events?page[size]=1')).json.data;
    expect(made.attributes).toMatchObject({ action: 'organizations/create', 'actor-id': 'operator' });
    await piped(['organization', 'delete', 'initech', '--yes'], environment);
  });

  it('lists who can do something, and prints the access report as CSV or JSON lines', async () => {
    const whoCan = (...more: readonly string[]) => ['access', 'who-can', 'acme', 'runs/apply', ...more];
    const { json } = await piped(whoCan('--workspace', 'api'), environment);
    expect(json.data[0]).toMatchObject({ kind: 'user', name: 'admin', invited: false, action: 'runs/apply' });
    expect(json['may-become']).toMatchObject({ complete: true });
    const { out } = await typed(
      ['access', 'who-can', 'acme', 'projects/delete', '--project', 'Default Project'],
      environment,
    );
    expect(out).toMatch(/^NAME {2,}KIND {2,}IS {2,}UNTIL {2,}THROUGH\nadmin {2,}user {2,}- {2,}- {2,}owners\n/);
    for (const wrong of [
      whoCan('--workspace', 'api', '--project', 'a'),
      ['access', 'who-can', 'acme', 'nothing/at-all'],
    ]) {
      expect(await typed(wrong, environment)).toMatchObject({ status: 2 });
    }
    for (const missing of [whoCan('--project', 'nowhere'), ['access', 'report', 'nowhere']]) {
      expect(await typed(missing, environment)).toMatchObject({ status: 1 });
    }
    const report = await typed(['access', 'report', 'acme'], environment);
    expect(report).toMatchObject({ status: 0, err: '' });
    expect(report.out).toMatch(/^person,person-id,.*\r\nadmin,user-.*\r\nrows in all,\d+,.*\r\n$/s);
    const lines = (await typed(['access', 'report', 'acme', '--json'], environment)).out.trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ rows: lines.length - 1 });
  });

  it('lists audit events by person, workspace, outcome and time, and deletes a user with or without their name', async () => {
    const events = async (...options: readonly string[]) =>
      (await piped(['audit', 'list', 'acme', ...options], environment)).json as readonly Record<string, unknown>[];
    const [newest, ...older] = await events('--outcome', 'done', '--without-routine');
    expect(older.length).toBeGreaterThan(0);
    const [created] = await events('--user', 'ADMIN', '--workspace', 'api', '--limit', '1');
    expect(created).toMatchObject({ 'actor-name': 'admin', 'workspace-name': 'api' });
    expect(await events('--since', String(newest?.at))).toEqual([newest]);
    expect(await events('--until', '2000-01-01T00:00:00Z')).toEqual([]);
    expect(await events('--user', 'nobody')).toEqual([]);
    const { out } = await typed(['audit', 'list', 'acme', '--limit', '1'], environment);
    expect(out).toMatch(/^AT {2,}ACTOR {2,}ACTION {2,}SUBJECT {2,}WORKSPACE {2,}OUTCOME\n/);
    for (const wrong of [
      ['--limit', '0'],
      ['--since', 'yesterday'],
      ['--outcome', 'bad'],
    ]) {
      expect(await typed(['audit', 'list', 'acme', ...wrong], environment)).toMatchObject({ status: 2 });
    }
    for (const missing of [
      ['audit', 'list', 'nowhere'],
      ['audit', 'list', 'acme', '--workspace', 'nowhere'],
    ]) {
      expect(await typed(missing, environment)).toMatchObject({ status: 1 });
    }
    for (const [name, ...options] of [['leaver'], ['forgotten', '--erase']] as const) {
      const added = await piped(['user', 'add', name, '--email', `${name}@example.com`], environment);
      const deleted = await piped(['user', 'delete', name, ...options], environment);
      expect(deleted.json).toEqual({ id: added.json.id, deleted: true, erased: options.length > 0 });
      expect(await statusWith(service, added.json['authentication-token'].token)).toBe(401);
      const path = `/admin/audit-events?filter[actor]=operator&page[size]=1`;
      const [event] = (await service.api('GET', path)).json.data;
      expect(event.attributes).toMatchObject({
        subject: added.json.id,
        'subject-name': options.length > 0 ? 'deleted user' : name,
      });
    }
  });

  it('finds nothing wrong, and nothing to take away', async () => {
    const examined = await gatehouse(['doctor'], environment);
    expect(examined).toMatchObject({ status: 0, err: '' });
    const findings: readonly { check: string; state: string; found: string }[] = examined.json.findings;
    expect(findings.filter(({ state }) => state === 'failed')).toEqual([]);
    const found = findings.map(({ check, found }) => `${check}: ${found}`).join('\n');
    for (const wanted of [
      /database: .* is intact/,
      /archive store: .*writes, reads/,
      /port: a Gatehouse service is running/,
    ]) {
      expect(found).toMatch(wanted);
    }
    await until('the service has taken away what was deleted', async () => {
      const { json } = await piped(['gc', '--dry-run'], environment);
      return json.found.length === 0;
    });
  });

  it('leaves the schema of a running service alone', async () => {
    const { status, err } = await piped(['migrate'], environment);
    expect({ status, err }).toEqual({ status: 1, err: expect.stringMatching(/^a running service uses/) });
  });
});

describe('the command line and what it is called with', () => {
  const nowhere = { DATA_DIR: '/nonexistent/for/sure' };

  it.each([
    [['usr', 'add'], 'did you mean user add?'],
    [['user', 'ad'], 'did you mean user add?'],
    [['docter'], 'did you mean doctor?'],
    [['user', 'add', 'x', '--emial', 'x@example.com'], 'did you mean --email?'],
    [['user', 'add', 'x'], '--email is required'],
    [['user', 'add', '--email', 'x@example.com'], 'missing argument NAME'],
    [['user', 'add', 'x', 'y', '--email', 'x@example.com'], 'unexpected argument "y"'],
    [['token', 'issue'], 'exactly one of --user, --team, --organization, --audit-trails is required'],
    [['token', 'issue', '--user', 'a', '--team', 'b/c'], 'exactly one of'],
    [['token', 'issue', '--user', 'a', '--expires', 'tomorrow'], '--expires must be an ISO 8601'],
    [['gc', '--dry-run=yes'], 'does not take an argument'],
  ])('ends with 2 for %j, and says what is meant', async (words, sentence) => {
    const { status, out, err } = await typed(words, nowhere);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.split('\n')).toHaveLength(2);
  });

  it('prints the usage of each command, and of all', async () => {
    const all = await typed(['--help'], nowhere);
    expect(all.status).toBe(0);
    for (const command of commands) {
      expect(all.out).toContain(`  ${command.name} `.trimEnd());
      const { status, out } = await typed([...command.name.split(' '), '--help'], {});
      expect({ status, out }).toEqual({ status: 0, out: expect.stringContaining(`Usage: gatehouse ${command.name}`) });
      for (const name of Object.keys(command.options ?? {})) expect(out).toContain(`--${name}`);
    }
    expect((await typed(['help', 'user', 'add'], {})).out).toContain('--site-administrator');
    const group = await typed(['token', '--help'], {});
    expect(group.out).toContain('token issue');
    expect(group.out).not.toContain('user add');
    expect(await typed([], {})).toMatchObject({ status: 2, out: '', err: all.out });
    expect((await typed(['serve', '--help'], {})).out).toContain('SIGNING_SECRET');
    expect((await typed(['--version'], {})).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('names every fault of the configuration, and a database that is not there', async () => {
    const { status, err } = await typed(['user', 'list'], { PORT: 'x', LOG_LEVEL: 'loud' });
    expect({ status, err }).toEqual({
      status: 1,
      err: expect.stringMatching(/2 errors:\n {2}PORT: .*\n {2}LOG_LEVEL: /),
    });
    const none = await typed(['user', 'list'], nowhere);
    expect(none).toMatchObject({
      status: 1,
      err: expect.stringMatching(/ does not exist\. .*gatehouse migrate to create it\n$/),
    });
  });

  it('shows progress to people only, and takes it away', async () => {
    const slow: Command = {
      name: 'slow',
      does: 'takes its time',
      run: async ({ progress }) => {
        progress.print('1 of 2');
        return { json: {}, text: 'done' };
      },
    };
    expect(await typed(['slow'], {}, true, [slow])).toMatchObject({ out: 'done\n', err: '\r1 of 2\r      \r' });
    expect(await piped(['slow'], {}, [slow])).toMatchObject({ out: '{}\n', err: '' });
  });

  it('does not let names steer a terminal', () => {
    expect(table(['a'], [['x\u001b[2Jy']])).toBe('A\nx?[2Jy');
    expect(
      table(
        ['name', 'bytes'],
        [
          ['x', 5],
          ['y', null],
          ['z', 1000],
        ],
      ),
    ).toBe('NAME  BYTES\nx         5\ny         -\nz      1000');
    expect([0, 999, 1000, 1_234_567].map(size)).toEqual(['0 bytes', '999 bytes', '1.00 kB', '1.23 MB']);
  });

  it('refuses a Node that is too old before anything else', () => {
    expect(nodeFault('20.20.2')).toMatch(/22\.\d+ or later; this is 20\.20\.2$/);
    expect(nodeFault('22.3.0')).toBeDefined();
    for (const version of ['22.15.0', '24.0.0']) expect(nodeFault(version)).toBeUndefined();
  });
});

describe('the doctor', () => {
  /** The complaints of `doctor`, by check. */
  const complaints = async (environment: Environment) => {
    const { status, json } = await piped(['doctor'], { PORT: '0', ...environment });
    const findings: readonly { check: string; state: string; found: string; mend: string | null }[] = json.findings;
    for (const { state, mend } of findings) expect(mend === null).toBe(state === 'ok');
    expect(status).toBe(findings.some(({ state }) => state === 'failed') ? 1 : 0);
    // A complaint about the test machine itself.
    const about = findings.filter(({ check }) => !['Node', 'disk', 'git'].includes(check));
    return about.filter(({ state }) => state !== 'ok').map(({ check, state, found }) => `${check} ${state}: ${found}`);
  };
  const used = async (test: (directory: string) => Promise<void>) =>
    inTemporaryDirectory(async (above) => {
      const directory = join(above, 'data');
      expect((await piped(['migrate'], { DATA_DIR: directory })).status).toBe(0);
      await writeFile(join(directory, 'signing-secret'), `${'s'.repeat(40)}\n`, { mode: 0o600 });
      await test(directory);
    });
  const one = (text: string | RegExp) => [expect.stringMatching(text)];

  it('is content with a directory that was used, and hopeful before the first start', async () => {
    await used(async (DATA_DIR) => expect(await complaints({ DATA_DIR })).toEqual([]));
    await inTemporaryDirectory(async (directory) => {
      const DATA_DIR = join(directory, 'none', 'yet');
      const found = await complaints({ DATA_DIR });
      expect(found.map((line) => line.split(':')[0])).toEqual(
        ['data directory', 'database', 'archive store'].map((check) => `${check} warning`),
      );
    });
  });

  it('finds what others may read, and what lies about', async () => {
    await used(async (DATA_DIR) => {
      await chmod(DATA_DIR, 0o755);
      await chmod(join(DATA_DIR, 'signing-secret'), 0o640);
      await writeFile(join(DATA_DIR, 'admin-token'), 'x');
      expect(await complaints({ DATA_DIR })).toEqual([
        expect.stringMatching(/^data directory failed: .*accessible to other users \(755\)/),
        expect.stringMatching(/^signing secret failed: .*readable by other users \(640\)/),
        expect.stringMatching(/^first token warning: .*admin-token/),
      ]);
      const { out } = await typed(['doctor'], { DATA_DIR, PORT: '0' });
      expect(out).toMatch(/^STATE +WHAT +FOUND$/m);
      expect(out).toContain(`chmod 700 ${DATA_DIR}`);
      expect(out).toMatch(/\n2 failed, 1 warning\n$/);
    });
  });

  it('finds team tokens whose issuers have left', async () => {
    await used(async (DATA_DIR) => {
      const database = new Database(join(DATA_DIR, 'gatehouse.sqlite'));
      database.exec(`
        insert into organizations (id, name, email, created_at) values ('org-1', 'acme', 'a@example.com', '');
        insert into teams (id, organization_id, name, name_key, visibility, members_manage_token, organization_access,
          is_owners, created_at, revision) values ('team-1', 'org-1', 'ops', 'ops', 'secret', 1, '[]', 0, '', 1),
          ('team-2', 'org-1', 'dev', 'dev', 'secret', 1, '[]', 0, '', 1);
        insert into api_tokens (id, team_id, secret_digest, created_by_kind, created_by_id, created_at)
          values ('at-1', 'team-1', 'a', 'user', 'user-gone', ''), ('at-2', 'team-2', 'b', 'user', 'operator', '');
      `);
      database.close();
      expect(await complaints({ DATA_DIR })).toEqual([
        'database warning: team tokens issued by users who are no longer members: acme/ops (at-1, issued by user-gone)',
      ]);
    });
  });

  it('lists tokens that live for longer than their organization allows', async () => {
    await used(async (DATA_DIR) => {
      const environment = { DATA_DIR, PORT: '0' };
      await piped(['user', 'add', 'alice', '--email', 'a@example.com'], environment);
      await piped(['organization', 'create', 'acme', '--email', 'o@example.com', '--owner', 'alice'], environment);
      await piped(['token', 'issue', '--user', 'alice'], environment);
      const database = new Database(join(DATA_DIR, 'gatehouse.sqlite'));
      expect(await complaints({ DATA_DIR })).toEqual([]);
      database.exec(`update organizations set settings = '{"maxTtlEnabled":true}'`);
      const ids = database.prepare('select id from api_tokens order by id').pluck().all();
      expect(ids.length).toBeGreaterThan(0);
      database.close();
      expect(await complaints({ DATA_DIR })).toEqual([
        `database warning: tokens that live for longer than their organization allows: ${ids.map((id) => `acme (user token ${id})`).join(', ')}`,
      ]);
      const refused = await piped(['token', 'issue', '--user', 'alice'], environment);
      expect(refused.status).toBe(1);
    });
  });

  it('finds organizations near the limit of what they may keep, and mends a counter that drifted', async () => {
    await used(async (DATA_DIR) => {
      const environment = { DATA_DIR, PORT: '0' };
      await piped(['user', 'add', 'alice', '--email', 'a@example.com'], environment);
      await piped(['organization', 'create', 'acme', '--email', 'o@example.com', '--owner', 'alice'], environment);
      const database = new Database(join(DATA_DIR, 'gatehouse.sqlite'));
      const id = database.prepare('select id from organizations').pluck().get();
      database.prepare("insert into policy_codes values (?, 'digest', ?)").run(id, 'x'.repeat(950));
      const counter = database.prepare('select bytes from kept_bytes').pluck();
      expect(counter.get()).toBe(950);
      expect(await complaints({ DATA_DIR, MAX_ORGANIZATION_BYTES: '1056' })).toEqual([]);
      expect(await complaints({ DATA_DIR, MAX_ORGANIZATION_BYTES: '1000' })).toEqual(
        one(
          /^database warning: these organizations store 90 % of MAX_ORGANIZATION_BYTES \(1\.00 kB\) or more: acme \(950 bytes\)$/,
        ),
      );
      database.exec('update kept_bytes set bytes = 7');
      expect(await complaints({ DATA_DIR })).toEqual(one(/differs from the stored data for acme \(7 bytes\)$/));
      const { json } = await piped(['doctor', '--recount'], environment);
      expect(json.state).not.toBe('failed');
      expect(counter.get()).toBe(950);
      database.close();
      expect(await complaints({ DATA_DIR })).toEqual([]);
    });
  });

  it('finds a secret that is gone, empty, or another one', async () => {
    await used(async (DATA_DIR) => {
      const path = join(DATA_DIR, 'signing-secret');
      await writeFile(path, '\n');
      expect(await complaints({ DATA_DIR })).toEqual(one(/^signing secret failed: .*does not contain a secret/));
      await rm(path);
      expect(await complaints({ DATA_DIR })).toEqual([]);
      const [used, another] = ['u'.repeat(32), 'a'.repeat(32)] as const;
      const database = new Database(join(DATA_DIR, 'gatehouse.sqlite'));
      const { fingerprints } = new SealedSecretBox([used]);
      database.prepare("insert into signing_keys values (?, 1, '')").run(fingerprints[0]);
      database.close();
      expect(await complaints({ DATA_DIR })).toEqual(
        one(/^signing secret failed: .* does not exist, but the database was used with a signing secret/),
      );
      for (const SIGNING_SECRET of [used, `${another},${used}`]) {
        expect(await complaints({ DATA_DIR, SIGNING_SECRET })).toEqual([]);
      }
      const found = await complaints({ DATA_DIR, SIGNING_SECRET: another });
      expect(found).toEqual(one(/^signing secret failed: .*a secret other than SIGNING_SECRET/));
      await writeFile(path, another, { mode: 0o600 });
      expect(await complaints({ DATA_DIR })).toEqual(one(/^signing secret failed: .*a secret other than that in/));
    });
  });

  // Only root can give files away.
  (process.getuid?.() === 0 ? it : it.skip)(
    'leaves alone what belongs to another user, as all commands do',
    async () => {
      await used(async (DATA_DIR) => {
        const environment = { DATA_DIR, PORT: '0' };
        const file = join(DATA_DIR, 'gatehouse.sqlite');
        const before = await readdir(DATA_DIR);
        await chown(file, 10001, 10001);
        const sentence = `${file} belongs to user 10001, but this is user 0. Run the command .* sudo -u '#10001'`;
        const found = await complaints(environment);
        expect(found).toEqual(
          ['database', 'archive store'].map((check) => expect.stringMatching(`^${check} failed: ${sentence}`)),
        );
        for (const words of [
          ['user', 'list'],
          ['migrate'],
          ['gc', '--dry-run'],
          ['verify'],
          ['backup', `${DATA_DIR}-copy`],
        ]) {
          const { status, err } = await piped(words, environment);
          expect({ words, status, err }).toEqual({ words, status: 1, err: expect.stringMatching(`^${sentence}\n$`) });
        }
        expect(await readdir(DATA_DIR)).toEqual(before);
        await rm(file);
        await chown(DATA_DIR, 10001, 10001);
        expect((await piped(['migrate'], environment)).err).toMatch(`${DATA_DIR} belongs to user 10001`);
        expect(await piped(['migrate'], { DATA_DIR: join(DATA_DIR, 'own') })).toMatchObject({ status: 0 });
      });
    },
  );

  // Only root can switch users.
  (process.getuid?.() === 0 ? it : it.skip)(
    'names the user of the service to one who may not look inside',
    async () => {
      await used(async (DATA_DIR) => {
        await chmod(join(DATA_DIR, '..'), 0o755);
        await chmod(DATA_DIR, 0o700);
        process.seteuid?.(10002);
        try {
          for (const words of [['user', 'list'], ['migrate'], ['gc'], ['verify'], ['backup', '/tmp/nowhere']]) {
            const { status, err } = await piped(words, { DATA_DIR });
            const sentence = `${DATA_DIR} belongs to user 0, but this is user 10002. `;
            expect({ words, status, err }).toEqual({ words, status: 1, err: expect.stringContaining(sentence) });
          }
          expect(await complaints({ DATA_DIR })).toContainEqual(
            expect.stringContaining(`database failed: ${DATA_DIR} belongs to user 0`),
          );
        } finally {
          process.seteuid?.(0);
        }
      });
    },
  );

  // Only root can give files away.
  (process.getuid?.() === 0 ? it : it.skip)('asks of all that is opened, and of nothing else', async () => {
    await used(async (DATA_DIR) => {
      const bundles = join(DATA_DIR, 'bundles');
      await mkdir(bundles, { recursive: true });
      await chown(bundles, 10001, 10001);
      expect(await piped(['user', 'list'], { DATA_DIR })).toMatchObject({ status: 0 });
      for (const words of [['gc'], ['verify'], ['backup', `${DATA_DIR}-copy`]]) {
        const { status, err } = await piped(words, { DATA_DIR });
        const sentence = `${bundles} belongs to user 10001, but this is user 0. `;
        expect({ words, status, err }).toEqual({ words, status: 1, err: expect.stringContaining(sentence) });
      }
      // Neither is opened: nothing listens there.
      const DATABASE_URL = 'postgres://127.0.0.1:1/none';
      const { err } = await piped(['user', 'list'], { DATA_DIR, DATABASE_URL });
      expect(err).toContain('ECONNREFUSED');
      await chown(join(DATA_DIR, 'gatehouse.sqlite'), 10001, 10001);
      await chown(bundles, 0, 0);
      expect((await piped(['gc'], { DATA_DIR, DATABASE_URL })).err).toContain('ECONNREFUSED');
    });
  });

  it('finds a disk without room', async () => {
    await used(async (DATA_DIR) => {
      const { status, json } = await piped(['doctor'], { DATA_DIR, PORT: '0', MAX_ARCHIVE_BYTES: String(1e15) });
      const disk = json.findings.find(({ check }: { check: string }) => check === 'disk');
      expect(disk).toMatchObject({
        state: 'failed',
        found: expect.stringMatching(/free, less than the largest upload/),
      });
      expect(status).toBe(1);
    });
  });

  it('finds a database that is damaged, older or newer', async () => {
    await used(async (DATA_DIR) => {
      const file = join(DATA_DIR, 'gatehouse.sqlite');
      const changed = (statement: string) => {
        const database = new Database(file);
        database.exec(statement);
        database.close();
      };
      const refused = { newer: '99991231235959_later.ts', 'before the first release': '0001-initial' };
      for (const [words, name] of Object.entries(refused)) {
        changed(`insert into knex_migrations (name, batch, migration_time) values ('${name}', 9, '')`);
        expect(await complaints({ DATA_DIR })).toEqual(one(new RegExp(`^database failed: a .*${words}.*${name}`)));
        for (const command of [['user', 'list'], ['migrate']]) {
          const err = expect.stringMatching(new RegExp(`^a .*${words}`));
          expect(await piped(command, { DATA_DIR })).toMatchObject({ status: 1, err });
        }
        changed(`delete from knex_migrations where name = '${name}'`);
      }
      changed('delete from knex_migrations');
      expect(await complaints({ DATA_DIR })).toEqual(one(/^database warning: pending migrations: \d{14}_schema/));
      expect(await piped(['user', 'list'], { DATA_DIR })).toMatchObject({
        status: 1,
        err: expect.stringMatching(/gatehouse migrate/),
      });
      await rm(`${file}-wal`, { force: true });
      await writeFile(file, 'this is not a database, but it is long enough to be read as the start of one'.repeat(50));
      expect(await complaints({ DATA_DIR })).toEqual(one(/^database failed: .* is damaged/));
    });
  });

  it('finds faults of the configuration, all of them, and looks no further', async () => {
    expect(await complaints({ PORT: 'x', RATE_LIMIT_PER_SECOND: '2', HOST: '0.0.0.0' })).toEqual([
      expect.stringMatching(/^configuration failed: PORT/),
      expect.stringMatching(/^configuration failed: RATE_LIMIT_PER_SECOND/),
      expect.stringMatching(/^configuration failed: PUBLIC_URL/),
    ]);
  });

  it('finds an address that sends tokens in clear, and a port that is taken', async () => {
    await used(async (DATA_DIR) => {
      const clear = await complaints({ DATA_DIR, PUBLIC_URL: 'http://gatehouse.example' });
      expect(clear).toEqual(one(/^address warning: .*unencrypted/));
      const other = createServer((socket) => socket.destroy());
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as { port: number };
      const taken = await complaints({ DATA_DIR, PORT: String(port) });
      other.close();
      expect(taken).toEqual(one(/^port failed: .* is in use/));
      expect(
        await complaints({ DATA_DIR, HOST: '203.0.113.1', PORT: '8080', PUBLIC_URL: 'https://x.example' }),
      ).toEqual(one(/^port failed: .*EADDRNOTAVAIL/));
    });
  });

  it('finds a store that cannot be used, refuses credentials, or lives at another time', async () => {
    let shift = 0;
    const s3 = await startS3Server({ now: () => Date.now() + shift });
    try {
      await used(async (DATA_DIR) => {
        const environment = { DATA_DIR, ...s3.environment };
        // The SDK reads its credentials from the process.
        Object.assign(process.env, s3.environment);
        expect(await complaints(environment)).toEqual([]);
        expect([...s3.objects.keys()]).toEqual([]);
        shift = 60_000;
        expect(await complaints(environment)).toEqual(
          one(/^archive store failed: the clock differs from the store by (59|60)\.\d seconds/),
        );
        shift = 0;
        expect(await complaints({ ...environment, S3_BUCKET: 'another' })).toEqual(
          one(/^archive store failed: .*"another"/),
        );
        process.env.AWS_SECRET_ACCESS_KEY = 'a-wrong-one-for-tests';
        expect(await complaints(environment)).toEqual(one(/^archive store failed: .*403/));
      });
    } finally {
      for (const name of Object.keys(s3.environment)) delete process.env[name];
      await s3.close();
    }
  });
});

describe('the collection of garbage', () => {
  let directory: string;
  let s3: S3Server;
  let environment: Environment;
  let live: string;
  let deleted: string;

  beforeAll(async () => {
    directory = await temporaryDirectory();
    s3 = await startS3Server();
    // The SDK reads its credentials from the process.
    Object.assign(process.env, s3.environment);
    environment = { DATA_DIR: directory, ...s3.environment, SOFT_DELETE_DAYS: '1', ARCHIVE_DOWNLOAD: 'proxy' };
    const service = await ServiceProcess.start(environment);
    const steps = new ServiceSteps(service);
    const workspace = await service.provision();
    const bytes = await archiveOf({ 'main.tf': '# nothing' });
    deleted = await steps.uploaded(workspace, bytes, { 'auto-queue-runs': false });
    live = await steps.uploaded(workspace, bytes, { 'auto-queue-runs': false });
    await steps.ask('POST', `/api/v2/configuration-versions/${deleted}/actions/soft_delete_backing_data`);
    await service.end();
    const database = new Database(join(directory, 'gatehouse.sqlite'));
    const then = '2026-01-01T00:00:00.000Z';
    const changed = database.prepare('update configuration_versions set purge_at = ? where id = ?').run(then, deleted);
    const ordered = database
      .prepare("update effects set not_before = ?, waits_until = ? where kind = 'purge-backing-data'")
      .run(then, then);
    database.close();
    expect([changed.changes, ordered.changes]).toEqual([1, 1]);
    const old = { etag: '"x"', contentType: 'application/octet-stream', lastModified: Date.now() - 4 * 3600 * 1000 };
    const young = { ...old, lastModified: Date.now() - 2 * 3600 * 1000 };
    s3.objects.set('bundles/bundle-orphan', { ...old, bytes: Buffer.alloc(1234) });
    s3.objects.set('bundles/bundle-young', { ...young, bytes: Buffer.alloc(7) });
    s3.objects.set('bundles/bundle-abandoned', { ...old, bytes: Buffer.alloc(55) });
    s3.objects.set('unsettled/bundle-abandoned', { ...old, bytes: Buffer.alloc(0) });
  });

  afterAll(async () => {
    for (const name of Object.keys(s3.environment)) delete process.env[name];
    await s3.close();
    await rm(directory, { recursive: true, force: true });
  });

  const keys = () => [...s3.objects.keys()].sort();

  it('lists what is of no use, and takes nothing away when it is to list only', async () => {
    const before = keys();
    const { status, err, json } = await gatehouse(['gc', '--dry-run'], environment);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const bytes = json.found.find(({ subject }: { subject: string }) => subject === deleted).bytes;
    expect(bytes).toBeGreaterThan(0);
    expect(json).toEqual({
      'dry-run': true,
      found: [
        { what: 'abandoned upload', subject: 'bundle-abandoned', bytes: 55 },
        { what: 'not referenced', subject: 'bundle-orphan', bytes: 1234 },
        { what: 'soft-deleted, retention period over', subject: deleted, bytes },
      ],
      bytes: 55 + 1234 + bytes,
      failed: [],
      doubt: null,
    });
    expect(keys()).toEqual(before);
  });

  it('takes it away, and nothing else', async () => {
    const { status, json } = await gatehouse(['gc'], environment);
    expect(status).toBe(0);
    expect(json.found).toHaveLength(3);
    expect(keys()).toHaveLength(2);
    expect(keys()).toContain('bundles/bundle-young');
    const again = await piped(['gc', '--dry-run'], environment);
    expect(again.json.found).toEqual([]);
    expect((await piped(['verify'], environment)).json).toEqual({ good: 1, faults: [] });
    const database = new Database(join(directory, 'gatehouse.sqlite'), { readonly: true });
    const statusOf = (id: string) =>
      database.prepare('select status from configuration_versions where id = ?').pluck().get(id);
    expect([statusOf(deleted), statusOf(live)]).toEqual(['backing_data_permanently_deleted', 'uploaded']);
    database.close();
  });

  const strange = (name: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, number) => {
      const key = `bundles/bundle-${name}-${number}`;
      s3.objects.set(key, {
        etag: '"x"',
        contentType: 'application/octet-stream',
        lastModified: Date.now() - 4 * 3600 * 1000,
        bytes: Buffer.alloc(1),
      });
      return key;
    });

  it('refuses a store with mostly unknown archives as that of another database, unless forced', async () => {
    const theirs = strange('theirs', 10);
    const doubt = 'the database references only 1 of 12 archives in the store: is this the store of that database?';
    const { status, err } = await piped(['gc'], environment);
    expect({ status, err }).toEqual({ status: 1, err: expect.stringMatching(/\? .*--own-store.*\n$/) });
    expect(err.startsWith(doubt)).toBe(true);
    expect(keys()).toEqual(expect.arrayContaining([...theirs]));
    expect((await piped(['gc', '--dry-run'], environment)).json).toMatchObject({ found: { length: 10 }, doubt });
    expect((await typed(['gc', '--dry-run'], environment)).out).toMatch(/\n.*database\? If so, add --own-store\.\n$/);
    expect((await piped(['gc', '--own-store'], environment)).status).toBe(0);
    expect(keys().filter((key) => theirs.includes(key))).toEqual([]);
  });

  it('does not take a few that it does not know for a sign of that, nor those it ordered discarded itself', async () => {
    const few = strange('few', 9);
    const ordered = strange('ordered', 12);
    const database = new Database(join(directory, 'gatehouse.sqlite'));
    const order = database.prepare<[string, string]>(
      "insert into effects (kind, lane, subject, payload, attempts) values ('discard-bundle', 'discards', ?, ?, 0)",
    );
    for (const key of ordered) {
      const bundleKey = key.slice('bundles/'.length);
      order.run(bundleKey, JSON.stringify({ bundleKey }));
    }
    database.close();
    expect((await piped(['gc', '--dry-run'], environment)).json).toMatchObject({ found: { length: 21 }, doubt: null });
    expect(await piped(['gc'], environment)).toMatchObject({ status: 0, err: '' });
    expect(keys().filter((key) => [...few, ...ordered].includes(key))).toEqual([]);
  });

  it('refuses a store with only unknown archives as that of another database', async () => {
    await inTemporaryDirectory(async (another) => {
      const wrong = { ...environment, DATA_DIR: another };
      await piped(['migrate'], wrong);
      const [theirs] = strange('theirs', 1);
      const { status, err } = await piped(['gc'], wrong);
      expect({ status, err }).toEqual({
        status: 1,
        err: expect.stringMatching(/^the database references only 0 of \d archives? in the store: /),
      });
      expect(keys()).toContain(theirs);
    });
  });
});

(skipPostgres ? describe.skip : describe)('the command line on Postgres', () => {
  it('migrates, makes a user and an organization, and finds nothing wrong', async () => {
    const { url, drop } = await freshSchema();
    const directory = await temporaryDirectory();
    await mkdir(directory, { recursive: true });
    const environment = { DATA_DIR: directory, DATABASE_URL: url, SIGNING_SECRET: 's'.repeat(40), PORT: '0' };
    try {
      const early = await piped(['user', 'list'], environment);
      expect(early).toMatchObject({
        status: 1,
        err: expect.stringMatching(/pending migrations: \d{14}_schema.*gatehouse migrate/),
      });
      const migrated = await gatehouse(['migrate'], environment);
      expect(migrated.json.migrations).toContainEqual(expect.stringMatching(/^\d{14}_schema/));
      expect((await piped(['migrate'], environment)).json).toEqual({ migrations: [], fills: [] });
      const added = await gatehouse(['user', 'add', 'alice', '--email', 'a@example.com'], environment);
      expect(added).toMatchObject({ status: 0, err: '', json: { username: 'alice' } });
      const words = ['organization', 'create', 'acme', '--email', 'ops@acme.example', '--owner', 'alice'];
      expect(await piped(words, environment)).toMatchObject({ status: 0 });
      expect((await piped(['organization', 'show', 'acme'], environment)).json).toMatchObject({ owners: ['alice'] });
      const issued = await piped(['token', 'issue', '--team', 'acme/owners'], environment);
      expect(issued.json.token).toMatch(secretForm);
      const { json } = await piped(['doctor'], environment);
      const about = json.findings.filter(({ check }: { check: string }) => check === 'database');
      expect(about.map(({ found }: { found: string }) => found).join('\n')).toMatch(/^Postgres \d+\.\d+ responds/);
      expect(about.filter(({ state }: { state: string }) => state === 'failed')).toEqual([]);
    } finally {
      await drop();
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('says in a sentence that it does not answer', async () => {
    const environment = { DATABASE_URL: 'postgres://nobody:hidden-word-of-theirs@127.0.0.1:1/none', PORT: '0' };
    const { status, err } = await piped(['user', 'list'], environment);
    expect({ status, err }).toEqual({
      status: 1,
      err: expect.stringMatching(/^the database does not respond.*ECONNREFUSED.*\n$/),
    });
    const examined = await piped(['doctor'], environment);
    expect(examined.out).toMatch(/ECONNREFUSED/);
    expect(examined.out + err).not.toContain('hidden-word');
  });
});

(skipPostgres ? describe.skip : describe)('moving a service to Postgres and back', () => {
  let directory: string;
  let service: ServiceProcess | undefined;
  let postgres: Awaited<ReturnType<typeof freshDatabase>>;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    postgres = await freshDatabase();
  });

  afterEach(async () => {
    await service?.end();
    await postgres.drop();
    await rm(directory, { recursive: true, force: true });
  });

  /** Kills a move while it copies the trail, which takes long. Another database is asked: a session would be refused. */
  async function killedMove(environment: Environment): Promise<void> {
    const killed = spawn(process.execPath, [program, 'move', '--to', postgres.url], { env: { ...environment } });
    const exited = once(killed, 'exit');
    const name = new URL(postgres.url).pathname.slice(1);
    const copies = `select 1 from pg_stat_activity where datname = '${name}' and query like 'insert into "audit_events"%'`;
    await until('it copies the trail', async () => (await onPostgres(copies)).length > 0);
    killed.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
  }

  it('begins again after it was killed, and until then the target refuses to serve', async () => {
    const environment = { DATA_DIR: directory };
    await piped(['migrate'], environment);
    const file = join(directory, 'gatehouse.sqlite');
    const source = new Database(file);
    source.exec(`insert into audit_events (id, at, actor_kind, action, outcome, count)
      with recursive n as (select 1 as i union all select i + 1 from n where i < 30000)
      select 'ae-' || i, '2020', 'system', 'runs/queue', 'done', 1 from n`);
    source.close();
    const before = await readFile(file);
    await killedMove(environment);
    const onServer = { ...environment, DATABASE_URL: postgres.url, PORT: '0' };
    const sentence = expect.stringContaining('a move to this database has not ended; wait for it, or run the same');
    expect(await gatehouse(['serve'], onServer)).toMatchObject({ status: 1, err: sentence });
    expect(await piped(['user', 'list'], onServer)).toMatchObject({ status: 1, err: sentence });
    const moved = await piped(['move', '--to', postgres.url], environment);
    // Migrations write rows of their own.
    const tables = expect.arrayContaining([expect.objectContaining({ table: 'audit_events', rows: 30_000 })]);
    expect(moved).toMatchObject({ status: 0, err: '', json: { tables, 'not-moved': [] } });
    expect((await readFile(file)).equals(before)).toBe(true);
    const twice = await piped(['move', '--to', postgres.url], environment);
    expect(twice).toMatchObject({ status: 1, err: expect.stringMatching(/^the target is not empty: it has rows in/) });
  });

  it('keeps tokens, upload URLs, leases and sealed values', async () => {
    const data = join(directory, 'data');
    const bytes = await archiveOf({ 'main.tf': 'output "x" {}' });
    const start = async (environment: Environment) => {
      service = await ServiceProcess.start(environment);
      return new ServiceSteps(service);
    };
    const first = await start({ DATA_DIR: data });
    const workspaceId = await first.service.provision();
    const agentToken = await first.agentToken('acme');
    const attributes = { key: 'region', value: 'eu-1', category: 'env' };
    await first.ask('POST', `/workspaces/${workspaceId}/vars`, { data: { type: 'vars', attributes } });
    const versionId = await first.uploaded(workspaceId, bytes);
    const job = await first.agent(agentToken).claimed();
    const { id, uploadUrl } = await first.service.newVersion(workspaceId, { 'auto-queue-runs': false });
    const environment = { DATA_DIR: data };
    const whileItRuns = await piped(['move', '--to', postgres.url], environment);
    expect(whileItRuns).toMatchObject({ status: 1, err: expect.stringMatching(/^a running service uses .*Stop it/) });
    await first.service.end();

    const works = async (environment: Environment) => {
      const steps = await start(environment);
      expect((await steps.service.download(versionId)).equals(bytes)).toBe(true);
      const resumed = steps.agent(agentToken).resumed(job);
      expect((await resumed.heartbeat()).status).toBe(200);
      const [variable] = await steps.ask('GET', `/workspaces/${workspaceId}/vars`);
      expect(variable.attributes).toMatchObject({ key: 'region', value: 'eu-1' });
      return { resumed, service: steps.service };
    };
    const moved = await typed(['move', '--to', postgres.url], environment);
    expect(moved).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^\d+ rows of \d+ tables copied to postgres:/),
    });
    for (const sentence of [
      `Archives remain in ${data}/bundles`,
      'Set SIGNING_SECRET to the content of',
      'Set DATABASE_URL',
    ]) {
      expect(moved.out).toContain(sentence);
    }
    const secret = (await readFile(join(data, 'signing-secret'), 'utf8')).trim();
    const onServer = { ...environment, DATABASE_URL: postgres.url, SIGNING_SECRET: secret };
    const second = await works(onServer);
    const url = second.service.url + new URL(uploadUrl).pathname;
    expect((await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
    expect((await second.resumed.log(0, 'planning\n')).status).toBe(200);
    const back = join(directory, 'back');
    const early = await piped(['move', '--to', back], onServer);
    expect(early).toMatchObject({
      status: 1,
      err: expect.stringMatching(/^the source is in use: .* stop every instance/),
    });
    await second.service.end();

    const returned = await piped(['move', '--to', back], { ...onServer, SIGNING_SECRET: '' });
    expect(returned).toMatchObject({ status: 0, json: { to: `${back}/gatehouse.sqlite` } });
    const [archives, key] = returned.json.next;
    expect(archives).toBe(`Archives were not copied: copy ${data}/bundles to ${back}/bundles.`);
    expect(key).toBe(`Copy ${data}/signing-secret to ${back}/signing-secret.`);
    await cp(join(data, 'bundles'), join(back, 'bundles'), { recursive: true });
    await copyFile(join(data, 'signing-secret'), join(back, 'signing-secret'));
    const last = await works({ DATA_DIR: back });
    expect((await last.resumed.planned()).status).toBe(200);
    expect(await last.service.statusOf(id)).toBe('uploaded');
    await last.service.end();
    expect(await piped(['verify'], { DATA_DIR: back })).toMatchObject({ status: 0, json: { faults: [] } });
  });

  it.each([
    [[], { status: 2, err: expect.stringContaining('--to is required') }],
    [['--to', 'mysql://x/y'], { status: 1, err: '--to must be a postgres:// URL, or a directory for SQLite\n' }],
    [
      ['--to', 'postgres://localhost:1/x'],
      { status: 1, err: expect.stringMatching(/^the database does not respond: .*:1/) },
    ],
    [['--to', '/nonexistent'], { status: 1, err: 'gatehouse backup copies SQLite to a directory\n' }],
  ])('is refused with %j', async (words, expected) => {
    const DATA_DIR = join(directory, 'used');
    await piped(['migrate'], { DATA_DIR });
    expect(await piped(['move', ...words], { DATA_DIR })).toMatchObject(expected);
  });

  it('is refused without a database to move', async () => {
    const DATA_DIR = join(directory, 'nothing');
    const { status, err } = await piped(['move', '--to', postgres.url], { DATA_DIR });
    expect({ status, err }).toEqual({
      status: 1,
      err: `${DATA_DIR}/gatehouse.sqlite does not exist. Check DATA_DIR\n`,
    });
  });
});
