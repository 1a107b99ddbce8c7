import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { limits } from '../../src/adapters/http/routing/limits.js';
import { missing, newName, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { aBundle, aStateOutput, aStateVersion } from '../support/builders.js';
import { announcementOf, type Job, type ReferenceAgent, type Said } from '../support/reference-agent.js';

const api = await startApi();

const bytesOf = (text: string): Buffer => Buffer.from(text);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const leaseLost = refusal(409, 'lease lost', expect.any(String));
const refusedIn = (status: string) =>
  refusal(409, 'transition not allowed', expect.stringContaining(`because the run's status is ${status}`));
const unfit = (detail: unknown, pointer?: string) =>
  refusal(422, 'invalid attribute', detail, pointer === undefined ? undefined : { pointer });

async function benched(): Promise<Bench> {
  const bench = await Bench.make(api);
  await bench.version();
  return bench;
}

async function planning(bench: Bench): Promise<Job> {
  return bench.claimed(await bench.run());
}

/** The next run of the bench, claimed by the agent for its apply. */
async function applying(bench: Bench, left: Readonly<Record<string, string>> = {}): Promise<Job> {
  const job = await planning(bench);
  for (const [name, text] of Object.entries(left)) {
    expect((await job.artifact(name, bytesOf(text))).status).toBe(200);
  }
  expect((await job.planned()).status).toBe(200);
  await bench.act(job.runId, 'apply');
  return bench.claimed(job.runId);
}

/** The current state, as the next job receives it. */
const currentOf = async (bench: Bench) =>
  (await api.admin.get(`/workspaces/${bench.workspaceId}/current-state-version`)).body.data;

/** Requests the current state without an id. */
const currentState = ({ agent }: Bench, job: Job) =>
  agent.send('get', `/agent/v1/runs/${job.runId}/state`, { Lease: job.json.lease.token });

const anOutput = (name: string, type: unknown, value: unknown, sensitive = false) => ({ name, type, value, sensitive });

const nameOf = async (bench: Bench): Promise<string> =>
  (await api.admin.get(`/workspaces/${bench.workspaceId}`).expect(200)).body.data.attributes.name;

const listOf = (bench: Bench, name: string): string =>
  `/state-versions?filter[organization][name]=${bench.organization}&filter[workspace][name]=${name}`;

/** The number of bundles in the store. */
async function stored(): Promise<number> {
  let held = 0;
  for await (const _ of api.bundleStore.all()) held += 1;
  return held;
}

/** A PUT whose body is sent in parts, with a step in between. */
async function slowly(
  agent: ReferenceAgent,
  job: Job,
  path: string,
  parts: readonly Buffer[],
  between: () => Promise<unknown>,
): Promise<Said> {
  const { port } = api.server.address() as AddressInfo;
  const token = Reflect.get(agent, 'token') as string;
  const sent = request({
    port,
    path,
    method: 'PUT',
    headers: {
      Authorization: `Bearer ${token}`,
      Lease: job.json.lease.token,
      'Content-Length': parts.reduce((size, part) => size + part.length, 0),
    },
  });
  const answered = once(sent, 'response');
  const reached = once(api.server, 'request');
  sent.write(parts[0]);
  await reached;
  await between();
  for (const part of parts.slice(1)) sent.write(part);
  sent.end();
  const [response] = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, json: text === '' ? undefined : JSON.parse(text) };
}

