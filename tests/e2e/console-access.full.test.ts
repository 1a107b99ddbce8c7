import { expect, it } from '@jest/globals';
import type { ConsolePage } from '../support/console.js';
import { describeConsole } from '../support/console-suite.js';
import { adminToken, type ServiceProcess } from '../support/process.js';
import { ServiceSteps, until } from '../support/service-steps.js';

const day = 24 * 3600_000;

/** The token of maria, a member of no team. */
let maria: string;

/** The workspace network of acme, two members, and two teams, one with a token that expires soon. */
async function prepare(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  await service.provision('acme', 'network');
  const account = { username: 'maria', email: 'maria@example.com' };
  const { json } = await service.api('POST', '/api/v2/admin/users', { data: { type: 'users', attributes: account } });
  maria = json.included[0].attributes.token;
  await steps.ask('POST', '/api/v2/organizations/acme/organization-memberships', {
    data: { type: 'organization-memberships', attributes: { email: account.email } },
  });
  // Until their first request, members are invited.
  await fetch(`${service.url}/api/v2/account/details`, { headers: { Authorization: `Bearer ${maria}` } });
  const team = (name: string, access: object = {}) => {
    const attributes = { name, visibility: 'organization', 'organization-access': access };
    return steps.ask('POST', '/api/v2/organizations/acme/teams', { data: { type: 'teams', attributes } });
  };
  await team('developers');
  const { id } = await team('auditors', { 'read-workspaces': true });
  await steps.ask('POST', `/api/v2/teams/${id}/authentication-token`, {
    data: {
      type: 'authentication-token',
      attributes: { 'expired-at': new Date(Date.now() + 3 * day - 3600_000).toISOString() },
    },
  });
}

/** Removes the access of the team developers to a workspace, on its access page. */
async function removeAccess(view: ConsolePage, level: string): Promise<void> {
  await view.press('button', `Change the access of developers, ${level}`);
  await view.choose('Access', 'None: what the project and the organization give remains');
  await view.shows('− Lost: ');
  await view.press('button', 'Save access');
  await view.shows('The access of developers was removed.');
  await view.lacks('button', `Change the access of developers, ${level}`);
}

