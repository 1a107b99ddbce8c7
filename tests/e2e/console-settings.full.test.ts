import { expect, it } from '@jest/globals';
import { describeConsole } from '../support/console-suite.js';
import { adminToken, type ServiceProcess } from '../support/process.js';
import { savedFile } from '../support/saved-file.js';
import { ServiceSteps, until } from '../support/service-steps.js';
import { stateOf, writeStates } from '../support/written-states.js';

/** The organization acme with the workspaces network, which has two states, and billing, and a global variable set. */
async function prepare(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  await writeStates(steps, await service.provision('acme', 'network'));
  await steps.workspace('billing');
  await steps.ask('POST', '/organizations/acme/varsets', {
    data: {
      type: 'varsets',
      attributes: { name: 'everywhere', global: true },
      relationships: {
        vars: {
          data: [
            { type: 'vars', attributes: { key: 'region', value: 'eu-west-1', category: 'terraform' } },
            { type: 'vars', attributes: { key: 'owner', value: 'platform', category: 'terraform' } },
          ],
        },
      },
    },
  });
}

describeConsole('the settings in the console', prepare, (suite) => {
  it('adds, changes and deletes a variable of a workspace, and shows which of two runs receive', async () => {
    const { view, steps } = suite;
    await view.signIn('/app/acme/workspaces/network', adminToken);
    await view.press('link', 'Variables');
    await view.find('rowheader', 'owner');
    await view.press('button', 'Add variable');
    await view.submit('Save variable', { Key: 'not a key', Value: 'us-east-1' });
    await view.page.waitForSelector('.field-error');
    suite.expectRefusals();
    await view.isAccessible();
    await view.submit('Save variable', { Key: 'region' });
    await view.shows('The variable was added.');
    await view.shows('overridden by this workspace');
    await view.press('button', 'Actions for region', 'Change region');
    await view.press('checkbox', 'Sensitive: the value is never shown again');
    await view.press('button', 'Save variable');
    await view.shows('The variable was changed.');
    await view.shows('sensitive, write-only');
    expect(await view.text()).not.toContain('us-east-1');
    await view.isAccessible();
    await view.press('button', 'Actions for region', 'Change region');
    await view.fill('Value', '"us-east-2"');
    await view.press('checkbox', 'HCL: the value is an expression');
    await view.press('button', 'Save variable');
    await view.page.waitForSelector('aria/[role="dialog"]', { hidden: true });
    await view.press('button', 'Actions for region', 'Delete region', 'Delete variable');
    await view.shows('The variable was deleted.');
    const { id } = await steps.ask('GET', '/organizations/acme/workspaces/network');
    expect(await steps.ask('GET', `/api/v2/workspaces/${id}/vars`)).toEqual([]);
  });

  it('creates a variable set, fills it, and attaches it to a workspace and a project', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces', adminToken);
    await view.press('link', 'Variable sets');
    await view.find('link', 'everywhere');
    await view.press('button', 'New variable set');
    await view.fill('Name', 'cloud');
    await view.press('checkbox', 'Priority: its variables override those of workspaces and runs');
    await view.press('button', 'Create variable set');
    await view.find('heading', 'cloud');
    await view.press('button', 'Add variable');
    await view.fill('Key', 'TOKEN');
    await view.fill('Value', 'hunter2');
    await view.choose('Category', 'Environment variable');
    await view.press('checkbox', 'Sensitive: the value is never shown again');
    await view.press('button', 'Save variable');
    await view.find('rowheader', 'TOKEN');
    await view.press('button', 'Attach a workspace to workspaces');
    await view.fill('Workspace', 'nowhere', 'combobox');
    await view.press('button', 'Attach');
    await view.shows('There is no workspace of this name.');
    suite.expectRefusals();
    await view.fill('Workspace', 'billing', 'combobox');
    await view.press('button', 'Attach');
    await view.find('link', 'billing');
    await view.press('button', 'Attach a project to projects');
    await view.fill('Project', 'Default Project', 'combobox');
    await view.press('button', 'Attach');
    await view.find('rowheader', 'Default Project');
    await view.isAccessible();
    await view.press(
      'button',
      'Actions for Default Project of projects',
      'Detach Default Project from projects',
      'Detach project',
    );
    await view.shows('Not attached to any project.');
    await view.press('link', 'billing', 'Variables', 'cloud');
    await view.press('button', 'Delete set', 'Delete variable set');
    await view.find('link', 'everywhere');
    expect(await view.has('link', 'cloud')).toBe(false);
    await view.isAccessible();
  });

  it('compares two states, shows one with its outputs, and rolls back to it under a lock', async () => {
    const { view, service } = suite;
    await view.signIn('/app/acme/workspaces/network', adminToken);
    await view.press('link', 'States');
    await view.find('link', 'State 2');
    await view.isAccessible();
    await view.press('button', 'Compare');
    await view.shows('Resources: 1 added, 1 changed, 1 removed. Outputs: 2 changed.');
    await view.shows('aws_vpc.main["c"]');
    await view.find('rowheader', 'cidr_block');
    expect(await view.text()).toContain('10.1.0.0/16');
    expect(await view.text()).not.toContain('secret-');
    await view.isAccessible();
    await view.page.reload();
    await view.press('link', 'State 1');
    await view.find('rowheader', 'cidr');
    await view.press('button', 'Show the value of password');
    await view.shows('secret-1');
    await view.isAccessible();
    const download = await (await view.find('link', 'Download')).evaluate((link) => link.getAttribute('href'));
    expect(await (await fetch(String(download))).json()).toEqual(stateOf(1, '10.0.0.0/16', ['a', 'b']));
    expect(String(download).startsWith(service.url)).toBe(true);
    await view.press('button', 'Roll back', 'Roll back state');
    await view.shows('The state was rolled back.');
    await view.press('link', 'States');
    await view.shows('rollback to');
    await view.press('link', 'State 1');
    await view.shows('This state is the current one.');
    await view.press('link', 'States');
    await view.press('button', 'Lock');
    await view.submit('Lock workspace', { 'Reason (optional)': 'Maintenance' });
    await view.find('button', 'Unlock');
  });

  it('changes the settings of a workspace, renames it, and deletes it', async () => {
    const { view, steps } = suite;
    await steps.workspace('drafts');
    await view.signIn('/app/acme/workspaces/drafts', adminToken);
    await view.press('link', 'Settings');
    await view.fill('Tags', 'network, Core');
    await view.fill('Terraform version', 'whatever');
    await view.press('checkbox', 'Apply automatically after a plan that succeeded');
    await view.press('button', 'Save settings');
    await view.page.waitForSelector('.field-error');
    suite.expectRefusals();
    await view.submit('Save settings', { 'Terraform version': '~> 1.11.0', Name: 'sketches' });
    await view.shows('The settings were saved.');
    await view.find('link', 'sketches');
    expect(await view.address()).toBe('/app/acme/workspaces/sketches/settings');
    const { attributes } = await steps.ask('GET', '/api/v2/organizations/acme/workspaces/sketches');
    expect(attributes).toMatchObject({
      'auto-apply': true,
      'tag-names': ['core', 'network'],
      'terraform-version': '~> 1.11.0',
      'setting-overwrites': { 'execution-mode': false },
    });
    await view.choose('Execution mode', 'Local: only states are kept here');
    await view.press('button', 'Save settings');
    await until('the mode is local', async () => {
      const shown = await steps.ask('GET', '/api/v2/organizations/acme/workspaces/sketches');
      return shown.attributes['execution-mode'] === 'local';
    });
    await view.isAccessible();
    await view.press('button', 'Delete workspace');
    await view.submit('Delete', { 'Type sketches to confirm': 'sketches' });
    await view.shows('The workspace sketches was deleted.');
    // Its stream may report the deletion before the page is left.
    suite.expectRefusals();
    expect(await view.address()).toBe('/app/acme/workspaces');
    expect(await view.has('link', 'sketches')).toBe(false);
  });

  it('creates an organization, changes its settings, and deletes it', async () => {
    const { view } = suite;
    await view.signIn('/app', adminToken);
    await view.press('button', 'New organization');
    await view.submit('Create organization', { Name: 'globex' });
    await view.press('link', 'General');
    await view.choose('Execution mode', 'Agent: agents of a pool');
    await view.press('button', 'Save settings');
    await view.page.waitForSelector('.field-error');
    suite.expectRefusals();
    await view.choose('Execution mode', 'Local: only states are kept here');
    await view.submit('Save settings', { Name: 'initech' });
    await view.find('link', 'initech');
    await view.isAccessible();
    await view.press('button', 'Delete organization');
    await view.submit('Delete', { 'Type initech to confirm': 'initech' });
    await view.shows('The organization initech was deleted.');
    expect(await view.address()).toBe('/app');
  });

  it('creates a policy with code, attaches it to a set, and excludes a workspace', async () => {
    const { view, steps } = suite;
    await view.signIn('/app/acme/workspaces', adminToken);
    await view.press('link', 'Policies');
    await view.press('button', 'New policy');
    await view.fill('Name', 'tags');
    await view.fill('Query', 'data.tags.deny');
    await view.choose('Enforcement level', 'mandatory');
    await view.press('button', 'Create policy');
    await view.find('heading', 'tags');
    await view.submit('Save code', { Source: 'package tags' });
    await view.shows('The code was saved.');
    await view.page.reload();
    const code = await (await view.find('textbox', 'Source')).evaluate((field) => field.textContent);
    expect(code).toBe('package tags');
    await view.isAccessible();
    await view.press('link', 'Policy sets');
    await view.press('button', 'New policy set');
    await view.fill('Name', 'baseline');
    await view.press('checkbox', 'Global: applies to every workspace in the organization');
    await view.press('button', 'Create policy set');
    await view.find('heading', 'baseline');
    await view.press('button', 'Attach a policy to policies');
    await view.fill('Policy', 'tags', 'combobox');
    await view.press('button', 'Attach');
    await view.find('link', 'tags');
    await view.press('button', 'Exclude a workspace to excluded workspaces');
    await view.fill('Workspace', 'billing', 'combobox');
    await view.press('button', 'Exclude');
    await view.find('link', 'billing');
    await view.press('button', 'Exclude a project to excluded projects');
    await view.fill('Project', 'Default Project', 'combobox');
    await view.press('button', 'Exclude');
    await view.find('rowheader', 'Default Project');
    await view.isAccessible();
    await view.press('link', 'tags', 'baseline');
    await view.press('button', 'Delete set', 'Delete policy set');
    await view.shows('There are no policy sets yet.');
    expect(await steps.ask('GET', '/api/v2/organizations/acme/policies')).toMatchObject([
      { attributes: { name: 'tags', uploaded: true, 'enforcement-level': 'mandatory', 'policy-set-count': 0 } },
    ]);
  });

  it('issues a token of an agent pool once, says whether its agent is in contact, and revokes it', async () => {
    const { view, steps } = suite;
    // The minutes of the page pass when the test says so, and it looks every moment.
    const { identifier } = await view.page.evaluateOnNewDocument(`{
      const [now, every] = [Date.now, setInterval];
      globalThis.later = 0;
      Date.now = () => now() + later;
      globalThis.setInterval = (act, pause, ...rest) => every(act, Math.min(pause, 500), ...rest);
    }`);
    await view.signIn('/app/acme/workspaces', adminToken);
    await view.press('link', 'Agent pools');
    await view.press('button', 'New agent pool');
    await view.submit('Create agent pool', { Name: 'rack' });
    await view.find('heading', 'rack');
    await view.submit('Issue token', { Description: 'rack 4' });
    await view.shows('It is shown only once.');
    await view.shows('Never connected');
    const secret = String(await view.page.evaluate(`document.querySelector('.secret code').textContent`));
    await view.isAccessible();
    await view.shows('No agent is in contact (tokens in use: 0 of 1).');
    expect(await steps.agent(secret).claim()).toBeUndefined();
    await view.page.reload();
    await view.shows('Agents in contact: rack 4 (tokens in use: 1 of 1).');
    expect(await view.text()).not.toContain(secret);
    await view.page.evaluate('later = 4 * 60_000');
    await view.shows('No agent is in contact (tokens in use: 0 of 1).');
    await view.shows('Silent');
    await view.isAccessible();
    await view.page.removeScriptToEvaluateOnNewDocument(identifier);
    await view.page.reload();
    await view.press('button', 'Actions for rack 4', 'Revoke rack 4', 'Revoke token');
    await view.shows('No tokens yet.');
    await view.press('checkbox', 'Available to every workspace in the organization');
    await view.press('button', 'Save settings', 'Allow a workspace to allowed workspaces');
    await view.fill('Workspace', 'network', 'combobox');
    await view.press('button', 'Allow');
    await view.find('link', 'network');
    await view.press('button', 'Delete pool', 'Delete agent pool');
    await view.shows('There are no agent pools yet.');
  });

  it('finds events of the audit trail by action and time, and saves those found', async () => {
    const { view, steps } = suite;
    await view.signIn('/app/acme/workspaces', adminToken);
    await view.press('link', 'Audit trail');
    await view.find('rowheader', 'workspaces/create');
    await view.find('link', 'admin');
    await view.fill('Action', 'state-versions/create', 'searchbox');
    await view.page.waitForFunction(
      `[...document.querySelectorAll('tbody th')].every(({ textContent }) => textContent === 'state-versions/create')`,
    );
    await view.find('rowheader', 'state-versions/create');
    expect(await view.address()).toBe('/app/acme/audit?action=state-versions%2Fcreate');
    await view.isAccessible();
    await view.press('button', 'Export');
    await view.find('heading', 'Export audit events?');
    await view.isAccessible();
    const file = await savedFile(view, () => view.press('button', 'Save file'));
    await view.shows('audit-events-acme.ndjson was saved.');
    expect(file.name).toBe('audit-events-acme.ndjson');
    const events = file.bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const found = '/organizations/acme/audit-events?filter[action]=state-versions/create';
    const listed: readonly { readonly id: string }[] = await steps.ask('GET', found);
    expect(events.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).reverse());
    await view.fill('Action', 'runs/report', 'searchbox');
    await view.shows('No event matches.');
    await view.open('/app/acme/audit?since=2999-01-31T09%3A00%3A00.000Z');
    await view.shows('No event matches.');
  });

  it('creates, suspends and deletes a user, as a site administrator', async () => {
    const { view, service, steps } = suite;
    await view.signIn('/app', adminToken);
    await view.press('button', 'Account: admin');
    await view.press('menuitem', 'Site administration');
    await view.press('button', 'New user');
    await view.submit('Create user', { Username: 'mallory', 'E-mail address': 'mallory@example.com' });
    await view.shows('The first token of mallory.');
    const secret = String(await view.page.evaluate(`document.querySelector('.secret code').textContent`));
    const statusOf = async (): Promise<number> => {
      const headers = { Authorization: `Bearer ${secret}` };
      return (await fetch(`${service.url}/api/v2/account/details`, { headers })).status;
    };
    expect(await statusOf()).toBe(200);
    await view.isAccessible();
    await view.press('button', 'Actions for mallory', 'Suspend mallory', 'Suspend user');
    await view.shows('✕ Suspended');
    expect(await statusOf()).toBe(401);
    expect(await view.has('button', 'Suspend admin')).toBe(false);
    await view.press('button', 'Actions for mallory', 'Delete mallory');
    await view.submit('Delete user', { 'Type mallory to confirm': 'mallory' });
    await view.shows('mallory was deleted.');
    await view.press('link', 'Site audit trail');
    await view.find('rowheader', 'users/manage');
    await view.press('link', 'Failing jobs');
    await view.shows('No background job fails.');
    await view.press('link', 'Site agent pools');
    await view.press('button', 'New site agent pool');
    await view.submit('Create agent pool', { Name: 'ours' });
    await view.find('heading', 'ours');
    await view.shows('No tokens yet.');
    await view.isAccessible();
    expect(await steps.ask('GET', '/admin/agent-pools')).toMatchObject([{ attributes: { name: 'ours' } }]);
  });

  it('offers a reader nothing of this', async () => {
    const { view, steps } = suite;
    const token = await steps.memberToken('readers', { 'read-workspaces': true });
    await view.signIn('/app/acme/workspaces/network', token);
    await view.find('heading', 'network');
    for (const name of ['Settings', 'General', 'Variable sets', 'Policies', 'Agent pools', 'Audit trail'])
      expect(await view.has('link', name)).toBe(false);
    await view.press('link', 'Variables');
    await view.find('rowheader', 'owner');
    expect(await view.has('button', 'Add variable')).toBe(false);
    expect(await view.has('link', 'everywhere')).toBe(false);
    await view.press('link', 'States', 'State 1');
    await view.find('heading', 'About');
    expect(await view.has('button', 'Roll back')).toBe(false);
  });
});