describe('a state', () => {
  it('is announced, uploaded, and then the current one, which the next job brings', async () => {
    const bench = await benched();
    const first = await applying(bench);
    expect(first.json.state).toBeNull();
    expect((await currentState(bench, first)).status).toBe(404);
    const announced = await first.announce(bytesOf('state 1'));
    expect(announced).toEqual({
      status: 201,
      json: {
        id: expect.stringMatching(/^sv-/),
        upload: { url: `/agent/v1/runs/${first.runId}/state-versions/${announced.json.id}/content` },
        'outputs-left-out': 0,
      },
    });
    expect(await currentOf(bench)).toBeUndefined();
    expect((await first.upload(announced, bytesOf('state 1'))).status).toBe(200);
    expect((await currentOf(bench)).id).toBe(announced.json.id);
    await first.applied();

    const second = await planning(bench);
    const { md5, size, serial, lineage } = announcementOf(bytesOf('state 1'));
    const url = `/agent/v1/runs/${second.runId}/state?id=${announced.json.id}`;
    expect(second.json.state).toEqual({ id: announced.json.id, md5, size, serial, lineage, url });
    expect((await second.state()).bytes.toString()).toBe('state 1');
    expect((await currentState(bench, second)).status).toBe(200);
  });

  it('stays the one that was current when a plan-only run was claimed, when another follows it', async () => {
    const bench = await benched();
    const first = await applying(bench);
    await first.writeState('state 1');
    await first.applied();
    const version = await bench.version({ speculative: true });
    const looking = await bench.claimed(await bench.run({}, version));
    const second = await applying(bench);
    await second.writeState('state 2', { serial: 2 });
    expect((await looking.state()).bytes.toString()).toBe('state 1');
  });

  it('of another workspace is not found', async () => {
    const [bench, other] = [await benched(), await benched()];
    const theirs = await applying(other);
    const id = await theirs.writeState('theirs');
    const job = await applying(bench);
    const path = (what: string) => `/agent/v1/runs/${job.runId}/${what}`;
    const lease = { Lease: job.json.lease.token };
    expect((await bench.agent.json('get', `${path('state')}?id=${id}`, lease)).status).toBe(404);
    const put = await bench.agent.json('put', path(`state-versions/${id}/content`), lease, bytesOf('theirs'));
    expect(put.status).toBe(404);
  });

  it('may be said and sent again, whatever answer was lost', async () => {
    const bench = await benched();
    const job = await applying(bench);
    const state = bytesOf('state 1');
    const announced = await job.announce(state);
    expect(await job.announce(state)).toEqual(announced);
    for (const _ of [1, 2]) expect((await job.upload(announced, state)).status).toBe(200);
    expect(await job.announce(state)).toEqual(announced);
    expect(await job.upload(announced, bytesOf('state 2'))).toEqual({
      status: 422,
      json: unfit(expect.stringContaining('The MD5 digest of the content is')),
    });
    expect((await currentOf(bench)).attributes.serial).toBe(1);
    const { body } = await api.admin.get(listOf(bench, await nameOf(bench))).expect(200);
    expect(body.data).toHaveLength(1);
  });

  it('takes the place of what the run announced before and did not send', async () => {
    const bench = await benched();
    const job = await applying(bench);
    const first = await job.announce(bytesOf('first'), { outputs: [anOutput('a', 'string', 'x')] });
    const second = await job.announce(bytesOf('second'));
    expect(second.json.id).not.toBe(first.json.id);
    const gone = refusal(
      404,
      'not found',
      'the run has not announced this state version, or has announced another one since',
    );
    expect(await job.upload(first, bytesOf('first'))).toEqual({ status: 404, json: gone });
    expect((await job.upload(second, bytesOf('second'))).status).toBe(200);
  });

  it.each([
    ['fewer bytes', 'stat', 'The content has 4 bytes, but 7 were announced'],
    ['more bytes', 'state 10', 'The content is larger than the announced 7 bytes'],
    ['other bytes', 'state 2', expect.stringContaining('was announced')],
  ])('of %s than were announced is refused, and nothing of it kept', async (_, text, detail) => {
    const bench = await benched();
    const job = await applying(bench);
    const announced = await job.announce(bytesOf('state 1'));
    const before = await stored();
    expect(await job.upload(announced, bytesOf(text))).toEqual({ status: 422, json: unfit(detail) });
    expect(await stored()).toBe(before);
    expect(await currentOf(bench)).toBeUndefined();
    expect((await job.upload(announced, bytesOf('state 1'))).status).toBe(200);
  });

  it.each([
    [
      'lower serial',
      { serial: 2 },
      '/serial',
      "Serial must be greater than 3, the serial of the workspace's current state version",
    ],
    ['equal serial and other bytes', { serial: 3 }, '/serial', expect.stringContaining('greater than 3')],
    ['other lineage', { serial: 4, lineage: 'mine' }, '/lineage', expect.stringContaining('must be lineage-1')],
  ])('with a %s, in addition to the current one, is refused', async (_, given, pointer, detail) => {
    const bench = await benched();
    const job = await applying(bench);
    await job.writeState('state 3', { serial: 3 });
    expect(await job.announce(bytesOf('later'), given)).toEqual({ status: 422, json: unfit(detail, pointer) });
    await job.writeState('state 4', { serial: 4 });
    expect((await currentOf(bench)).attributes.serial).toBe(4);
  });

  it.each([
    ['negative serial', { serial: -1 }],
    ['fraction as serial', { serial: 1.5 }],
    ['serial missing', { serial: undefined }],
    ['blank lineage', { lineage: '' }],
    ['lineage of 256 characters', { lineage: 'x'.repeat(256) }],
    ['MD5 in capitals', { md5: 'A'.repeat(32) }],
    ['short MD5', { md5: 'abc' }],
    ['size of nothing', { size: 0 }],
    ['size beyond the limit', { size: limits.agentFile.max + 1 }],
    ['NUL as lineage', { lineage: '\0' }],
    ['outputs missing', { outputs: undefined }],
  ])('with its %s is refused', async (_, given) => {
    const job = await applying(await benched());
    const { status, json } = await job.announce(bytesOf('state'), given);
    const [name = ''] = Object.keys(given);
    expect({ status, json }).toEqual({ status: 422, json: unfit(expect.any(String), `/${name}`) });
  });

  it('with more outputs than a body may list is refused before any is looked at', async () => {
    const job = await applying(await benched());
    const outputs = Array(200_000).fill({});
    const { status, json } = await job.announce(bytesOf('state'), { outputs });
    expect(status).toBe(400);
    expect(json.errors).toHaveLength(1);
    expect(json.errors[0].detail).toContain('more than 10000 items');
  });

  const deepType = (levels: number): unknown => (levels === 0 ? 'string' : ['list', deepType(levels - 1)]);
  const deepValue = (levels: number): unknown => (levels === 0 ? 'x' : [deepValue(levels - 1)]);

  it.each([
    ['of a type that is none', [anOutput('a', 'text', 'x')], 0],
    ['of a list of nothing', [anOutput('a', ['list'], [])], 0],
    ['with a name that is there', [anOutput('a', 'string', 'x'), anOutput('a', 'string', 'y')], 1],
    ['without a name', [anOutput('', 'string', 'x')], 0],
    ['with a name of 256 characters', [anOutput('x'.repeat(256), 'string', 'x')], 0],
    ['with a NUL in its name', [anOutput('\0', 'string', 'x')], 0],
    ['with half a character for a name', [anOutput('\ud800', 'string', 'x'), anOutput('\ud801', 'string', 'y')], 0],
    ['of a type of more than 1 MiB', [anOutput('a', ['tuple', Array(200_000).fill('string')], [])], 0],
    ['of more than 1 MiB', [anOutput('a', 'string', 'x'.repeat(1024 * 1024)), anOutput('b', 'string', 'x')], 1],
    ['that is one too many', Array.from({ length: 1001 }, (_, at) => anOutput(`o${at}`, 'number', at)), 1000],
  ])('is kept without an output %s', async (_, outputs, kept) => {
    const bench = await benched();
    const job = await applying(bench);
    const announced = await job.announce(bytesOf('state 1'), { outputs });
    expect(announced).toMatchObject({ status: 201, json: { 'outputs-left-out': outputs.length - kept } });
    expect((await job.upload(announced, bytesOf('state 1'))).status).toBe(200);
    expect((await currentOf(bench)).relationships.outputs.data).toHaveLength(kept);
  });

  it.each([
    ['a value of 200 levels', deepType(200), deepValue(200)],
    ['20,000 items', ['list', 'number'], Array(20_000).fill(1)],
    ['a NUL', 'string', 'a\0b'],
  ])('has its output with %s', async (_, type, value) => {
    const bench = await benched();
    const job = await applying(bench);
    await job.writeState('state 1', { outputs: [anOutput('a', type, value)] });
    const path = `/workspaces/${bench.workspaceId}/current-state-version-outputs`;
    const [output] = (await api.admin.get(path).expect(200)).body.data;
    expect(output.attributes).toMatchObject({ value, 'detailed-type': type });
  });

  /** Pages of the outputs a, b, c and d, of which c is sensitive. */
  const expectPages = async (id: string) => {
    for (const [page, names] of Object.entries({ 1: ['a', 'b', 'c'], 2: ['d'], 3: [] })) {
      const path = `/state-versions/${id}/outputs?page[size]=3&page[number]=${page}`;
      const { data, meta } = (await api.admin.get(path).expect(200)).body;
      expect(
        data.map(({ attributes }: { readonly attributes: { readonly name: string; readonly value: unknown } }) => [
          attributes.name,
          attributes.value,
        ]),
      ).toEqual(names.map((name) => [name, name === 'c' ? null : name.repeat(200_000)]));
      expect(meta.pagination).toMatchObject({ 'current-page': Number(page), 'total-count': 4 });
    }
  };

  it('has outputs that are kept in parts, also where an earlier attempt ended after the first one', async () => {
    const bench = await benched();
    const job = await applying(bench);
    const outputs = ['a', 'b', 'c', 'd'].map((name) => anOutput(name, 'string', name.repeat(200_000), name === 'c'));
    const { outputs: _, ...same } = announcementOf(bytesOf('state 1'));
    const run = { id: job.runId, workspaceId: bench.workspaceId };
    const version = aStateVersion(run, { ...same, outputsRead: false });
    const first = aStateOutput(version, { name: 'a', value: JSON.stringify('a'.repeat(200_000)) });
    await api.unitOfWork.run((tx) => tx.stateVersions.add(version, [first]));
    for (const id of [version.id, expect.not.stringMatching(new RegExp(`^${version.id}$`))]) {
      const state = bytesOf(id === version.id ? 'state 1' : 'state 2');
      const announced = await job.announce(state, { outputs, serial: id === version.id ? 1 : 2 });
      expect(announced).toMatchObject({ status: 201, json: { id, 'outputs-left-out': 0 } });
      expect((await job.upload(announced, state)).status).toBe(200);
      await expectPages(announced.json.id);
    }
  });

  it('is not read for who holds no lease, nor is a report on policies', async () => {
    const bench = await benched();
    const job = await planning(bench);
    const { port } = api.server.address() as AddressInfo;
    for (const what of ['state-versions', 'policy-evaluations/poleval-1']) {
      const sending = request({
        port,
        path: `/agent/v1/runs/${job.runId}/${what}`,
        method: 'POST',
        headers: {
          Authorization: `Bearer ${Reflect.get(bench.agent, 'token')}`,
          Lease: 'another',
          'Content-Type': 'application/json',
          'Content-Length': limits.stateReport.max,
        },
      });
      sending.on('error', () => undefined);
      sending.write('{');
      const [response] = await once(sending, 'response');
      expect(response.statusCode).toBe(409);
      sending.destroy();
    }
  });

  it('is written while a run is applied, and at no other time', async () => {
    const bench = await benched();
    const job = await planning(bench);
    const state = bytesOf('state 1');
    const refused = { status: 409, json: refusedIn('planning') };
    expect(await job.announce(state)).toEqual(refused);
    const lease = { Lease: job.json.lease.token };
    const path = `/agent/v1/runs/${job.runId}/state-versions/sv-1/content`;
    expect(await bench.agent.json('put', path, lease, state)).toEqual(refused);
  });

  it('that was announced, and whose run then ended, is forgotten', async () => {
    const bench = await benched();
    const job = await applying(bench);
    await job.announce(bytesOf('state 1'), { outputs: [anOutput('secret', 'string', 'never-sent')] });
    expect(await api.stored()).toContain('never-sent');
    expect(await job.applied()).toEqual({
      status: 422,
      json: unfit('The announced state version has not been uploaded'),
    });
    expect((await job.report('apply', { status: 'errored', message: 'lost' })).status).toBe(200);
    expect(await api.unitOfWork.read((tx) => tx.stateVersions.pending(job.runId))).toBeUndefined();
  });

  it('whose agent is lost in the middle of the upload is not kept', async () => {
    const bench = await benched();
    const first = await applying(bench);
    await first.writeState('state 1');
    const announced = await first.announce(bytesOf('state 2'), { serial: 2 });
    const before = await stored();
    const answer = await slowly(
      bench.agent,
      first,
      announced.json.upload.url,
      [bytesOf('stat'), bytesOf('e 2')],
      async () => {
        api.clock.advance(61);
        expect(await api.reclaimLostRuns()).toContain(first.runId);
      },
    );
    expect(answer).toEqual({ status: 409, json: leaseLost });
    expect(await stored()).toBe(before);
    expect((await currentOf(bench)).attributes.serial).toBe(1);
  });

  it('that is announced again in the middle of the upload is not kept', async () => {
    const bench = await benched();
    const job = await applying(bench);
    const announced = await job.announce(bytesOf('state 1'));
    const before = await stored();
    const parts = [bytesOf('stat'), bytesOf('e 1')];
    const answer = await slowly(bench.agent, job, announced.json.upload.url, parts, () =>
      job.announce(bytesOf('state 2')),
    );
    expect(answer.status).toBe(404);
    expect(await stored()).toBe(before);
    expect(await currentOf(bench)).toBeUndefined();
  });

  it('that was sent a second time, and whole, in the middle of the upload is kept once', async () => {
    const bench = await benched();
    const job = await applying(bench);
    const announced = await job.announce(bytesOf('state 1'));
    const before = await stored();
    const parts = [bytesOf('stat'), bytesOf('e 1')];
    const answer = await slowly(bench.agent, job, announced.json.upload.url, parts, () =>
      job.upload(announced, bytesOf('state 1')),
    );
    expect(answer.status).toBe(200);
    expect(await stored()).toBe(before + 1);
  });

  it('that another one overtook in the middle of the upload is refused', async () => {
    const bench = await benched();
    const job = await applying(bench);
    const announced = await job.announce(bytesOf('state 1'));
    const before = await stored();
    const parts = [bytesOf('stat'), bytesOf('e 1')];
    const overtaking = aStateVersion({ workspaceId: bench.workspaceId, id: await bench.run() }, { serial: 7 });
    const answer = await slowly(bench.agent, job, announced.json.upload.url, parts, () =>
      api.unitOfWork.run(async (tx) => {
        await tx.stateVersions.add(overtaking, []);
        await tx.stateVersions.finalize(overtaking, aBundle());
      }),
    );
    expect(answer).toEqual({ status: 422, json: unfit(expect.any(String), '/serial') });
    expect(await stored()).toBe(before);
  });

  it('whose upload breaks off leaves the one before it', async () => {
    const bench = await benched();
    const job = await applying(bench);
    await job.writeState('state 1');
    const announced = await job.announce(bytesOf('state 2'), { serial: 2 });
    const before = await stored();
    const { port } = api.server.address() as AddressInfo;
    const broken = request({
      port,
      path: announced.json.upload.url,
      method: 'PUT',
      headers: {
        Authorization: `Bearer ${Reflect.get(bench.agent, 'token')}`,
        Lease: job.json.lease.token,
        'Content-Length': 7,
      },
    });
    broken.on('error', () => undefined);
    const reached = once(api.server, 'request');
    broken.write('stat');
    const [, answer] = await reached;
    const left = once(answer, 'close');
    broken.destroy();
    await left;
    // Its bundle is removed soon after.
    while ((await stored()) !== before) await pause(5);
    expect((await currentOf(bench)).attributes.serial).toBe(1);
    expect((await job.upload(announced, bytesOf('state 2'))).status).toBe(200);
    expect((await currentOf(bench)).attributes.serial).toBe(2);
  });

  it('stays when what was left behind is swept', async () => {
    const bench = await benched();
    const job = await applying(bench, { 'plan-json': '{}' });
    await job.writeState('state 1');
    const before = await stored();
    await api.bundleStore.write('bundle-left', Readable.from([bytesOf('left by a process that was killed')]));
    expect(await stored()).toBe(before + 1);
    expect(await api.sweepBundles(-1)).toBe(1);
    expect(await stored()).toBe(before);
    expect((await currentState(bench, job)).bytes.toString()).toBe('state 1');
  });

  it('is recorded in the audit trail, as is what was refused', async () => {
    const bench = await benched();
    const job = await applying(bench);
    const id = await job.writeState('state 1');
    await job.announce(bytesOf('state 1'), { lineage: 'mine' });
    await api.flushRefusals(true);
    const { body } = await api.admin
      .get(`/organizations/${bench.organization}/audit-events?page[size]=100`)
      .expect(200);
    const written = body.data
      .map(({ attributes }: { attributes: Record<string, unknown> }) => attributes)
      .filter(({ action }: { action: string }) => action === 'state-versions/write');
    expect(written).toHaveLength(2);
    expect(written).toContainEqual(expect.objectContaining({ outcome: 'done', subject: id }));
    expect(written).toContainEqual(expect.objectContaining({ outcome: 'agent-report/invalid' }));
  });
});

