import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Caller, doc, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const api = await startApi({ prefix });
const provider = 'provider["terraform.io/builtin/terraform"]';
const resource = { mode: 'managed', type: 'terraform_data', name: 'disk', provider, instances: [{}] };

const stateOf = (serial: number, resources: readonly object[]): string =>
  JSON.stringify({ version: 4, terraform_version: '1.11.4', serial, resources });

describe('a workspace that manages resources', () => {
  let bench: Bench;
  let admin: Caller;
  let path: string;
  beforeAll(async () => {
    bench = await Bench.make(api);
    path = `/workspaces/${bench.workspaceId}`;
    admin = await bench.member('admin');
    await bench.version();
  });

  const applied = async (serial: number, resources: readonly object[]): Promise<void> => {
    const run = await bench.run();
    await bench.planned(run);
    await bench.act(run, 'apply');
    const job = await bench.claimed(run);
    await job.writeState(stateOf(serial, resources), { serial, outputs: [] });
    await job.applied();
    await api.settle();
  };

  const allow = (allowed: boolean) =>
    api.admin
      .patch(`/organizations/${bench.organization}`, doc('organizations', { 'allow-force-delete-workspaces': allowed }))
      .expect(200);

  const mayForce = async (caller: Caller): Promise<boolean> =>
    (await caller.get(path).expect(200)).body.data.attributes.permissions['can-force-delete'];

  it('is deleted by owners alone, unless the organization allows it to its admins', async () => {
    await applied(1, [resource]);
    expect([await mayForce(admin), await mayForce(api.admin)]).toEqual([false, true]);
    const refused = await admin.delete(path).expect(404);
    expect(refused.body).toEqual(refusal(404, 'not found', 'not authorized: requires owner'));
    await allow(true);
    expect(await mayForce(admin)).toBe(true);
    await allow(false);
    // Without resources, nothing is lost.
    await applied(2, []);
    await admin.delete(path).expect(204);
  });

  it('is deleted by its admins where the organization allows it, and by owners anywhere', async () => {
    for (const [allowed, deletes] of [
      [true, 'admin'],
      [false, 'owner'],
    ] as const) {
      bench = await Bench.make(api);
      path = `/workspaces/${bench.workspaceId}`;
      admin = await bench.member('admin');
      await bench.version();
      await allow(allowed);
      await applied(1, [resource]);
      await (deletes === 'admin' ? admin : api.admin).delete(path).expect(204);
    }
  });
});
