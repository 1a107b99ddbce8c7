import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { adminToken, inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { type Fate, type S3Server, startS3Server } from '../support/s3-server.js';

/** The built service, with its archives in an S3-compatible store. */
describe('archives in an object store', () => {
  let store: S3Server;
  let fate: Fate = 'serve';
  let archive: Buffer;

  beforeAll(async () => {
    store = await startS3Server({ before: () => fate });
    archive = await archiveOf({ 'main.tf': 'resource "null_resource" "a" {}' });
  });

  afterAll(() => store.close());

  /** Runs `test` with a service on the store, and a version that holds the archive. */
  const withService = (
    environment: Readonly<Record<string, string>>,
    test: (service: ServiceProcess, versionId: string, workspaceId: string) => Promise<void>,
  ) =>
    inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({
        DATA_DIR: join(directory, 'data'),
        ...store.environment,
        ...environment,
      });
      try {
        const workspaceId = await service.provision();
        const { id, uploadUrl } = await service.newVersion(workspaceId, unqueued);
        expect((await put(uploadUrl)).status).toBe(200);
        await test(service, id, workspaceId);
      } finally {
        await service.end();
      }
    });

  /** A version with a run is in use, and is not archived. */
  const unqueued = { 'auto-queue-runs': false };

  const put = (url: string) => fetch(url, { method: 'PUT', body: new Uint8Array(archive) });

  /** Follows redirects and sends its token to every target. */
  async function downloadWithToken(url: string): Promise<{ readonly status: number; readonly bytes: Buffer }> {
    const asked = get(url, { headers: { Authorization: `Bearer ${adminToken}` } });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const bytes = await buffer(answer);
    const { location } = answer.headers;
    return location === undefined ? { status: answer.statusCode ?? 0, bytes } : downloadWithToken(location);
  }

  it('are read from the bucket, and are gone from it once they are archived', async () => {
    await withService({}, async (service, id, workspaceId) => {
      const located = await service.api('GET', `/configuration-versions/${id}/download`);
      expect(located.status).toBe(302);
      const url = located.headers.get('location') ?? '';
      expect(url).toMatch(new RegExp(`^${store.endpoint}/${store.bucket}/bundles/`));
      const answer = await fetch(url);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(archive);
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="configuration.tar.gz"');
      // A store refuses a request with two kinds of authentication.
      expect((await downloadWithToken(`${service.url}/configuration-versions/${id}/download`)).status).toBe(400);

      await put((await service.newVersion(workspaceId, unqueued)).uploadUrl);
      expect((await service.api('POST', `/configuration-versions/${id}/actions/archive`)).status).toBeLessThan(300);
      for (let waited = 0; (await fetch(url)).status !== 404 && waited < 50; waited += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(store.objects.size).toBe(1);
      expect(service.printed).not.toContain('X-Amz-');
      expect(service.printed).not.toContain(store.secretAccessKey);
    });
    store.objects.clear();
  });

  it('pass through the service where that is asked for, whatever clients send along', async () => {
    await withService({ ARCHIVE_DOWNLOAD: 'proxy' }, async (service, id, workspaceId) => {
      const url = `${service.url}/configuration-versions/${id}/download`;
      expect(await downloadWithToken(url)).toEqual({ status: 200, bytes: archive });

      const { id: other, uploadUrl } = await service.newVersion(workspaceId, unqueued);
      const { headers } = await service.api('GET', `/configuration-versions/${id}/download`);
      fate = 'refuse';
      for (const answer of [await put(uploadUrl), await fetch(headers.get('location') ?? '')]) {
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
        expect(await answer.text()).toContain('the archive store is unavailable');
      }
      await service.prints('HeadObject, returned 503');
      fate = 'serve';
      expect((await put(uploadUrl)).status).toBe(200);
      expect(await service.statusOf(other)).toBe('uploaded');
    });
    store.objects.clear();
  });

  it('do not keep the service from starting while the store is unavailable', async () => {
    fate = 'refuse';
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: directory, ...store.environment });
      await service.prints('the archive store does not respond');
      expect((await service.api('GET', '/organizations')).status).toBe(200);
      await service.end();
    });
    fate = 'serve';
  });

  it.each([
    ['a bucket that is not there', { S3_BUCKET: 'nowhere' }, 'the bucket "nowhere" cannot be used'],
    ['credentials it does not take', { AWS_SECRET_ACCESS_KEY: 'guessed' }, 'cannot be used: HeadBucket, returned 403'],
  ])('keep the service from starting with %s', async (_, environment, words) => {
    await inTemporaryDirectory(async (directory) => {
      const start = ServiceProcess.start({ DATA_DIR: directory, ...store.environment, ...environment });
      await expect(start).rejects.toThrow(words);
    });
  });
});
