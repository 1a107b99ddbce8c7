import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gatehouse } from '../support/command-line.js';
import { FamilyDocuments, newerServer, olderServer } from '../support/family-documents.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { ServiceSteps } from '../support/service-steps.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

let target: ServiceProcess;
let to: ServiceSteps;
const sources: FamilyDocuments[] = [];

beforeAll(async () => {
  target = await ServiceProcess.start({ DATA_DIR: join(await temporaryDirectory(), 'target') });
  to = new ServiceSteps(target);
});

afterAll(async () => {
  for (const source of sources) await source.close();
  await target?.end();
});

async function importing(documents: Parameters<typeof FamilyDocuments.start>[0], ...more: readonly string[]) {
  const source = await FamilyDocuments.start(documents);
  sources.push(source);
  const words = ['import', '--from', source.url, '--to', target.url, '--apply', ...more];
  const environment = { IMPORT_FROM_TOKEN: 'family', IMPORT_TO_TOKEN: adminToken };
  return { source, run: () => gatehouse(words, environment) };
}

const left = (json: Json): Readonly<Record<string, unknown>> =>
  Object.fromEntries(json['not-imported'].map(({ what, count }: Json) => [what, count]));

const first = async (path: string): Promise<Json> => (await to.ask('GET', `/api/v2${path}`))[0];

/** Nothing was created or updated. */
const expectSame = (json: Json): void => {
  for (const counts of Object.values<Json>(json.resources)) expect(counts).toMatchObject({ created: 0, updated: 0 });
};

// The documents are built from published facts, not recorded from an installation.
describe('an import from documents of the family', () => {
  it('comes from an older server, without projects and with flat tags only', async () => {
    const { source, run } = await importing(olderServer, '--all-states');
    const { status, json, err } = await run();
    expect({ status, err, troubles: json.troubles }).toEqual({ status: 0, err: '', troubles: [] });
    const workspace = await first('/organizations/older/workspaces');
    expect(workspace.attributes).toMatchObject({
      name: 'legacy',
      'execution-mode': 'local',
      'terraform-version': '0.12.31',
      'tag-names': ['core'],
      locked: false,
    });
    expect(await to.ask('GET', `/api/v2/workspaces/${workspace.id}/vars`)).toHaveLength(1);
    expect((await first(`/team-workspaces?filter[workspace][id]=${workspace.id}`)).attributes.access).toBe('write');
    const query = 'filter[organization][name]=older&filter[workspace][name]=legacy';
    const states: Json[] = await to.ask('GET', `/api/v2/state-versions?${query}`);
    expect(states.map(({ attributes: { serial, lineage } }) => [serial, lineage])).toEqual([
      [9, 'f0a1'],
      [8, 'f0a1'],
    ]);
    expect((await first('/organizations/older/policies')).attributes).toMatchObject({
      kind: 'sentinel',
      'enforcement-level': 'soft-mandatory',
    });
    expect((await first('/organizations/older/policy-sets')).attributes).toMatchObject({
      global: true,
      'policy-count': 1,
    });
    expect(left(json)).toMatchObject({
      'sensitive variables': 1,
      'repositories of workspaces': 1,
      'lists that the source does not show': 5,
    });
    expect(source.writes).toEqual([
      'POST /api/v2/workspaces/ws-1/actions/lock',
      'POST /api/v2/workspaces/ws-1/actions/unlock',
    ]);
    expectSame((await run()).json);
  });

  it('comes from a newer server, without what this service does not have', async () => {
    const { source, run } = await importing(newerServer, '--organization', 'newer');
    const { status, json, err } = await run();
    expect({ status, err, troubles: json.troubles }).toEqual({ status: 0, err: '', troubles: [] });
    const workspace = await first('/organizations/newer/workspaces');
    const project = (await to.ask('GET', '/api/v2/organizations/newer/projects')).find(
      ({ attributes }: Json) => attributes.name === 'Data',
    );
    expect(workspace.attributes).toMatchObject({ name: 'lake', 'execution-mode': 'agent', 'tag-names': [] });
    const pool = await first('/organizations/newer/agent-pools');
    expect(pool).toMatchObject({ id: workspace.attributes['agent-pool-id'], attributes: { name: 'lakeside' } });
    expect(workspace.relationships.project.data.id).toBe(project.id);
    expect(project.attributes['auto-destroy-activity-duration']).toBeNull();
    const bindings: Json[] = await to.ask('GET', `/api/v2/workspaces/${workspace.id}/tag-bindings`);
    expect(bindings.map(({ attributes: { key, value } }) => `${key}=${value}`)).toEqual(['env=prod', 'flat=']);
    const set = await first('/organizations/newer/varsets');
    expect(set.relationships.parent.data).toEqual({ id: project.id, type: 'projects' });
    expect(set.relationships.workspaces.data).toEqual([{ id: workspace.id, type: 'workspaces' }]);
    const members: Json[] = await to.ask('GET', '/api/v2/organizations/newer/organization-memberships');
    expect(members.map(({ attributes }) => attributes.email.toLowerCase())).toContain('eve@newer.example');
    expect(left(json)).toMatchObject({
      'execution by agent pools that do not come': 1,
      'destruction that is due or follows from inactivity': 2,
      'states shared within a project': 1,
      'groups of an identity provider': 1,
      'members without an address': 1,
      'policy sets from repositories': 1,
      'settings that Gatehouse cannot enforce': 1,
      'tokens of agent pools': null,
      'runs with plans, logs and policy outcomes': 3,
    });
    expect(source.writes).toEqual([]);
    expectSame((await run()).json);
  });
});
