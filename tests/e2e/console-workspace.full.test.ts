import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { describeConsole } from '../support/console-suite.js';
import { adminToken, inTemporaryDirectory, type ServiceProcess } from '../support/process.js';
import { ServiceSteps, until } from '../support/service-steps.js';
import { writeStates } from '../support/written-states.js';

const address = '/app/acme/workspaces/network/settings';
/** A port at which nothing listens. */
const cloneUrl = 'http://127.0.0.1:1/acme/network.git';

let network: string;

const files = await archiveOf({ 'main.tf': 'terraform {}\n' });

/** The organization acme with the workspaces network and billing, which has nothing yet. */
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

/** The workspace ledger: a run that waits for a confirmation, a state, a team of each kind of access, and variables. */
async function prepareLedger(service: ServiceProcess): Promise<void> {
  await service.provision('acme', 'ledger');
  const steps = new ServiceSteps(service);
  await steps.workspace('fresh');
  const { id: ledger, relationships } = await steps.ask('GET', '/organizations/acme/workspaces/ledger');
  await writeStates(steps, ledger);
  for (const [name, type, at] of [
    ['developers', 'team-workspaces', { workspace: { data: { type: 'workspaces', id: ledger } } }],
    ['platform', 'team-projects', { project: relationships.project }],
  ] as const) {
    const team = await steps.ask('POST', '/organizations/acme/teams', {
      data: { type: 'teams', attributes: { name } },
    });
    const given = { team: { data: { type: 'teams', id: team.id } }, ...at };
    await steps.ask('POST', `/${type}`, { data: { type, attributes: { access: 'write' }, relationships: given } });
  }
  for (const [key, category, sensitive] of [
    ['region', 'terraform', false],
    ['AWS_SECRET_ACCESS_KEY', 'env', true],
  ]) {
    const attributes = { key, value: 'example', category, sensitive };
    await steps.ask('POST', `/workspaces/${ledger}/vars`, { data: { type: 'vars', attributes } });
  }
  const policies = [{ name: 'tags', query: 'data.tags.deny', 'enforcement-level': 'mandatory' }];
  await steps.ask('POST', '/organizations/acme/policy-sets', {
    data: { type: 'policy-sets', attributes: { name: 'baseline', global: true, policies } },
  });
}

describeConsole('the overview of a workspace', prepareLedger, (suite) => {
  /** Waits for a text that several elements share. */
  const says = (text: string) =>
    until(`there is "${text}"`, async () => (await suite.view.text()).replace(/\s+/g, ' ').includes(text));

  it('says how to get started with a new one, as far as the caller may', async () => {
    const { view, steps } = suite;
    await view.signIn('/app/acme/workspaces/fresh', await steps.memberToken('readers', { 'read-workspaces': true }));
    await view.find('heading', 'Get started');
    await view.shows(`hostname     = "${new URL(suite.service.url).host}"`);
    await view.shows('workspaces { name = "fresh" }');
    for (const way of ['Start an agent', 'Upload a configuration', 'Link a repository']) {
      expect(await view.has('heading', way)).toBe(false);
    }
  });

  it('takes an archive that is dropped on a new one, and then shows its run', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces/fresh', adminToken);
    await view.find('heading', 'Start an agent');
    await view.shows(`GATEHOUSE_URL=${suite.service.url} AGENT_TOKEN=…`);
    await view.find('link', 'Link one under Version control in the settings');
    await view.press('button', 'Copy the cloud block');
    await view.isAccessible();
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'fresh.tar.gz');
      await writeFile(file, files);
      await view.drop('.drop', file);
      await view.shows('Chosen: fresh.tar.gz');
      await view.press('button', 'Upload');
      await view.shows('was uploaded.');
    });
    await view.find('heading', 'Latest run');
    await view.shows('Plan waits for an agent');
    expect(await view.has('heading', 'Get started')).toBe(false);
  });

  it('shows what the state has, who has access, and what runs get', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces/ledger', adminToken);
    expect(await view.rowOf('Resources', 'main')).toEqual(['main', 'aws_vpc', 'root', 'hashicorp/aws', '2']);
    expect(await view.rowOf('Outputs', 'cidr')).toEqual(['cidr', 'string', '10.1.0.0/16']);
    await view.press('button', 'Show the value of password');
    await view.shows('secret-2');
    await view.find('link', 'developers');
    await says('Write developers, platform (project)');
    await says('Terraform 1 Environment 1 (1 sensitive)');
    await view.isAccessible();
  });

  it('has the decision that the latest run waits for', async () => {
    const { view, steps } = suite;
    const { id } = await steps.ask('GET', '/organizations/acme/workspaces/ledger');
    await steps.uploaded(id, files, { 'auto-queue-runs': false });
    const run = await steps.run(id, undefined, { message: 'Widen the subnets' });
    const agent = steps.agent(await steps.agentToken());
    const job = await until('its plan is claimed', async () => {
      const claimed = await agent.claimed();
      if (claimed.runId === run) return claimed;
      await claimed.report('plan', { status: 'errored' });
      return undefined;
    });
    await job.planned();
    await job.judgeAll(() => 'passed');
    await view.signIn('/app/acme/workspaces/ledger', adminToken);
    await view.find('heading', 'This plan waits for a confirmation');
    await says('Policy sets of the latest run baseline ✓ Passed');
    await view.isAccessible();
    await view.press('button', 'Confirm and apply');
    await view.shows('The run is confirmed.');
    await steps.runBecomes(run, 'apply_queued');
    await view.lacks('heading', 'This plan waits for a confirmation');
  });
});
