import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { LeasedRun } from '../../src/agent/service/leased-run.js';
import { ServiceClient } from '../../src/agent/service/service-client.js';
import { startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { inTemporaryDirectory } from '../support/process.js';
import { noteSecret } from '../support/secrets-in-logs.js';

const api = await startApi();

const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const anOutput = (name: string, value: unknown) => ({ name, type: 'dynamic', value, sensitive: false });

describe('a state whose outputs are', () => {
  it.each([
    ['as the service takes them', [anOutput('a', 1)], 1, undefined],
    ['nested too deep', [anOutput('a', deep(2000))], 0, /^The outputs were not stored .*nested deeper than 512 levels/],
    [
      'too long together',
      [anOutput('a', 'x'.repeat(2 ** 24))],
      0,
      /^The outputs were not stored .*exceed the size limit of the service/,
    ],
    [
      'more than a body may list',
      Array(10_001).fill(anOutput('a', 1)),
      0,
      /^The outputs were not stored .*more than 10000/,
    ],
    ['partly too long', [anOutput('a', 1), anOutput('b', 'x'.repeat(2 ** 21))], 1, /^1 of the outputs were not stored/],
  ])('%s is the current one, and omitted outputs are reported', async (_, outputs, kept, told) => {
    const bench = await Bench.make(api);
    await bench.version();
    const runId = await bench.run();
    await bench.planned(runId);
    await bench.act(runId, 'apply');
    const token: string = Reflect.get(bench.agent, 'token');
    noteSecret(token);
    const client = new ServiceClient(
      `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`,
      token,
      () => undefined,
    );
    const job = await client.claim('ours', 0, new AbortController().signal);
    if (job === undefined) throw new Error('there was nothing to claim');
    noteSecret(job.lease.token);
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'state');
      await writeFile(file, 'state');
      const md5 = createHash('md5').update('state').digest('hex');
      const state = { serial: 1, lineage: 'ours', md5, size: 5, outputs };
      const answer = await new LeasedRun(client, job).storeState(state, file);
      if (told === undefined) expect(answer).toBeUndefined();
      else expect(answer).toMatch(told);
    });
    const { body } = await api.admin.get(`/workspaces/${bench.workspaceId}/current-state-version`).expect(200);
    expect(body.data.relationships.outputs.data).toHaveLength(kept);
  });
});