describeConsole('access in the console', prepare, (suite) => {
  it('makes a team, shows the error of a taken name at its field, and deletes the team', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/teams', adminToken);
    await view.find('link', 'developers');
    await view.isAccessible();
    await view.press('button', 'New team');
    await view.submit('Create team', { 'Team name': 'developers' });
    await view.page.waitForSelector('.field-error');
    suite.expectRefusals();
    await view.isAccessible();
    await view.fill('Team name', 'temporary');
    await view.choose('Visible to', 'Every member');
    await view.press('button', 'Create team');
    await view.find('heading', 'temporary');
    const address = await view.address();
    expect(address).toMatch(/^\/app\/acme\/teams\/team-\w+$/);
    await view.shows('The team has no members.');
    await view.press('button', 'Delete team');
    await view.submit('Delete this team', { 'Type temporary to confirm': 'temporary' });
    await view.find('heading', 'Teams');
    expect(await view.has('link', 'temporary')).toBe(false);
    await view.page.goBack();
    await view.find('heading', 'Not found');
    suite.expectRefusals();
  });

  it('adds a person to a team, gives it organization access and a token, and takes these back', async () => {
    const { view, service } = suite;
    await view.signIn('/app/acme/teams?name=dev', adminToken);
    await view.press('link', 'developers');
    await view.shows('The team has no members.');
    await view.choose('Person', 'maria');
    await view.press('button', 'Add to team');
    await view.find('rowheader', 'maria');
    await view.press('checkbox', 'Read workspaces: read every workspace');
    await view.press('button', 'Save organization access');
    await view.shows('The organization access was saved.');
    await view.choose('Team token valid for', '30 days');
    await view.press('button', 'Issue team token');
    await view.shows('It is shown only once.');
    await view.shows('in 29 days');
    await view.shows('soon');
    await view.isAccessible();
    const secret = String(await view.page.evaluate(`document.querySelector('.secret code').textContent`));
    const asked = () =>
      fetch(`${service.url}/api/v2/organizations/acme/workspaces/network`, {
        headers: { Authorization: `Bearer ${secret}` },
      });
    expect((await asked()).status).toBe(200);
    await view.page.reload();
    await view.find('button', 'Replace team token');
    expect(await view.text()).not.toContain(secret);
    await view.press('button', 'Revoke team token', 'Revoke token');
    await view.find('button', 'Issue team token');
    expect((await asked()).status).toBe(401);
    await view.press('button', 'Actions for maria', 'Remove maria', 'Remove from team');
    await view.shows('The team has no members.');
    await view.press('checkbox', 'Read workspaces: read every workspace');
    await view.press('button', 'Save organization access');
    await view.shows('The organization access was saved.');
    // Without a token, the read of it is refused.
    suite.expectRefusals();
  });

  it('invites a person to a team, finds the invitation by its status, and removes it', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/members', adminToken);
    await view.find('rowheader', 'maria');
    await view.press('button', 'Invite a person');
    await view.fill('E-mail address', 'nils@example.com');
    await view.choose('Add to team', 'developers');
    await view.find('checkbox', 'developers');
    await view.isAccessible();
    await view.press('button', 'Invite');
    await view.find('rowheader', 'nils@example.com');
    await view.choose('Status', 'Invited');
    await view.shows('Members: 1');
    expect(await view.address()).toBe('/app/acme/members?status=invited');
    await view.isAccessible();
    await view.press('link', 'developers');
    await view.find('rowheader', 'nils@example.com');
    await view.page.goBack();
    await view.press('button', 'Actions for nils@example.com', 'Remove nils@example.com', 'Remove member');
    await view.shows('No member matches.');
    // The team without a token.
    suite.expectRefusals();
  });

  it('says why the last owner cannot be removed', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/members', adminToken);
    await view.press('button', 'Actions for admin', 'Remove admin', 'Remove member');
    await view.page.waitForSelector('.dialog [role=alert]');
    suite.expectRefusals();
  });

  it('shows which team tokens expire soon, revokes one, and issues the tokens of the organization', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/tokens', adminToken);
    await view.shows('One team token expires within 30 days.');
    await view.choose('Expires', 'Within 7 days');
    await view.find('link', 'auditors');
    await view.shows('in 2 days');
    await view.isAccessible();
    await view.press('button', 'Actions for auditors', 'Revoke the token of auditors', 'Revoke token');
    await view.shows('The token of auditors was revoked.');
    await view.shows('No team token that you manage matches.');
    await view.press('button', 'Issue audit token');
    await view.shows('It is shown only once.');
    await view.press('button', 'Revoke audit token', 'Revoke token');
    await view.find('button', 'Issue audit token');
    // Without tokens, the reads of them are refused.
    suite.expectRefusals();
  });

  it('gives a team access to a workspace, changes it to a custom one, and shows where each right comes from', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces/network', adminToken);
    await view.press('link', 'Access');
    await view.find('heading', 'Team permissions');
    await view.press('button', 'Add team access');
    await view.choose('Team', 'developers');
    await view.choose('Access', 'Write: apply runs, lock, change variables');
    await view.press('button', 'Add access');
    await view.press('button', 'Change the access of developers, write');
    await view.shows('This level changes no permission of the team on the workspace.');
    await view.choose('Access', 'Custom permissions');
    await view.choose('Runs', 'Plan');
    await view.shows('− Lost: Apply runs');
    await view.press('checkbox', 'Lock and unlock the workspace');
    await view.shows('Lock and unlock the workspace, ');
    await view.shows('This concerns 0 people, and the token of the team.');
    await view.isAccessible();
    await view.press('checkbox', 'Lock and unlock the workspace');
    await view.press('button', 'Save access');
    await view.find('cell', 'plan workspace: custom');
    expect(await view.rowOf('Team permissions on this workspace', 'developers')).toEqual([
      'developers',
      'custom ▾',
      'plan W workspace: custom',
      'write W workspace: custom',
      'write W workspace: custom',
      'yes W workspace: custom',
      '– no',
      '– no',
      '?',
    ]);
    expect(await view.rowOf('Team permissions on this workspace', 'auditors')).toContain(
      'read O organization: Read workspaces',
    );
    await view.isAccessible();
    await view.press('button', 'Why developers has these permissions');
    await view.shows('Runs: plan, workspace: custom');
    await view.isAccessible();
    await view.press('link', 'All permissions of developers');
    await view.find('heading', 'Permissions of developers');
    expect(await view.rowOf('Permissions of developers', 'Create runs')).toEqual([
      'Create runs',
      '✓ yes',
      'Create runs through developers, workspace: custom',
      'Create runs',
    ]);
    expect((await view.rowOf('Permissions of developers', 'Apply runs'))[1]).toBe('○ no');
    await view.isAccessible();
    await view.page.reload();
    await view.find('heading', 'Permissions of developers');
    await view.page.goBack();
    await removeAccess(view, 'custom');
  });

  it('gives a team access for some time, and says who can do something until then', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces/network/access', adminToken);
    await view.press('button', 'Add team access');
    await view.choose('Team', 'developers');
    await view.choose('Access', 'Write: apply runs, lock, change variables');
    await view.choose('Ends', '8 hours from now');
    await view.choose('Access afterwards', 'None');
    await view.isAccessible();
    await view.press('button', 'Add access');
    expect((await view.rowOf('Team permissions on this workspace', 'developers'))[1]).toMatch(
      /^write ▾ ends in \d hr\., then none$/,
    );
    await view.press('link', 'Who can');
    await view.find('heading', 'Who can');
    await view.choose('Workspace', 'network');
    await view.choose('Can', 'Apply runs');
    const [, ends, given] = await view.rowOf('Who can', 'developers team, by its token');
    expect([ends, given]).toEqual([
      expect.stringMatching(/^in \d hr\.$/),
      'Apply runs through developers, workspace: write',
    ]);
    await view.page.reload();
    await view.rowOf('Who can', 'admin user');
    await view.isAccessible();
    await view.open('/app/acme/workspaces/network/access');
    await view.press('button', 'Change the access of developers, write');
    await view.choose('Ends', 'Never');
    await view.press('button', 'Save access');
    await until(
      'it has no end',
      async () => (await view.rowOf('Team permissions on this workspace', 'developers'))[1] === 'write ▾',
    );
    await removeAccess(view, 'write');
  });

  it('gives a team access to a project, which reaches its workspaces', async () => {
    const { view, steps } = suite;
    await view.signIn('/app/acme/projects', adminToken);
    await view.press('button', 'New project');
    await view.submit('Create project', { 'Project name': 'platform' });
    await view.find('heading', 'platform');
    await view.shows('No team has access to this project.');
    await view.press('button', 'Add team access');
    await view.choose('Team', 'auditors');
    await view.choose('Access', 'Custom permissions');
    await view.choose('Team access', 'Read');
    await view.choose('Runs', 'Apply');
    await view.press('checkbox', 'Create workspaces');
    await view.isAccessible();
    await view.press('button', 'Add access');
    await view.shows('teams: read');
    await view.shows('runs: apply');
    await view.press('button', 'Actions for auditors', 'Change the access of auditors');
    await view.choose('Access', 'Maintain: admin of its workspaces');
    await view.press('button', 'Save access');
    await view.find('cell', 'maintain');
    await view.isAccessible();
    const id = (await view.address()).split('/').at(-1);
    await steps.ask('POST', '/api/v2/organizations/acme/workspaces', {
      data: {
        type: 'workspaces',
        attributes: { name: 'inside' },
        relationships: { project: { data: { type: 'projects', id } } },
      },
    });
    await view.open('/app/acme/workspaces/inside/access');
    await view.find('cell', 'yes project: maintain');
    await view.press('link', 'Team access to the project');
    await view.press('button', 'Actions for auditors', 'Remove the access of auditors', 'Remove access');
    await view.shows('No team has access to this project.');
  });

  it('answers why a person may do something, and offers a member without access nothing', async () => {
    const { view, steps } = suite;
    const [team] = await steps.ask('GET', '/api/v2/organizations/acme/teams?q=auditors');
    await steps.ask('POST', `/api/v2/teams/${team.id}/relationships/users`, { data: [{ type: 'users', id: 'maria' }] });
    await view.signIn('/app/acme/workspaces/network/access', adminToken);
    await view.press('link', 'Effective permissions');
    await view.find('heading', 'Permissions of admin');
    await view.choose('Person', 'maria');
    await view.press('button', 'Show permissions of the user');
    await view.find('heading', 'Permissions of maria');
    expect((await view.rowOf('Permissions of maria', 'See runs'))[2]).toBe(
      'See runs through auditors, organization: Read workspaces',
    );
    await view.page.goBack();
    await view.find('heading', 'Permissions of admin');
    await view.press('button', 'Account: admin');
    await view.press('menuitem', 'Sign out');
    await view.signIn('/app/acme/workspaces/network/access', maria);
    await view.find('heading', 'Team access to this workspace');
    expect(await view.has('button', 'Add team access')).toBe(false);
    expect(await view.has('heading', 'Team permissions')).toBe(false);
    await view.press('link', 'Effective permissions');
    await view.find('heading', 'Permissions of maria');
    await view.isAccessible();
    expect(await view.has('button', 'Show permissions of the team')).toBe(false);
    await view.press('link', 'Teams', 'auditors');
    await view.find('rowheader', 'maria');
    // Members may manage the token of this team, which has none.
    await view.find('button', 'Issue team token');
    suite.expectRefusals();
    for (const name of ['Delete team', 'Remove maria', 'Add to team', 'Save organization access', 'Save settings']) {
      expect(await view.has('button', name)).toBe(false);
    }
    await view.press('link', 'Members');
    await view.find('rowheader', 'maria');
    expect(await view.has('button', 'Invite a person')).toBe(false);
    await view.press('link', 'Tokens');
    await view.find('heading', 'Team tokens');
    expect(await view.has('button', 'Issue audit token')).toBe(false);
  });

  it('finds a team that no first page has, by what one types', async () => {
    const { view, steps } = suite;
    for (let index = 0; index < 50; index += 1) {
      const attributes = { name: `crowd-${index}`, visibility: 'organization' };
      await steps.ask('POST', '/api/v2/organizations/acme/teams', { data: { type: 'teams', attributes } });
    }
    const last = await steps.ask('POST', '/api/v2/organizations/acme/teams', {
      data: { type: 'teams', attributes: { name: 'zebra', visibility: 'organization' } },
    });
    await view.signIn('/app/acme/workspaces/network/access/rights', adminToken);
    await (await view.find('combobox', 'Team')).click();
    await view.shows('There are more. Type a part of the name.');
    await view.choose('Team', 'zebra');
    await view.press('button', 'Show permissions of the team');
    await view.find('heading', 'Permissions of zebra');
    expect(await view.address()).toContain(last.id);
    await view.open('/app/acme/teams?page=99');
    await view.shows('page 3 of 3');
    expect(await view.address()).toBe('/app/acme/teams?page=3');
    await view.page.setViewport({ width: 390, height: 844 });
    await view.lacks('link', 'Members');
    await view.press('button', 'Menu');
    await view.isAccessible();
    await view.page.setViewport({ width: 390, height: 844 });
    await view.press('link', 'Members');
    await view.find('heading', 'Members');
    await view.lacks('button', 'Close');
  });
});
