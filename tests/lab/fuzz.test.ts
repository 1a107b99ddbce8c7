import { describe, expect, it } from '@jest/globals';
import type { Outgoing } from '../../lab/fuzz/requests.js';
import { textOfFinding, walk, wrongWith } from '../../lab/fuzz/walk.js';
import { WatchedUnitOfWork } from '../../lab/fuzz/watched-unit-of-work.js';
import type { RunStatus } from '../../src/domain/index.js';
import {
  aBundle,
  aConfigurationVersion,
  anOrganization,
  aRun,
  aStateVersion,
  aWorkspace,
} from '../support/builders.js';
import { published } from '../support/published-description.js';
import { RowsInMemory } from '../support/rows-in-memory.js';
import { seedRun } from '../support/seed-run.js';

describe('generated requests', () => {
  it('are answered as described (the first 200)', async () => {
    const { findings, counts } = await walk({ seed: 6, requests: 200, rows: new RowsInMemory() });
    expect(findings.map(textOfFinding)).toEqual([]);
    expect([...counts.values()].flatMap((byStatus) => [...byStatus.keys()])).toEqual(
      expect.arrayContaining([200, 201, 202, 204, 400, 401, 404, 405, 409, 422]),
    );
  });
});

describe('what looks at the answers', () => {
  const outgoing: Outgoing = { operation: 'showHealth', caller: 'nobody', method: 'GET', url: '/healthz', headers: {} };
  const headers = { 'x-request-id': 'c8b0e0f2-0d2b-4a53-9b77-0c4a5d2f7c11', 'content-length': '15' };
  const answer = { status: 200, headers: { ...headers, 'content-type': 'application/json' }, text: '{"status":"ok"}' };

  it.each([
    ['a fault', { ...answer, status: 500 }, /500 is a fault/],
    ['blame', { ...answer, status: 409, text: '{"detail":"x was changed by another request"}' }, /blames others/],
    ['a status that is not described', { ...answer, status: 203 }, /203 is not described/],
    ['another schema', { ...answer, text: '{"status":"fine"}' }, /status/],
    ['no JSON', { ...answer, text: '{' }, /cannot be read/],
    ['a stack', { ...answer, text: '{"status":"Error\n    at f (a.ts:1:2)"}' }, /internals/],
    ['a secret', { ...answer, text: `{"status":"gatehouse.v1.${'a'.repeat(48)}"}` }, /secret/],
    ['no name of its own', { ...answer, headers: {} }, /X-Request-Id/],
    ['nothing', answer, /^$/],
  ])('finds %s', (_what, given, fault) => {
    expect(wrongWith(published, outgoing, given) ?? '').toMatch(fault);
  });

  const watchedRun = async (status: RunStatus) => {
    const rows = new WatchedUnitOfWork(new RowsInMemory(), () => '2030-01-01T00:00:00.000Z');
    const organization = anOrganization();
    const workspace = aWorkspace(organization);
    const version = aConfigurationVersion(workspace);
    const run = aRun(workspace, version.state, { status });
    await rows.run(async (tx) => {
      await tx.organizations.add(organization);
      await tx.workspaces.add(workspace);
      await tx.configurationVersions.add(version);
      await tx.runs.add(run);
    });
    return { rows, run };
  };

  it('finds what goes where no lifecycle leads', async () => {
    const { rows, run } = await watchedRun('pending');
    expect(rows.wrong).toEqual([]);
    await seedRun(rows, { ...run.state, createdBy: null, status: 'applied' });
    expect(rows.wrong).toEqual([`${run.state.id} went from pending to applied`]);
  });

  it('finds a state that goes back', async () => {
    const { rows, run } = await watchedRun('applying');
    rows.wrong.length = 0;
    const [newer, older] = [aStateVersion(run.state, { serial: 5 }), aStateVersion(run.state, { serial: 4 })];
    for (const state of [newer, older]) {
      await rows.run(async (tx) => {
        await tx.stateVersions.add(state, []);
        await tx.stateVersions.finalize(state, aBundle());
      });
    }
    expect(rows.wrong).toEqual([expect.stringMatching(`^${older.id} has the serial 4 .* after 5`)]);
  });
});
