import { expect, it } from '@jest/globals';
import { describeConsole } from '../support/console-suite.js';
import { adminToken, type ServiceProcess } from '../support/process.js';
import { ServiceSteps } from '../support/service-steps.js';

/** The organization acme with the workspaces network and billing, a project, and a global variable set. */
async function prepare(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  await service.provision('acme', 'network');
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
    await view.fill('Key', 'not a key');
    await view.fill('Value', 'us-east-1');
    await view.press('button', 'Save variable');
    await view.page.waitForSelector('.field-error');
    suite.expectRefusals();
    await view.isAccessible();
    await view.fill('Key', 'region');
    await view.press('button', 'Save variable');
    await view.shows('The variable was added.');
    await view.shows('overridden by this workspace');
    await view.press('button', 'Change region');
    await view.press('checkbox', 'Sensitive: the value is never shown again');
    await view.press('button', 'Save variable');
    await view.shows('The variable was changed.');
    await view.shows('sensitive, write-only');
    expect(await view.text()).not.toContain('us-east-1');
    await view.isAccessible();
    await view.press('button', 'Change region');
    await view.fill('Value', '"us-east-2"');
    await view.press('checkbox', 'HCL: the value is an expression');
    await view.press('button', 'Save variable');
    await view.page.waitForSelector('aria/[role="dialog"]', { hidden: true });
    await view.press('button', 'Delete region');
    await view.press('button', 'Delete variable');
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
    await view.press('button', 'Detach Default Project from projects');
    await view.press('button', 'Detach project');
    await view.shows('The set is attached to no project.');
    await view.press('link', 'billing');
    await view.press('link', 'Variables');
    await view.press('link', 'cloud');
    await view.press('button', 'Delete set');
    await view.press('button', 'Delete variable set');
    await view.find('link', 'everywhere');
    expect(await view.has('link', 'cloud')).toBe(false);
    await view.isAccessible();
  });
});
