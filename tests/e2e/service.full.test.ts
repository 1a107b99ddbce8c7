import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { loadConfig } from '../../src/infrastructure/config.js';
import { startService } from '../../src/infrastructure/service.js';
import { archiveOf } from '../support/archives.js';
import { built, type Ended, program } from '../support/built-programs.js';
import { gatehouse } from '../support/command-line.js';
import { needing } from '../support/examples.js';
import { adminToken, inTemporaryDirectory, ServiceProcess } from '../support/process.js';

const run = promisify(execFile);
const filesBelow = async (directory: string): Promise<readonly string[]> =>
  existsSync(directory)
    ? (await readdir(directory, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : [];

describe('the command', () => {
  it.each(['main', 'cli/gatehouse', '../agent/main'])('says in one line which Node %s needs', async (name) => {
    // Before anything else is loaded, this Node takes itself for another.
    const older = `data:text/javascript,${encodeURIComponent("Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })")}`;
    const ended = await run(process.execPath, ['--import', older, built(name)]).catch((failure) => failure as Ended);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^Gatehouse requires Node 22\.15 or later; this is 20\.20\.2\. [^\n]+\.\n$/);
  });

  it('refuses words it does not know', async () => {
    expect(await program('main', ['serve'])).toMatchObject({ code: 1, stderr: expect.stringContaining('serve') });
  });

  it('does not serve from a directory that another process serves from', async () => {
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: directory });
      const second = await program('main', [], { DATA_DIR: directory, PORT: '0' });
      await service.end();
      expect(second).toMatchObject({
        code: 1,
        stderr: `another Gatehouse service uses ${directory}. Stop it, or set DATA_DIR to another directory\n`,
      });
    });
  });

  it('says so when its port is taken', async () => {
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: join(directory, 'first') });
      const { port } = new URL(service.url);
      const second = await program('main', [], { DATA_DIR: join(directory, 'second'), PORT: port });
      await service.end();
      expect(second).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(new RegExp(`^cannot listen on 127.0.0.1:${port}: .* Set PORT to a free port`)),
      });
    });
  });

  it('makes no administrator whose generated token it cannot keep', async () => {
    await inTemporaryDirectory(async (directory) => {
      await mkdir(join(directory, 'admin-token.new'));
      const refused = await program('main', [], { DATA_DIR: directory, PORT: '0' });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/^the first administrator's token cannot be stored in .*\n$/);
      await rm(join(directory, 'admin-token.new'), { recursive: true });
      const service = await ServiceProcess.start({ DATA_DIR: directory, ADMIN_TOKEN: '' });
      await service.end();
      expect(await readdir(directory)).toEqual(expect.arrayContaining(['admin-token', 'gatehouse.sqlite']));
    });
  });

  it('shows what to try first', async () => {
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: directory });
      const lines = service.printed.split('\n').filter((line) => line.startsWith('  curl'));
      expect(lines).toHaveLength(3);
      const statuses: string[] = [];
      for (const line of lines) {
        const { stdout } = await run('bash', ['-c', `${line} -o /dev/null -w '%{http_code}'`], {
          env: { PATH: process.env.PATH, TOKEN: adminToken },
        });
        statuses.push(stdout);
      }
      expect(statuses).toEqual(['200', '201', '201']);
      expect(lines.every((line) => line.includes(`${service.url}/api/v2/`))).toBe(true);
      expect(service.printed).toContain(`the console at ${service.url}/app,`);

      const commands = service.printed.match(/(?<=^ {2}gatehouse ).*?(?= *(#|$))/gm) ?? [];
      expect(commands).toHaveLength(2);
      const answers = [];
      for (const words of commands)
        answers.push(await gatehouse([...words.split(' '), '--json'], { DATA_DIR: directory }));
      expect(answers.map(({ status }) => status)).toEqual([0, 0]);
      const claimed = await fetch(`${service.url}/agent/v1/claims`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${answers[1]?.json.token}`, 'Content-Type': 'application/json' },
        body: '{"name":"first"}',
      });
      expect(claimed.status).toBe(204);
      await service.end();
    });
  });

  const demo = (...words: readonly string[]) =>
    run(process.execPath, [
      '--import',
      'tsx',
      fileURLToPath(new URL('../../scripts/demo.ts', import.meta.url)),
      ...words,
    ]);

  it('walks the demo in thirty lines', async () => {
    const { stdout } = await demo();
    expect(stdout.trim().split('\n').length).toBeLessThanOrEqual(30);
    expect(stdout).toContain('identical to those sent');
    expect(stdout).toMatch(/^20\. Override the failed policy, then confirm the run → 200, 202$/m);
  });

  it('prints in the demo every exchange on request', async () => {
    const { stdout } = await demo('--verbose');
    expect(stdout).toContain('"enforcement-level": "mandatory"');
    // Every exchange but the refusals that the demo announces went well.
    const statuses = [...stdout.matchAll(/ {3}← (\d+)/g)].map(([, status]) => Number(status));
    expect(statuses.filter((status) => status >= 400)).toEqual([409, 404, 404, 422, 401]);
  });
});

describe('the files of the service', () => {
  /** The paths below `directory` with their modes, other than 0600 of a file and 0700 of a directory. */
  const openIn = async (directory: string): Promise<readonly string[]> => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const found: string[] = [];
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      // A file that a request was writing may be gone by now.
      const mode = ((await stat(path).catch(() => undefined))?.mode ?? 0) & 0o777;
      const right = entry.isDirectory() ? 0o700 : 0o600;
      if (mode !== 0 && mode !== right) found.push(`${path} ${mode.toString(8)}`);
    }
    return found;
  };

  it.each(['0000', '0777'])('can be read by its user alone with a umask of %s', async (umask) => {
    await inTemporaryDirectory(async (directory) => {
      const environment = { DATA_DIR: join(directory, 'data') };
      const service = await ServiceProcess.start(environment, `umask ${umask}`);
      const { uploadUrl } = await service.newVersion(await service.provision());
      const body = new Uint8Array(await archiveOf({ 'main.tf': '' }));
      expect((await fetch(uploadUrl, { method: 'PUT', body })).status).toBe(200);
      const words = [process.execPath, built('cli/gatehouse'), 'backup', join(directory, 'new', 'backup')];
      await run('sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', ...words], {
        env: { PATH: process.env.PATH, ...environment },
      });
      expect(await readdir(directory, { recursive: true })).toEqual(
        expect.arrayContaining([
          'data/gatehouse.sqlite',
          'data/gatehouse.sqlite-wal',
          'data/signing-secret',
          'new/backup/gatehouse.sqlite',
          'new/backup/bundles',
        ]),
      );
      expect(await openIn(directory)).toEqual([]);
      expect(await service.end()).toBe(0);
    });
  });

  it('are closed at the start where they were open, and the directory that was given stays as it is', async () => {
    await inTemporaryDirectory(async (directory) => {
      for (const name of ['bundles', 'tmp', 'theirs']) await mkdir(join(directory, name));
      for (const name of ['gatehouse.sqlite', 'service.lock', 'notes']) await writeFile(join(directory, name), '');
      for (const name of await readdir(directory)) await chmod(join(directory, name), 0o755);
      await chmod(directory, 0o755);
      const service = await ServiceProcess.start({ DATA_DIR: directory });
      expect([...(await openIn(directory))].sort()).toEqual([`${directory}/notes 755`, `${directory}/theirs 755`]);
      expect((await stat(directory)).mode & 0o777).toBe(0o755);
      await service.end();
    });
  });
});

describe('an audit trail that is followed as docs/operations.md says', () => {
  const { run: withPrograms, reason } = needing('sh', 'curl', 'jq');

  withPrograms(`is taken whole, whatever came in between${reason}`, async () => {
    const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const [, script = ''] = /```sh\n((?:(?!```).)*audit-events\/export.*?)```/s.exec(page) ?? [];
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data') });
      const follow = (TOKEN = adminToken) =>
        run('sh', ['-c', script], { cwd: directory, env: { PATH: process.env.PATH, URL: service.url, TOKEN } }).catch(
          () => 'failed',
        );
      const trail = join(directory, 'trail');
      const taken = () => readFile(trail, 'utf8');
      const whole = async () => {
        const headers = { Authorization: `Bearer ${adminToken}` };
        return (await fetch(`${service.url}/organizations/acme/audit-events/export`, { headers })).text();
      };
      expect(await follow()).toBe('failed');
      expect(await taken()).toBe('');
      const workspaceId = await service.provision();
      await follow();
      const first = await taken();
      expect(first).toBe(await whole());
      expect(first).not.toBe('');
      await follow();
      expect(await taken()).toBe(first);
      await service.newVersion(workspaceId);
      expect(await follow('wrong')).toBe('failed');
      expect(await taken()).toBe(first);
      // Cut off in the middle of a line, of one that is whole but for its end, and of the first.
      for (const length of [first.length - 20, first.length - 1, 10]) {
        await writeFile(trail, first.slice(0, length));
        await follow();
        expect(await taken()).toBe(await whole());
      }
      await service.end();
    });
  });
});

describe('a service that fails to start', () => {
  it('stops all background work on the database it has closed', async () => {
    await inTemporaryDirectory(async (directory) => {
      // In the way of the first token.
      await mkdir(join(directory, 'admin-token.new', 'x'), { recursive: true });
      const lines: string[] = [];
      const config = loadConfig({ PORT: '0', DATA_DIR: directory });
      const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
      await expect(startService(config, log)).rejects.toThrow("the first administrator's token cannot be stored");
      await wait(800);
      expect(lines).toEqual([]);
    });
  });
});

describe('a stopping service', () => {
  const archive = () => archiveOf({ 'main.tf': '# '.padEnd(200_000, Math.random().toString(36)) });

  /** A service in this process, so that its timeout can be shorter than in earnest. */
  const start = async (directory: string, grace = { uploads: 800, answers: 400 }) => {
    const config = loadConfig({ PORT: '0', DATA_DIR: directory, ADMIN_TOKEN: adminToken, RATE_LIMIT_PER_SECOND: '0' });
    const service = await startService(config, pino({ level: 'silent' }), grace);
    const call = async (method: string, path: string, body?: object) =>
      (
        await fetch(service.publicUrl + path, {
          method,
          headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/vnd.api+json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
      ).json() as Promise<{ data: { id: string; attributes: Record<string, string> } }>;
    const named = (type: string, name: string) => ({ data: { type, attributes: { name, email: 'a@example.com' } } });
    await call('POST', '/organizations', named('organizations', 'acme'));
    const workspace = await call('POST', '/organizations/acme/workspaces', named('workspaces', 'api'));
    const version = await call('POST', `/workspaces/${workspace.data.id}/configuration-versions`);
    return { service, uploadUrl: version.data.attributes['upload-url'] ?? '' };
  };

  const beginUpload = (url: string, part: Uint8Array) => {
    const upload = request(url, { method: 'PUT' });
    const outcome = Promise.race([
      once(upload, 'response').then(([response]) => response.statusCode as number),
      once(upload, 'error').then(() => 'cut' as const),
    ]);
    upload.write(part);
    return { upload, outcome };
  };

  it('lets an upload in flight finish', async () => {
    await inTemporaryDirectory(async (directory) => {
      const { service, uploadUrl } = await start(directory);
      const bytes = await archive();
      const { upload, outcome } = beginUpload(uploadUrl, bytes.subarray(0, 1000));
      await wait(100);
      const stopped = service.stop();
      await wait(100);
      await expect(fetch(`${service.publicUrl}/healthz`)).rejects.toThrow();
      upload.end(bytes.subarray(1000));
      expect(await outcome).toBe(200);
      await stopped;
      expect(await filesBelow(join(directory, 'bundles'))).toHaveLength(1);
    });
  });

  it('ends an upload that stands still in bounded time, and leaves nothing of it', async () => {
    await inTemporaryDirectory(async (directory) => {
      const { service, uploadUrl } = await start(directory);
      const { outcome } = beginUpload(uploadUrl, (await archive()).subarray(0, 1000));
      await wait(100);
      await service.stop();
      expect([408, 'cut']).toContain(await outcome);
      expect(await filesBelow(join(directory, 'bundles'))).toEqual([]);
    });
  });

  it('does not wait for connections that ask for nothing', async () => {
    await inTemporaryDirectory(async (directory) => {
      // Longer than the test may take.
      const { service } = await start(directory, { uploads: 600_000, answers: 600_000 });
      const silent: Socket = connect(Number(new URL(service.publicUrl).port), '127.0.0.1');
      await once(silent, 'connect');
      await service.stop();
      silent.destroy();
    });
  });
});

describe('a client that misbehaves', () => {
  let service: ServiceProcess;
  let workspaceId: string;
  let done: () => void = () => {};

  beforeAll(async () => {
    await new Promise<void>((ready) => {
      void inTemporaryDirectory(async (made) => {
        service = await ServiceProcess.start({ DATA_DIR: made });
        workspaceId = await service.provision();
        ready();
        await new Promise<void>((resolve) => {
          done = resolve;
        });
      });
    });
  });

  afterAll(async () => {
    await service.end();
    done();
  });

  /** Sends raw bytes and answers all that comes back until the connection closes. */
  const raw = async (text: string | Buffer): Promise<string> => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(socket, 'connect');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('error', () => {});
    socket.write(text);
    await once(socket, 'close');
    return answer;
  };

  it('by sending more bytes than it promised spoils nothing but its own upload', async () => {
    const { id, uploadUrl } = await service.newVersion(workspaceId);
    const bytes = await archiveOf({ 'main.tf': '' });
    const { pathname } = new URL(uploadUrl);
    const head = `PUT ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes.length - 10}\r\n\r\n`;
    const answer = await raw(Buffer.concat([Buffer.from(head), bytes]));
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await service.statusOf(id)).not.toBe('uploaded');
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  });

  it('by asking first whether it may send receives 100 Continue', async () => {
    const { id, uploadUrl } = await service.newVersion(workspaceId);
    const bytes = await archiveOf({ 'main.tf': 'asked' });
    const upload = request(uploadUrl, {
      method: 'PUT',
      headers: { Expect: '100-continue', 'Content-Length': bytes.length },
    });
    upload.flushHeaders();
    await once(upload, 'continue');
    upload.end(bytes);
    const [response] = await once(upload, 'response');
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(await service.statusOf(id)).toBe('uploaded');
  });
});
