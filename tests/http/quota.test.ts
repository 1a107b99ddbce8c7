import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { doc, missing, newName, pathOf, refusal, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { Bench, runOf } from '../support/bench.js';
import { parseExposition } from '../support/exposition-format.js';
import type { Job } from '../support/reference-agent.js';

const limit = 20_000;

const api = await startApi({ environment: { MAX_ORGANIZATION_BYTES: String(limit) } });

const overQuota = (kept: number) =>
  refusal(
    413,
    'payload too large',
    `the organization stores ${kept} of the ${limit} bytes that MAX_ORGANIZATION_BYTES allows, and this request exceeds the limit. Archive or permanently delete configuration versions, or ask the operator to raise MAX_ORGANIZATION_BYTES`,
  );

const keptBy = ({ workspaceId }: Bench) => api.unitOfWork.read((tx) => tx.keptBytes.of({ workspaceId }));

/** An archive of about this many bytes. */
const archiveFor = (bytes: number): Promise<Buffer> => archiveOf({ 'main.tf': randomBytes(bytes).toString('base64') });

/** A policy of the bench's organization, and code of a given size for it. */
async function aPolicy(bench: Bench) {
  const body = doc('policies', {
    name: newName('policy'),
    kind: 'opa',
    query: 'data.p.deny',
    'enforcement-level': 'advisory',
  });
  const made = await api.admin.post(`/organizations/${bench.organization}/policies`, body);
  const path = `/policies/${made.body.data.id}/upload`;
  return (code: string) => api.admin.send('put', path).set('Content-Type', 'text/plain').send(code);
}

/** Uses up the quota. */
async function fillUp(bench: Bench): Promise<void> {
  const upload = await aPolicy(bench);
  await upload('#'.repeat(limit - (await keptBy(bench)))).expect(200);
  expect(await keptBy(bench)).toBe(limit);
}

async function benched(): Promise<Bench> {
  const bench = await Bench.make(api);
  await bench.version();
  return bench;
}

const bench = await benched();
await fillUp(bench);

describe('an organization that keeps all it may', () => {
  it.each(['' as const, '/api/v2' as const])('gets no version and no run at %s/', async (prefix) => {
    const caller = api.admin.at(prefix);
    const versions = `/workspaces/${bench.workspaceId}/configuration-versions`;
    expect((await caller.post(versions, { data: { attributes: {} } }).expect(413)).body).toEqual(overQuota(limit));
    const run = doc('runs', {}, runOf(bench.workspaceId));
    expect((await caller.post('/runs', run).expect(413)).body).toEqual(overQuota(limit));
  });

  it('gives a stranger no refusal that differs from that of a missing resource', async () => {
    const stranger = await api.user(newName('stranger'));
    const versions = `/workspaces/${bench.workspaceId}/configuration-versions`;
    expect((await stranger.post(versions, { data: { attributes: {} } }).expect(404)).body).toEqual(missing);
  });

  it('gets no new policy code, and the code it has again', async () => {
    const room = await benched();
    const upload = await aPolicy(room);
    await upload('package p').expect(200);
    await fillUp(room);
    expect((await upload('package q').expect(413)).body).toEqual(overQuota(limit));
    await upload('package p').expect(200);
    expect(await keptBy(room)).toBe(limit);
  });
});

describe('an upload beyond the limit', () => {
  it('is 413 that names the limit, and its version stays pending and takes what fits', async () => {
    const bench = await benched();
    const kept = await keptBy(bench);
    const { id, uploadUrl } = await api.version(bench.workspaceId);
    const answer = await api.upload(uploadUrl, await archiveFor(limit)).expect(413);
    expect(answer.body).toEqual(overQuota(kept));
    expect(await bench.versionStatus(id)).toBe('pending');
    await api.upload(uploadUrl, await archiveFor(limit / 2)).expect(200);
    expect(await bench.versionStatus(id)).toBe('uploaded');
  });

  it('is answered while it still comes, and counted as over a limit', async () => {
    const bench = await benched();
    const { uploadUrl } = await api.version(bench.workspaceId);
    const { port } = api.server.address() as AddressInfo;
    const bytes = await archiveFor(2 * limit);
    const before = parseExposition((await api.anonymous.get('/metrics')).text);
    const status = await new Promise((resolve, reject) => {
      const upload = request({
        port,
        method: 'PUT',
        path: pathOf(uploadUrl),
        headers: { 'Content-Length': 10 * limit },
      });
      upload.on('error', reject);
      upload.on('response', (response) => {
        resolve(response.statusCode);
        upload.destroy();
      });
      upload.write(bytes);
    });
    expect(status).toBe(413);
    const after = parseExposition((await api.anonymous.get('/metrics')).text);
    const labels = { outcome: 'over-limit' };
    const count = (found: typeof before) => found.value('gatehouse_uploads_total', labels) ?? 0;
    expect(count(after) - count(before)).toBe(1);
  });

  it('lets no two exceed it together', async () => {
    const bench = await benched();
    const uploads = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { uploadUrl } = await api.version(bench.workspaceId);
        return { uploadUrl, bytes: await archiveFor(limit / 4) };
      }),
    );
    const answers = await Promise.all(uploads.map(({ uploadUrl, bytes }) => api.upload(uploadUrl, bytes)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 413]));
    expect(await keptBy(bench)).toBeLessThanOrEqual(limit);
    expect(await keptBy(bench)).toBeGreaterThan(limit / 2);
  });
});

