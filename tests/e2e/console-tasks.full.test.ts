import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { ConsolePage } from '../support/console.js';
import { describeConsole } from '../support/console-suite.js';
import { adminToken, type ServiceProcess } from '../support/process.js';
import { RunTaskServer } from '../support/run-task-server.js';
import { savedFile } from '../support/saved-file.js';
import { ServiceSteps } from '../support/service-steps.js';

/** The token of rosa, who is an admin of the workspaces of acme and owns nothing. */
let rosa: string;

/** A server that takes notifications and calls of run tasks. */
let receiver: RunTaskServer;

beforeAll(async () => {
  receiver = await RunTaskServer.start();
});
afterAll(() => receiver.stop());

/** The organization acme with the workspaces network and billing, each with one run, and a policy set. */
async function prepare(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  const files = await archiveOf({ 'main.tf': 'terraform {}\n' });
  for (const workspace of [await service.provision('acme', 'network'), await steps.workspace('billing')]) {
    await steps.uploaded(workspace, files, { 'auto-queue-runs': false });
    await steps.run(workspace, undefined, { message: `first of ${workspace}` });
  }
  const set = { type: 'policy-sets', attributes: { name: 'baseline' } };
  await steps.ask('POST', '/organizations/acme/policy-sets', { data: set });
  rosa = await steps.memberToken('rosa', { 'manage-workspaces': true });
}

const environment = { NOTIFICATION_ALLOWED_HOSTS: '127.0.0.1', RUN_TASK_ALLOWED_HOSTS: '127.0.0.1' };