describe('what a plan leaves', () => {
  it('is stored while it is planned, and read by the agent that applies it', async () => {
    const bench = await benched();
    const job = await planning(bench);
    expect(job.json['plan-file']).toBeNull();
    expect(await job.artifact('plan-file', bytesOf('the plan'))).toEqual({
      status: 200,
      json: { size: 8, sha256: sha256('the plan') },
    });
    await job.planned();
    await bench.act(job.runId, 'apply');
    const applied = await bench.claimed(job.runId);
    expect(applied.json['plan-file']).toEqual({
      size: 8,
      sha256: sha256('the plan'),
      url: `/agent/v1/runs/${job.runId}/artifacts/plan-file`,
    });
    expect((await applied.planFile()).bytes.toString()).toBe('the plan');
    expect(await applied.artifact('plan-file', bytesOf('another'))).toEqual({
      status: 409,
      json: refusedIn('applying'),
    });
    const before = await stored();
    await applied.applied();
    await api.settle();
    expect(await stored()).toBe(before - 1);
  });

  it('is nothing to an apply whose plan left none', async () => {
    const bench = await benched();
    const job = await applying(bench);
    expect(job.json['plan-file']).toBeNull();
    const path = `/agent/v1/runs/${job.runId}/artifacts`;
    const lease = { Lease: job.json.lease.token };
    const none = refusal(404, 'not found', 'the run has no plan file');
    expect(await bench.agent.json('get', `${path}/plan-file`, lease)).toEqual({ status: 404, json: none });
    expect(await bench.agent.json('get', `${path}/plan-json`, lease)).toEqual({ status: 404, json: missing });
    expect(await bench.agent.json('put', `${path}/anything`, lease, bytesOf('x'))).toEqual({
      status: 404,
      json: missing,
    });
  });

  it('is replaced by what is sent again, whose bytes alone are kept', async () => {
    const bench = await benched();
    const job = await planning(bench);
    const before = await stored();
    for (const text of ['{"a":1}', '{"a":2}'])
      expect((await job.artifact('plan-json', bytesOf(text))).status).toBe(200);
    await api.settle();
    expect(await stored()).toBe(before + 1);
    expect((await planJson(job, 'json-output')).text).toBe('{"a":2}');
  });

  it('is dropped when its agent is lost, and the plan starts again', async () => {
    // Runs of other tests.
    api.clock.advance(61);
    await api.reclaimLostRuns();
    await api.settle();
    const bench = await benched();
    const job = await planning(bench);
    const before = await stored();
    for (const name of ['plan-file', 'plan-json', 'plan-json-redacted']) await job.artifact(name, bytesOf('{}'));
    api.clock.advance(61);
    expect(await api.reclaimLostRuns()).toContain(job.runId);
    await api.settle();
    expect(await stored()).toBe(before);
    expect(await job.artifact('plan-json', bytesOf('{}'))).toEqual({ status: 409, json: leaseLost });
    expect((await planJson(job, 'json-output')).status).toBe(204);
    await bench.act(job.runId, 'cancel');
  });

  it('is not kept when the lease is lost in the middle of the upload', async () => {
    const bench = await benched();
    const job = await planning(bench);
    const before = await stored();
    const path = `/agent/v1/runs/${job.runId}/artifacts/plan-file`;
    const answer = await slowly(bench.agent, job, path, [bytesOf('the '), bytesOf('plan')], () =>
      bench.act(job.runId, 'cancel'),
    );
    expect(answer).toEqual({ status: 409, json: leaseLost });
    expect(await stored()).toBe(before);
  });

  it('may have bytes up to the limit, and is refused before it is sent if it has more', async () => {
    const bench = await benched();
    const job = await planning(bench);
    const { port } = api.server.address() as AddressInfo;
    const sent = request({
      port,
      path: `/agent/v1/runs/${job.runId}/artifacts/plan-json`,
      method: 'PUT',
      headers: {
        Authorization: `Bearer ${Reflect.get(bench.agent, 'token')}`,
        Lease: job.json.lease.token,
        'Content-Length': limits.agentFile.max + 1,
      },
    });
    sent.on('error', () => undefined);
    sent.write('{');
    const [response] = await once(sent, 'response');
    expect(response.statusCode).toBe(413);
    sent.destroy();
    await bench.act(job.runId, 'cancel');
  });

  it('is returned to users as JSON: in full to administrators, redacted to readers of the run', async () => {
    const bench = await benched();
    const job = await planning(bench);
    for (const word of ['json-output', 'json-output-redacted']) {
      const answer = await planJson(job, word);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    }
    await job.artifact('plan-json', bytesOf('{"password":"hunter2"}'));
    await job.artifact('plan-json-redacted', bytesOf('{"password":null}'));
    const whole = await planJson(job, 'json-output');
    expect(whole.status).toBe(200);
    expect(whole.headers['content-type']).toBe('application/json');
    expect(whole.text).toBe('{"password":"hunter2"}');
    const reader = await bench.member('write');
    const id = job.runId.replace('run', 'plan');
    expect((await reader.get(`/plans/${id}/json-output-redacted`).expect(200)).text).toBe('{"password":null}');
    await reader.get(`/plans/${id}/json-output`).expect(404);
    for (const word of ['json-output', 'json-output-redacted']) {
      await api.admin.at('/api/v2').get(`/plans/${id}/${word}`).expect(200);
    }
    const stranger = await api.user(newName('stranger'));
    for (const word of ['json-output', 'json-output-redacted']) {
      expect((await stranger.get(`/plans/${id}/${word}`).expect(404)).body).toEqual(missing);
      expect((await api.admin.get(`/plans/plan-nobody/${word}`).expect(404)).body).toEqual(missing);
    }
    // Files that people read stay when the run is over.
    await job.planned(false);
    await api.settle();
    expect((await planJson(job, 'json-output-redacted')).text).toBe('{"password":null}');
  });
});