describe('a run of an organization that keeps all it may', () => {
  /** Claimed by an agent, with the quota reached since. */
  async function held(): Promise<{ readonly bench: Bench; readonly job: Job }> {
    const bench = await benched();
    const job = await bench.claimed(await bench.run());
    await fillUp(bench);
    return { bench, job };
  }

  it('keeps what its plan leaves and the state that it writes, and comes to its end', async () => {
    const { bench, job } = await held();
    for (const name of ['plan-file', 'plan-json', 'plan-json-redacted']) {
      expect((await job.artifact(name, Buffer.from(`{"of":"${name}"}`))).status).toBe(200);
    }
    expect((await job.planned()).status).toBe(200);
    await bench.act(job.runId, 'apply');
    const applier = await bench.claimed(job.runId);
    expect((await applier.planFile()).bytes.toString()).toBe('{"of":"plan-file"}');
    const state = JSON.stringify({ version: 4, filler: 'x'.repeat(limit) });
    await applier.writeState(state);
    expect((await applier.applied()).status).toBe(200);
    expect(await bench.statusOf(job.runId)).toBe('applied');
    const path = `/workspaces/${bench.workspaceId}/current-state-version`;
    const current = await api.admin.get(path).expect(200);
    const url: string = current.body.data.attributes['hosted-state-download-url'];
    expect((await api.anonymous.get(pathOf(url)).expect(200)).body.toString()).toBe(state);
    expect(await keptBy(bench)).toBeGreaterThan(2 * limit);
  });
});

describe('the metrics', () => {
  it('report the bytes each organization keeps, and the limit', async () => {
    const watched = await startApi({ environment: { MAX_ORGANIZATION_BYTES: '1000000' } });
    const bench = await Bench.make(watched);
    await bench.version();
    await watched.organization('empty');
    const found = parseExposition((await watched.anonymous.get('/metrics').expect(200)).text);
    expect(found.value('gatehouse_organization_bytes', { organization: bench.organization })).toBe(bench.bundle.length);
    expect(found.of('gatehouse_organization_bytes')).toHaveLength(1);
    expect(found.value('gatehouse_organization_bytes_limit')).toBe(1_000_000);
  });

  it('have no limit where there is none', async () => {
    const watched = await startApi();
    const found = parseExposition((await watched.anonymous.get('/metrics').expect(200)).text);
    expect(found.of('gatehouse_organization_bytes_limit')).toEqual([]);
  });
});