describeConsole(
  'daily tasks in the console',
  prepare,
  (suite) => {
    it('creates a notification, tests, disables, changes and deletes it', async () => {
      const { view, steps } = suite;
      const { id } = await steps.ask('GET', '/organizations/acme/workspaces/network');
      const kept = async () => (await steps.ask('GET', `/workspaces/${id}/notification-configurations`))[0]?.attributes;
      await view.signIn('/app/acme/workspaces/network', rosa);
      await view.press('link', 'Notifications');
      await view.shows('There is none yet.');
      await view.press('button', 'New notification');
      await view.fill('Name', 'alerts');
      await view.choose('Send to', 'Slack');
      await view.lacks('textbox', 'Secret');
      await view.choose('Send to', 'Webhook');
      await view.fill('URL', 'http://10.0.0.1/');
      await view.fill('Secret', 'hunter2');
      await view.press('checkbox', 'Failed: a run failed, or was canceled or discarded');
      await view.press('button', 'Create notification');
      await view.shows('Unable to complete verification request');
      suite.expectRefusals();
      await view.isAccessible();
      await view.submit('Create notification', { URL: receiver.url });
      await view.shows('The notification was created.');
      expect((await view.rowOf('Notifications', 'alerts')).slice(1, 4)).toEqual(['Webhook', 'Failed', '✓ Enabled']);
      await view.shows('200');
      await view.isAccessible();
      await view.press('button', 'Actions for alerts', 'Send a test to alerts', 'Send test');
      await view.shows('The receiver answered 200.');
      expect(receiver.countOfCalls).toBe(2);
      await view.press('button', 'Actions for alerts', 'Disable alerts', 'Disable notification');
      await view.shows('alerts is disabled.');
      await view.press('button', 'Actions for alerts', 'Change alerts');
      await view.press('checkbox', 'Needs a decision: a run waits for a confirmation or an override');
      await view.submit('Save notification', { URL: 'http://10.0.0.1/' });
      await view.shows('The notification was changed.');
      expect(await kept()).toMatchObject({
        enabled: false,
        'destination-type': 'generic',
        triggers: ['run:needs_attention', 'run:errored'],
      });
      await view.press('button', 'Actions for alerts', 'Enable alerts', 'Enable notification');
      await view.shows('Unable to complete verification request');
      suite.expectRefusals();
      await view.press('button', 'Cancel');
      await view.press('button', 'Actions for alerts', 'Send a test to alerts', 'Send test');
      await view.shows('Unable to complete verification request');
      suite.expectRefusals();
      await view.press('button', 'Cancel');
      await view.shows('No answer');
      await view.press('button', 'Actions for alerts', 'Delete alerts', 'Delete notification');
      await view.shows('There is none yet.');
      expect(await kept()).toBeUndefined();
    });

    it('creates a run task, attaches it to a workspace, changes both, and deletes the task', async () => {
      const { view, steps } = suite;
      const { id } = await steps.ask('GET', '/organizations/acme/workspaces/network');
      const attached = async () => (await steps.ask('GET', `/api/v2/workspaces/${id}/tasks`))[0]?.attributes;
      await view.signIn('/app/acme', adminToken);
      await view.press('link', 'Run tasks of the organization');
      await view.shows('There is none yet.');
      await view.press('button', 'New run task');
      await view.submit('Create run task', { Name: 'a scanner', URL: receiver.url, 'HMAC key': 'hunter2' });
      await view.page.waitForSelector('.field-error');
      suite.expectRefusals();
      await view.isAccessible();
      await view.submit('Create run task', { Name: 'scanner' });
      await view.shows('The run task was created.');
      await view.find('rowheader', 'scanner');
      await view.open('/app/acme/workspaces/network');
      await view.press('link', 'Run tasks');
      await view.shows('call no run task');
      await view.press('button', 'Attach a run task');
      await view.choose('Run task', 'scanner');
      await view.press('checkbox', 'Before the plan');
      await view.choose('Level', 'Mandatory: must pass, or the run stops');
      await view.isAccessible();
      await view.press('button', 'Attach');
      await view.shows('The run task was attached.');
      expect((await view.rowOf('Run tasks', 'scanner')).slice(1, 3)).toEqual([
        'Before the plan, After the plan',
        'Mandatory',
      ]);
      await view.press('button', 'Actions for scanner', 'Change scanner');
      await view.press('checkbox', 'After the plan');
      await view.choose('Level', 'Advisory: is shown, and stops nothing');
      await view.press('button', 'Save');
      await view.shows('The run task was changed.');
      expect(await attached()).toMatchObject({ stages: ['pre_plan'], 'enforcement-level': 'advisory' });
      await view.open('/app/acme/tasks');
      await view.press('button', 'Actions for scanner', 'Change scanner');
      await view.press('checkbox', 'Enabled: runs call it');
      await view.submit('Save run task', { Description: 'Looks for open buckets' });
      await view.shows('The run task was changed.');
      await view.shows('Disabled');
      expect(await view.text()).not.toContain('hunter2');
      await view.press('button', 'Actions for scanner', 'Delete scanner');
      await view.shows('It is detached from one workspace.');
      await view.press('button', 'Delete run task');
      await view.shows('There is none yet.');
      expect(await attached()).toBeUndefined();
    });

    it('lets an admin of a workspace attach a run task by its id, who may not list those of the organization', async () => {
      const { view, steps } = suite;
      const attributes = { name: 'auditor', url: receiver.url, category: 'task' };
      const { id } = await steps.ask('POST', '/organizations/acme/tasks', { data: { type: 'tasks', attributes } });
      await view.signIn('/app/acme/workspaces/billing/tasks', rosa);
      await view.press('button', 'Attach a run task');
      await view.submit('Attach', { 'ID of the run task': 'task-nowhere' });
      await view.shows('the organization has no such run task');
      suite.expectRefusals();
      await view.submit('Attach', { 'ID of the run task': id });
      await view.shows('The run task was attached.');
      await view.press('button', `Actions for ${id}`, `Detach ${id}`, 'Detach run task');
      await view.shows('call no run task');
    });

    it('lists the runs of all workspaces, filtered by what is in the address', async () => {
      const { view, steps } = suite;
      const { id } = await steps.ask('GET', '/organizations/acme/workspaces/network');
      const [run] = await steps.runs(id);
      await view.signIn('/app/acme', rosa);
      await view.press('link', 'Runs of all workspaces');
      await view.find('link', 'network');
      await view.find('link', 'billing');
      await view.choose('Workspace', 'network');
      await view.lacks('link', 'billing');
      await view.choose('Started by', 'A person or a program');
      await view.choose('Status', 'In progress');
      await view.page.waitForFunction(`location.search.includes('status')`);
      expect(await view.address()).toMatch(/^\/app\/acme\/runs\?workspaces=network&source=tfe-api&status=pending/);
      await view.page.reload();
      expect((await view.rowOf('Runs', `first of ${id}`)).slice(1, 2)).toEqual(['network']);
      await view.isAccessible();
      await view.choose('Status', 'Failed');
      await view.shows('No run matches.');
      await view.press('button', 'Remove the workspace network from the filters');
      await view.choose('Status', 'Any');
      await view.find('link', 'billing');
      await view.press('link', `first of ${id}`);
      await view.find('heading', `first of ${id}`);
      expect(await view.address()).toBe(`/app/acme/workspaces/network/runs/${run.id}`);
    });

    it('adds, changes and deletes a parameter of a policy set, and never shows a sensitive one', async () => {
      const { view } = suite;
      await view.signIn('/app/acme/policy-sets', adminToken);
      await view.press('link', 'baseline');
      await view.press('button', 'Add parameter');
      await view.submit('Save parameter', { Key: 'limit', Value: '100' });
      await view.shows('The parameter was added.');
      expect((await view.rowOf('Parameters', 'limit')).slice(1, 2)).toEqual(['100']);
      await view.press('button', 'Actions for limit', 'Change limit');
      await view.press('checkbox', 'Sensitive: the value is never shown again');
      await view.submit('Save parameter', { Value: '4711' });
      await view.shows('sensitive, write-only');
      await view.isAccessible();
      await view.press('button', 'Actions for limit', 'Change limit');
      await view.submit('Save parameter', { Key: 'maximum' });
      await view.find('rowheader', 'maximum');
      expect(await view.text()).not.toContain('4711');
      await view.press('button', 'Actions for maximum', 'Delete maximum', 'Delete parameter');
      await view.shows('There is none yet.');
    });

    it('ends all other sessions, and keeps its own', async () => {
      const { view, service } = suite;
      await view.signIn('/app/settings/tokens', rosa);
      const elsewhere = await view.page.browser().createBrowserContext();
      const other = new ConsolePage(await elsewhere.newPage(), service.url);
      await other.signIn('/app/settings/tokens', rosa);
      await other.shows('This browser');
      await view.page.reload();
      await view.press('button', 'End all others', 'End other sessions');
      await view.shows('The other sessions were ended.');
      await view.lacks('button', 'End all others');
      await other.page.reload();
      await other.find('heading', 'Sign in');
      await elsewhere.close();
      await view.isAccessible();
    });

    it('maps a group of the identity provider to a team, and shows why another is refused', async () => {
      const { view, steps } = suite;
      const { id } = (await steps.ask('GET', '/api/v2/organizations/acme/teams?q=owners'))[0];
      const patch = { data: { type: 'organizations', attributes: { 'sso-groups': ['platform-*'] } } };
      await steps.ask('PATCH', '/admin/organizations/acme', patch);
      await view.signIn(`/app/acme/teams/${id}`, adminToken);
      await view.shows('acme may map: platform-*');
      await view.submit('Save group', { Group: 'sales' });
      await view.page.waitForSelector('.field-error');
      await view.shows('platform-*');
      suite.expectRefusals();
      await view.submit('Save group', { Group: 'platform-owners' });
      await view.shows('The group was saved.');
      await view.isAccessible();
      expect((await steps.ask('GET', `/api/v2/teams/${id}`)).attributes['sso-team-id']).toBe('platform-owners');
      await view.page.reload();
      await view.submit('Save group', { Group: ' ' });
      await view.shows('The group was saved.');
      expect((await steps.ask('GET', `/api/v2/teams/${id}`)).attributes['sso-team-id']).toBeNull();
      // The team has no token.
      suite.expectRefusals();
    });

    it('says who can do something on a project and in the organization, and saves the access report', async () => {
      const { view } = suite;
      await view.signIn('/app/acme/who-can', adminToken);
      await view.choose('On', 'A project');
      await view.choose('Project', 'Default Project');
      await view.choose('Can', 'Create workspaces in it');
      await view.find('rowheader', 'rosa user');
      await view.shows('Manage workspaces');
      await view.choose('On', 'The organization');
      await view.shows('Ownership of the organization');
      await view.choose('Can', 'Create workspaces');
      await view.find('rowheader', 'rosa user');
      expect(await view.address()).toBe('/app/acme/who-can?on=organization&action=workspaces%2Fcreate');
      await view.isAccessible();
      await view.press('button', 'Export access report');
      const { name, bytes } = await savedFile(view, () => view.press('button', 'Save file'));
      expect(name).toBe('acme-access.csv');
      expect(String(bytes)).toContain('rosa');
    });
  },
  () => ({ environment }),
);
