import { describe, expect, it } from '@jest/globals';
import { later } from '../../src/domain/index.js';
import { type Caller, missing, newName, prefix, refusal, startApi } from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');

const whoCan = (action: string, more = '', caller: Caller = admin) =>
  caller.get(`/organizations/acme/who-can?filter[action]=${action}${more}`);

const on = (workspace: string) => `&filter[workspace][id]=${workspace}`;

const namesIn = ({ body }: { readonly body: { readonly data: readonly { attributes: { name: string | null } }[] } }) =>
  body.data.map(({ attributes }) => attributes.name);

describe('who can do something', () => {
  it('are people and teams with what gives it, and until when', async () => {
    const [teamName, person] = [newName('team'), newName('person')];
    const [team, workspace] = [await api.team('acme', teamName), await api.workspace('acme', newName())];
    const until = later(api.clock.now(), 3_600);
    await api.grant(team, workspace, { access: 'write', 'expires-at': until });
    const { id } = await api.member('acme', person, [team]);
    await api.member('acme', newName('other'));
    const found = await whoCan('runs/apply', on(workspace)).expect(200);
    expect(namesIn(found)).toEqual(['admin', person, 'owners', teamName]);
    expect(found.body.data[1]).toEqual({
      id,
      type: 'right-holders',
      attributes: {
        kind: 'user',
        name: person,
        invited: false,
        action: 'runs/apply',
        until,
        claims: [
          {
            claim: 'runs: apply',
            'team-id': team,
            'team-name': teamName,
            through: [{ kind: 'team-access', level: 'write', permission: null, until }],
          },
        ],
      },
      relationships: { user: { data: { type: 'users', id } }, team: { data: null } },
    });
    expect(found.body.meta).toMatchObject({
      complete: true,
      'organization-token': false,
      pagination: { 'total-count': 4 },
    });
    const second = await whoCan('runs/apply', `${on(workspace)}&page[size]=3&page[number]=2`).expect(200);
    expect(namesIn(second)).toEqual([teamName]);
    api.clock.advance(3_600);
    expect(namesIn(await whoCan('runs/apply', on(workspace)).expect(200))).toEqual(['admin', 'owners']);
  });

  it('are apart from those who may become so', async () => {
    const workspace = await api.workspace('acme', newName());
    const team = await api.team('acme', newName(), { visibility: 'organization' });
    await api.grant(team, workspace, { access: 'write' });
    const manager = await api.holderOf('acme', 'manage-membership');
    const { 'may-become': may } = (await whoCan('runs/apply', on(workspace)).expect(200)).body.meta;
    expect(may).toMatchObject({ 'organization-token': true, complete: true });
    expect(may.holders).toContainEqual({
      kind: 'user',
      id: manager.id,
      name: expect.any(String),
      by: ['team-members/manage'],
    });
  });

  it('shows invited people, and not suspended ones', async () => {
    const [team, workspace] = [await api.team('acme', newName()), await api.workspace('acme', newName())];
    await api.grant(team, workspace, { access: 'read' });
    const body = {
      data: {
        type: 'organization-memberships',
        attributes: { email: 'soon@example.com' },
        relationships: { teams: { data: [{ type: 'teams', id: team }] } },
      },
    };
    await admin.post('/organizations/acme/organization-memberships', body).expect(201);
    const suspended = await api.member('acme', newName('suspended'), [team]);
    await admin.post(`/admin/users/${suspended.id}/actions/suspend`).expect(200);
    const found = await whoCan('runs/read', on(workspace)).expect(200);
    const invited = found.body.data.find(({ attributes }: { attributes: { invited: boolean } }) => attributes.invited);
    expect(invited.attributes.name).toBe('soon@example.com');
    expect(found.body.data.map(({ id }: { id: string }) => id)).not.toContain(suspended.id);
  });

  it('is answered to owners and the organization token, in part to workspace admins, and to others not at all', async () => {
    const [team, workspace] = [await api.team('acme', newName()), await api.workspace('acme', newName())];
    await api.grant(team, workspace, { access: 'admin' });
    const caller = await api.member('acme', newName(), [team]);
    const part = await whoCan('runs/apply', on(workspace), caller).expect(200);
    expect(part.body.data.map(({ id }: { id: string }) => id)).toEqual([team]);
    expect(part.body.meta).toMatchObject({ complete: false, 'may-become': { holders: [] } });
    const token = await api.organizationToken('acme');
    const whole = await whoCan('runs/apply', on(workspace), token).expect(200);
    expect(whole.body.data).toHaveLength(4);
    expect(whole.body.meta['organization-token']).toBe(false);
    expect((await whoCan('organizations/update', '', caller).expect(404)).body).toMatchObject({
      errors: [{ status: '404' }],
    });
    const stranger = await api.user(newName());
    expect((await whoCan('runs/apply', on(workspace), stranger).expect(404)).body).toEqual(missing);
    expect((await whoCan('runs/apply', on('ws-nothing')).expect(404)).body).toEqual(missing);
  });

  it('is refused for an action of another place, and for two places', async () => {
    const workspace = await api.workspace('acme', newName());
    const elsewhere = await whoCan('organizations/update', on(workspace)).expect(422);
    expect(elsewhere.body).toEqual(
      refusal(422, 'invalid attribute', expect.stringContaining('must be an action on a workspace'), {
        parameter: 'filter[action]',
      }),
    );
    await whoCan('runs/apply').expect(422);
    await whoCan('nothing/at-all').expect(422);
    await whoCan('runs/read', `${on(workspace)}&filter[project][id]=prj-1`).expect(400);
  });
});
