import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { S3BundleStore, s3Client } from '../../src/adapters/files/s3-bundle-store.js';
import { aBundleStore, noise, pieces } from '../contracts/bundle-store.js';
import { usable } from '../support/programs.js';
import { type Swift, startSwift, swiftIsInstalled } from '../support/start-swift.js';

/** A store given from outside is emptied before each test, and its credentials are those the AWS SDK finds. */
const { TEST_S3_ENDPOINT, TEST_S3_BUCKET = 'gatehouse-tests', TEST_S3_REGION = 'us-east-1' } = process.env;
const present = TEST_S3_ENDPOINT !== undefined || swiftIsInstalled();
const reason = present ? '' : ' (skipped: neither TEST_S3_ENDPOINT nor the package python3-swift)';
const suite = usable('swift', present) ? describe : describe.skip;

suite(`the S3 bundle store, on a real store${reason}`, () => {
  const bucket = TEST_S3_BUCKET;
  let swift: Swift | undefined;
  let client: S3Client;

  beforeAll(async () => {
    if (!present) throw new Error('a store is required, and there is none');
    swift = TEST_S3_ENDPOINT === undefined ? await startSwift() : undefined;
    client = s3Client({ endpoint: swift?.endpoint ?? TEST_S3_ENDPOINT, region: TEST_S3_REGION });
    if (swift !== undefined) {
      const { accessKeyId, secretAccessKey } = swift;
      client.config.credentials = async () => ({ accessKeyId, secretAccessKey });
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
    }
  });

  afterAll(async () => {
    client?.destroy();
    await swift?.stop();
  });

  const everything = async () =>
    (await client.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents?.map(({ Key = '' }) => Key) ?? [];

  const openUploads = async () =>
    (await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads?.length ?? 0;

  beforeEach(async () => {
    const keys = await everything();
    await Promise.all(keys.map((Key) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key }))));
  });

  const store = () => new S3BundleStore({ client, bucket, urlSeconds: 60 });

  aBundleStore(async () => store(), { rounds: 5 });

  it('leaves no open upload and no object behind', async () => {
    async function* failing() {
      yield noise(11 * 1024 * 1024, 3);
      throw new Error('the client went away');
    }
    await expect(store().write('b-1', failing())).rejects.toThrow('the client went away');
    await store().write('b-2', pieces(noise(6 * 1024 * 1024, 4)));
    await store().keep('b-2');
    await store().discard('b-2');
    expect(await everything()).toEqual([]);
    expect(await openUploads()).toBe(0);
  });

  it('finds its bucket, and no other', async () => {
    expect(await store().fault()).toBeUndefined();
    const elsewhere = new S3BundleStore({ client, bucket: `${bucket}-nowhere` });
    expect(await elsewhere.fault()).toMatchObject({ definite: true });
  });

  it('takes no request that is signed with another secret, and no URL that was altered', async () => {
    const stranger = s3Client({ endpoint: swift?.endpoint ?? TEST_S3_ENDPOINT, region: TEST_S3_REGION });
    const { accessKeyId } = await client.config.credentials();
    stranger.config.credentials = async () => ({ accessKeyId, secretAccessKey: 'guessed' });
    expect(await new S3BundleStore({ client: stranger, bucket }).fault()).toMatchObject({ definite: true });
    stranger.destroy();
    await store().write('b-1', pieces('one'));
    await store().write('b-2', pieces('two'));
    const url = (await store().temporaryUrl('b-1')) ?? '';
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url.replace('b-1', 'b-2'))).status).toBe(403);
  });
});
