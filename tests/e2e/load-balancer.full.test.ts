import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { adminToken, freePort, inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { usable } from '../support/programs.js';
import { over, ReferenceAgent } from '../support/reference-agent.js';
import { ServiceSteps, until } from '../support/service-steps.js';

const present = spawnSync('haproxy', ['-v']).status === 0;
const suite = usable('haproxy', present) ? describe : describe.skip;
const reason = present ? '' : ' (skipped: no haproxy on PATH)';
const configuration = new URL('../../deploy/haproxy.cfg', import.meta.url);

suite(`the load balancer of deploy/${reason}`, () => {
  let proxy: ChildProcess;
  let service: ServiceProcess;
  let url: string;
  let log = '';
  let release: () => void;
  let done: Promise<void>;

  beforeEach(async () => {
    const directory = await new Promise<string>((ready) => {
      done = inTemporaryDirectory(async (made) => {
        ready(made);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      });
    });
    const [port, instance] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    service = await ServiceProcess.start({
      DATA_DIR: join(directory, 'data'),
      PORT: String(instance),
      PUBLIC_URL: url,
      TRUSTED_PROXIES: '127.0.0.1',
    });
    // Everything except the listening address and the backends, which are containers.
    const text = (await readFile(configuration, 'utf8'))
      .replace(/bind :\d+/, `bind 127.0.0.1:${port}`)
      .replace(/server-template .*/, `server one 127.0.0.1:${instance}`)
      .replace(/^resolvers [\s\S]*/m, '');
    await writeFile(join(directory, 'haproxy.cfg'), text);
    proxy = spawn('haproxy', ['-f', join(directory, 'haproxy.cfg')]);
    log = '';
    for (const stream of [proxy.stdout, proxy.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        log += chunk.toString();
      });
    }
    await until('it passes requests on', async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok);
  });

  afterEach(async () => {
    const exited = once(proxy, 'exit');
    proxy.kill('SIGKILL');
    await exited;
    await service.end();
    release();
    await done;
  });

  it('streams large bodies both ways, waits with agents, and logs no address that is a right', async () => {
    const steps = new ServiceSteps(service);
    const workspaceId = await service.provision();
    const bytes = await archiveOf({ 'noise.bin': randomBytes(15_000_000).toString('base64') });
    const id = await steps.uploaded(workspaceId, bytes, { 'auto-queue-runs': false });
    const { headers } = await service.api('GET', `/configuration-versions/${id}/download`);
    const location = headers.get('location') ?? '';
    expect(location).toContain(`${url}/v1/object/`);
    expect(Buffer.from(await (await fetch(location)).arrayBuffer()).equals(bytes)).toBe(true);

    const waiting = new ReferenceAgent(over(url), await steps.agentToken()).claim(20);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const runId = await steps.run(workspaceId);
    expect((await waiting)?.runId).toBe(runId);

    const account = await fetch(`${url}/account/details?secret=1`, {
      headers: { Authorization: `Bearer ${adminToken}` },
    });
    expect(account.status).toBe(200);
    await until('all of it is logged', async () => log.includes('GET /account/details 200'));
    expect(log).toMatch(/ PUT \/v1\/… 200 /);
    expect(log).not.toMatch(/ \/v1\/\w|secret/);
  });
});
