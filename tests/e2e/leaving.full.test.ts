import { describe, expect, it } from '@jest/globals';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { until } from '../support/service-steps.js';

describe('a stopping service with a delay', () => {
  it('is not ready any more, and serves until the delay is over', async () => {
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: directory, STOP_DELAY_SECONDS: '1' });
      const workspaceId = await service.provision();
      const status = async (path: string): Promise<number> => (await fetch(service.url + path)).status;
      expect(await status('/readyz')).toBe(200);
      const ended = service.end('SIGTERM');
      await until('it says so', async () => (await status('/readyz')) === 503, 900);
      expect(await status('/healthz')).toBe(200);
      expect((await service.newVersion(workspaceId)).id).toMatch(/^cv-/);
      expect(await ended).toBe(0);
      await expect(status('/healthz')).rejects.toThrow();
    });
  });
});
