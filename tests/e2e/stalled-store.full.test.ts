import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { type Fate, startS3Server } from '../support/s3-server.js';
import { ServiceSteps, until } from '../support/service-steps.js';

it('a stopping service ends in time although its store does not respond', async () => {
  let fate: Fate = 'serve';
  const store = await startS3Server({ before: () => fate });
  try {
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data'), ...store.environment });
      const steps = new ServiceSteps(service);
      const workspaceId = await service.provision();
      const bytes = await archiveOf({ 'main.tf': '# nothing' });
      const versions: string[] = [];
      // A version with a run is in use, and is not archived.
      const unqueued = { 'auto-queue-runs': false };
      for (let made = 0; made < 8; made += 1) versions.push(await steps.uploaded(workspaceId, bytes, unqueued));
      fate = 'stall';
      const asked = store.requests.length;
      for (const id of versions.slice(0, -1))
        await service.api('POST', `/configuration-versions/${id}/actions/archive`);
      await until('it is discarding', async () => store.requests.length > asked);
      const begun = performance.now();
      await service.end('SIGTERM');
      expect(performance.now() - begun).toBeLessThan(30_000);
      await service.prints('"msg":"stopped"');
    });
  } finally {
    await store.close();
  }
});
