import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { ServiceSteps } from '../support/service-steps.js';

const rounds = 10;

/** Sends the bytes in pieces with pauses, so that a kill can happen anywhere. */
async function* dribble(bytes: Buffer, pause: number) {
  const size = Math.ceil(bytes.length / 20);
  for (let at = 0; at < bytes.length; at += size) {
    yield new Uint8Array(bytes.subarray(at, at + size));
    if (pause > 0) await wait(pause);
  }
}

describe('a service killed many times in the middle of the upload of a state', () => {
  it('comes back with the state before it, or with exactly the bytes, and with nothing else stored', async () => {
    await inTemporaryDirectory(async (directory) => {
      let service = await ServiceProcess.start({ DATA_DIR: directory });
      try {
        const workspaceId = await service.provision();
        const steps = () => new ServiceSteps(service);
        const token = await steps().agentToken();
        await steps().uploaded(workspaceId, await archiveOf({ 'main.tf': '# nothing' }));
        const planned = await steps().agent(token).claimed();
        await planned.planned();
        await steps().ask('POST', `/runs/${planned.runId}/actions/apply`);
        let job = await steps().agent(token).claimed();

        /** Serial 0 means that there is none. */
        const current = async () => {
          const { status, json } = await service.api('GET', `/workspaces/${workspaceId}/current-state-version`);
          if (status === 404) return { serial: 0, bytes: Buffer.alloc(0) };
          const { serial, 'hosted-state-download-url': url } = json.data.attributes;
          return { serial, bytes: Buffer.from(await (await fetch(url)).arrayBuffer()) };
        };
        let expected = await current();
        for (let round = 1; round <= rounds; round += 1) {
          const bytes = randomBytes(200_000);
          const serial = expected.serial + 1;
          const announced = await job.announce(bytes, { serial });
          const upload = fetch(service.url + announced.json.upload.url, {
            method: 'PUT',
            headers: { Authorization: `Bearer ${token}`, Lease: job.json.lease.token },
            body: ReadableStream.from(dribble(bytes, round % 2 === 0 ? 2 : 0)),
            duplex: 'half',
          } as RequestInit).then(
            (response) => response.status,
            () => undefined,
          );
          // The last round is killed right after its acknowledgement, which must hold.
          await (round === rounds ? upload : wait(Math.random() * 50));
          await service.end('SIGKILL');
          const acknowledged = await upload;
          service = await ServiceProcess.start({ DATA_DIR: directory });
          job = steps().agent(token).resumed(job);
          const found = await current();
          if (acknowledged === 200) expect(found.serial).toBe(serial);
          if (found.serial === serial) expected = { serial, bytes };
          expect(found.serial).toBe(expected.serial);
          expect(found.bytes.equals(expected.bytes)).toBe(true);
          const stored = await readdir(join(directory, 'bundles'), { recursive: true, withFileTypes: true });
          // The configuration is one of them.
          expect(stored.filter((entry) => entry.isFile())).toHaveLength(1 + expected.serial);
          await job.heartbeat();
        }
        expect(expected.serial).toBeGreaterThan(0);
      } finally {
        await service.end();
      }
    });
  });
});
