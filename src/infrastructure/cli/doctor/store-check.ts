import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { BundleStore } from '../../../application/index.js';
import { dataDirectory } from '../../backup.js';
import type { Config } from '../../config.js';
import { openStore } from '../toolkit/operator.js';
import { type Check, clockFound, type Found, failed, ok, warning } from './finding.js';

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Writes, reads and removes a bundle; returns the bytes read. */
async function throughStore(open: BundleStore, bytes: Buffer): Promise<Buffer> {
  const key = `doctor-${randomBytes(9).toString('base64url')}`;
  try {
    await open.write(key, once(bytes));
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await open.read(key)) ?? []) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    await open.discard(key);
  }
}

export const store: Check = {
  name: 'archive store',
  mend: 'check ARCHIVE_STORE, S3_BUCKET, S3_ENDPOINT, S3_REGION and the AWS credentials; docs/operations.md lists the required permissions',
  run: async (config) => {
    const { bundles } = dataDirectory(config.DATA_DIR);
    if (config.ARCHIVE_STORE === 'file' && !existsSync(config.DATA_DIR)) {
      return [warning(`${bundles} does not exist yet`, 'the service creates it with the first upload')];
    }
    const open = await openStore(config);
    const bytes = randomBytes(1024);
    const name = config.ARCHIVE_STORE === 'file' ? bundles : `bucket ${config.S3_BUCKET}`;
    if (!bytes.equals(await throughStore(open, bytes))) {
      return [
        failed(`${name} returned other bytes than were written`, 'use another store: this one corrupts archives'),
      ];
    }
    return [ok(`${name} writes, reads and deletes archives`), await storeClock(config)];
  },
};

/** Stores report their time in whole seconds, and refuse clients whose clock is off by more than 15 minutes. */
const storeDifference = 2_000;

async function storeClock(config: Config): Promise<Found | undefined> {
  if (config.ARCHIVE_STORE === 'file') return undefined;
  const endpoint = config.S3_ENDPOINT ?? `https://s3.${config.S3_REGION}.amazonaws.com`;
  const asked = Date.now();
  const { headers } = await fetch(endpoint, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(5_000) });
  const told = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(told) ? undefined : clockFound('the store', told, asked, storeDifference);
}
