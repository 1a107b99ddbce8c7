import { expect, it } from '@jest/globals';
import { describeConsole } from '../support/console-suite.js';
import { adminToken, type ServiceProcess } from '../support/process.js';
import { ServiceSteps, until } from '../support/service-steps.js';

const address = '/app/acme/workspaces/network/settings';
/** A port at which nothing listens. */
const cloneUrl = 'http://127.0.0.1:1/acme/network.git';

let network: string;

/** The organization acme with the workspaces network and billing. */
async function prepare(service: ServiceProcess): Promise<void> {
  network = await service.provision('acme', 'network');
  await new ServiceSteps(service).workspace('billing');
}

const attributesOf = async (steps: ServiceSteps) => (await steps.ask('GET', `/workspaces/${network}`)).attributes;

describeConsole(
  'the settings of a workspace in the console',
  prepare,
  (suite) => {
    it('link a repository, show the key of its webhook once, and unlink it', async () => {
      const { view, steps } = suite;
      await view.signIn(address, adminToken);
      await view.shows('No repository is linked.');
      await view.press('button', 'Link a repository');
      await view.submit('Save link', { 'Clone URL': 'git@git.example.com:acme/network.git' });
      await view.page.waitForSelector('.field-error');
      suite.expectRefusals();
      await view.isAccessible();
      await view.submit('Save link', { 'Clone URL': cloneUrl, Branch: 'main', Credential: 'ours' });
      await view.shows('Webhook key.');
      const key = String(await view.page.evaluate(`document.querySelector('.secret code').textContent`));
      expect(key.length).toBeGreaterThan(20);
      const { 'vcs-repo': repository } = await attributesOf(steps);
      expect(repository).toMatchObject({ 'clone-url': cloneUrl, branch: 'main', credential: 'ours' });
      await view.shows(suite.service.url + repository['webhook-url']);
      await view.isAccessible();
      await view.press('button', 'Change the link');
      await view.submit('Save link', { Branch: 'next' });
      await until('the branch is changed', async () => (await attributesOf(steps))['vcs-repo'].branch === 'next');
      await view.page.reload();
      await view.shows('next');
      expect(await view.text()).not.toContain(key);
      await view.press('button', 'Fetch the newest commit');
      await view.shows('The newest commit becomes a configuration version.');
      expect(await steps.versions(network)).toHaveLength(1);
      await view.press('button', 'Unlink the repository', 'Unlink repository');
      await view.shows('No repository is linked.');
      expect((await attributesOf(steps))['vcs-repo']).toBeNull();
    });

    it('choose the workspaces that read its state, or all of them', async () => {
      const { view, steps } = suite;
      await view.signIn(address, adminToken);
      await view.shows('No workspace can read this state.');
      await view.press('button', 'Allow a workspace to remote state consumers');
      await view.fill('Workspace', 'billing', 'combobox');
      await view.press('button', 'Allow');
      await view.find('link', 'billing');
      await view.shows('Consumers: 1');
      await view.isAccessible();
      await view.press(
        'button',
        'Actions for billing of remote state consumers',
        'Remove billing from remote state consumers',
        'Remove workspace',
      );
      await view.shows('No workspace can read this state.');
      await view.press('checkbox', 'Share the state with every workspace of the organization');
      await view.press('button', 'Save settings');
      await view.shows('Every workspace in the organization can read this state.');
      expect(await attributesOf(steps)).toMatchObject({ 'global-remote-state': true });
    });

    it('set how long old files are kept', async () => {
      const { view, steps } = suite;
      const policy = `/workspaces/${network}/relationships/data-retention-policy`;
      await view.signIn(address, adminToken);
      await view.choose('Old files', 'Delete them after a number of days');
      await view.fill('Days', '0', 'spinbutton');
      // The error of a field disappears, and moves the button, while the button is pressed.
      await view.page.keyboard.press('Enter');
      await view.page.waitForSelector('.field-error');
      suite.expectRefusals();
      await view.isAccessible();
      await view.fill('Days', '30', 'spinbutton');
      await view.page.keyboard.press('Enter');
      await view.shows('The retention was saved.');
      expect((await steps.ask('GET', policy)).attributes).toEqual({ 'delete-older-than-n-days': 30 });
      await view.page.reload();
      const days = await (await view.find('spinbutton', 'Days')).evaluate((field) => Reflect.get(field, 'value'));
      expect(days).toBe('30');
      await view.choose('Old files', 'Keep them');
      await view.press('button', 'Save retention');
      await until('they are kept', async () => (await steps.ask('GET', policy)).type.endsWith('dont-deletes'));
      await view.page.reload();
      await view.choose('Old files', 'Site default');
      await view.press('button', 'Save retention');
      await until('the policy is gone', async () => (await suite.service.api('GET', policy)).status === 404);
    });

    it('schedule the destruction of its resources', async () => {
      const { view, steps } = suite;
      await view.signIn(address, adminToken);
      await view.fill('Destroy without activity for', '2 weeks');
      await view.page.keyboard.press('Enter');
      await view.page.waitForSelector('.field-error');
      suite.expectRefusals();
      await view.isAccessible();
      await view.fill('Destroy without activity for', '14d');
      await view.page.keyboard.press('Enter');
      await view.shows('The schedule was saved.');
      expect(await attributesOf(steps)).toMatchObject({ 'auto-destroy-activity-duration': '14d' });
      const at = '2999-01-31T09:00';
      await view.setInstant('Destroy at', at);
      await view.press('button', 'Save schedule');
      await until('there is a time', async () => (await attributesOf(steps))['auto-destroy-at'] !== null);
      expect(await attributesOf(steps)).toMatchObject({
        'auto-destroy-at': await view.page.evaluate(`new Date('${at}').toISOString()`),
        'auto-destroy-activity-duration': '14d',
      });
      await view.page.reload();
      await view.find('heading', 'Scheduled destruction');
      await view.setInstant('Destroy at', '');
      await view.press('button', 'Save schedule');
      await until('the time is removed', async () => (await attributesOf(steps))['auto-destroy-at'] === null);
    });

    it('are offered as far as the caller may change them', async () => {
      const { view, steps } = suite;
      const token = await steps.memberToken('builders', { 'manage-workspaces': true });
      await view.signIn(address, token);
      await view.find('heading', 'Scheduled destruction');
      await view.find('heading', 'Old configurations and states');
      expect(await view.has('heading', 'Version control')).toBe(false);
    });
  },
  () => ({ environment: { VCS_ALLOWED_HOSTS: '127.0.0.1:1' } }),
);
