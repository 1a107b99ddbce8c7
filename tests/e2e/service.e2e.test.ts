import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { program } from '../support/built-programs.js';
import { adminToken, inTemporaryDirectory, ServiceProcess } from '../support/process.js';

describe('the built command', () => {
  it('prints the table of settings', async () => {
    const { code, stdout } = await program('main', ['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('MAX_ARCHIVE_BYTES');
  });

  it('does not start on a bad configuration, and says all that is wrong with it', async () => {
    const { code, stderr } = await program('main', [], { PORT: 'abc', RATE_LIMIT_PER_SECOND: '2', HOST: '0.0.0.0' });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      'the configuration has 3 errors:',
      expect.stringContaining('PORT: must be a whole number from 0 to 65535'),
      expect.stringContaining('RATE_LIMIT_PER_SECOND: '),
      expect.stringContaining('PUBLIC_URL: '),
    ]);
  });

  it('leaves a generated first token in a file only its user may read, and nowhere in the log', async () => {
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: directory, ADMIN_TOKEN: '' });
      const path = join(directory, 'admin-token');
      const token = (await readFile(path, 'utf8')).trim();
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const answer = await fetch(`${service.url}/account/details`, { headers: { Authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(200);
      await service.end();
      await service.prints(path);
      expect(service.printed).not.toContain(token);
    });
  });
});

describe('the built service', () => {
  it('gives everything back after a restart', async () => {
    await inTemporaryDirectory(async (directory) => {
      const first = await ServiceProcess.start({ DATA_DIR: directory });
      const { id, uploadUrl } = await first.newVersion(await first.provision());
      const bytes = await archiveOf({ 'main.tf': '# kept' });
      const port = new URL(first.url).port;
      expect(await first.end('SIGTERM')).toBe(0);
      const second = await ServiceProcess.start({
        DATA_DIR: directory,
        PORT: port,
        ADMIN_TOKEN: 'another-token-not-used',
      });
      // The upload URL outlives the process that issued it, and no second administrator is created.
      expect((await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
      expect((await second.download(id)).equals(bytes)).toBe(true);
      expect(await second.end('SIGINT')).toBe(0);
    });
  });

  it('prints no secret and no URL that carries a right', async () => {
    await inTemporaryDirectory(async (directory) => {
      const service = await ServiceProcess.start({ DATA_DIR: directory, LOG_LEVEL: 'trace' });
      const { id, uploadUrl } = await service.newVersion(await service.provision());
      await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(await archiveOf({ 'main.tf': '' })) });
      await service.download(id);
      await fetch(`${service.url}/v1/object/${uploadUrl.split('/').at(-1)}x`);
      const issued = await service.api('POST', '/organizations/acme/authentication-token');
      await service.end();
      await service.prints('/v1/object/:objectId');
      for (const secret of [adminToken, issued.json.data.attributes.token, uploadUrl.split('/').at(-1)]) {
        expect(service.printed).not.toContain(secret);
      }
    });
  });
});