it('bytes that went away are missing, to agents and to people', async () => {
  const bench = await benched();
  const job = await applying(bench, { 'plan-file': 'a', 'plan-json': '{}' });
  await job.writeState('state 1');
  for await (const { key } of api.bundleStore.all()) await api.bundleStore.discard(key);
  expect((await currentState(bench, job)).status).toBe(404);
  expect((await job.planFile()).status).toBe(404);
  expect((await job.configuration()).status).toBe(404);
  expect((await planJson(job, 'json-output')).status).toBe(404);
});

const planJson = (job: Job, word: string) =>
  api.admin.get(`/plans/${job.runId.replace('run', 'plan')}/${word}`).buffer();

it('all of it goes with the workspace', async () => {
  const bench = await benched();
  const before = await stored();
  const job = await applying(bench, { 'plan-file': 'a', 'plan-json': '{}' });
  await job.writeState('state 1', { outputs: [anOutput('a', 'string', 'x')] });
  await job.applied();
  const url = (await currentOf(bench)).attributes['hosted-state-download-url'];
  await api.admin.delete(`/workspaces/${bench.workspaceId}`).expect(204);
  await api.anonymous.get(new URL(url).pathname).expect(404);
  await api.settle();
  expect(await stored()).toBeLessThan(before);
});
