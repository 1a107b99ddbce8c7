import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { describeConsole, openStreams } from '../support/console-suite.js';
import { adminToken, type ServiceProcess } from '../support/process.js';
import type { ReferenceAgent } from '../support/reference-agent.js';
import { RunTaskServer } from '../support/run-task-server.js';
import { ServiceSteps, until } from '../support/service-steps.js';
import { hostile } from '../support/shown-organization.js';

let agent: ReferenceAgent;
let network: string;
let guarded: string;
let checked: string;
let tasks: RunTaskServer;

beforeAll(async () => {
  tasks = await RunTaskServer.start();
});
afterAll(() => tasks.stop());

/** Three workspaces with a version each: a policy checks runs of the second, a run task those of the third. */
async function prepare(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  network = await service.provision('acme', 'network');
  guarded = await steps.workspace('guarded');
  checked = await steps.workspace('checked');
  await attachTask(steps, checked, tasks.url);
  const files = await archiveOf({ 'main.tf': 'terraform {}\n' });
  for (const workspace of [network, guarded, checked])
    await steps.uploaded(workspace, files, { 'auto-queue-runs': false });
  await steps.ask('POST', '/organizations/acme/policy-sets', {
    data: {
      type: 'policy-sets',
      attributes: {
        name: 'baseline',
        overridable: true,
        policies: [{ name: 'cost', query: 'data.cost.deny', 'enforcement-level': 'mandatory', description: hostile }],
      },
      relationships: { workspaces: { data: [{ id: guarded, type: 'workspaces' }] } },
    },
  });
  agent = steps.agent(await steps.agentToken());
}

/** A mandatory task that is called after the plan and after the apply of runs of `checked`. */
async function attachTask(steps: ServiceSteps, workspace: string, url: string): Promise<void> {
  const task = { type: 'tasks', attributes: { name: 'scanner', url, category: 'task' } };
  const { id } = await steps.ask('POST', '/organizations/acme/tasks', { data: task });
  await steps.ask('POST', `/workspaces/${workspace}/tasks`, {
    data: {
      type: 'workspace-tasks',
      attributes: { 'enforcement-level': 'mandatory', stages: ['post_plan', 'post_apply'] },
      relationships: { task: { data: { type: 'tasks', id } } },
    },
  });
}

const planned = (address: string, action: string, change: object = {}, module?: string) => ({
  address: module === undefined ? address : `${module}.${address}`,
  ...(module === undefined ? {} : { module_address: module }),
  change: { actions: [action], after_unknown: {}, before_sensitive: {}, after_sensitive: {}, ...change },
});

const plan = {
  format_version: '1.2',
  resource_changes: [
    planned('aws_subnet.wide', 'update', {
      before: { cidr: '10.0.0.0/24', id: 's-1' },
      after: { cidr: `10.0.0.0/16${hostile}`, id: 's-1' },
    }),
  ],
  output_changes: {},
};

/** Two thousand changes of a module, and one of the root module that has a secret and JSON. */
const largePlan = {
  format_version: '1.2',
  resource_changes: [
    planned('aws_db.main', 'update', {
      before: { password: 'old-secret', policy: '{"Effect":"Allow","Id":"logs"}' },
      after: { password: 'new-secret', policy: '{"Effect":"Deny","Id":"logs"}' },
      after_unknown: { arn: true },
      before_sensitive: { password: true },
    }),
    ...Array.from({ length: 2_000 }, (_, index) =>
      planned(`aws_route.private[${index}]`, index % 100 === 0 ? 'delete' : 'create', {}, 'module.net["north"]'),
    ),
  ],
  output_changes: { url: { actions: ['create'], before: null, after: 'https://acme.example' } },
};

const address = (workspace: string, run: string): string => `/app/acme/workspaces/${workspace}/runs/${run}`;

describeConsole(
  'the page of a run',
  prepare,
  (suite) => {
    it('follows the log, shows the changes, and applies them when confirmed with a comment', async () => {
      const { view, steps } = suite;
      const run = await steps.run(network, undefined, { message: `Widen the subnets ${hostile}` });
      await view.signIn(address('network', run), adminToken);
      await view.find('heading', `Widen the subnets ${hostile}`);
      const job = await agent.claimed();
      const first = `\u001b[1mTerraform will perform\u001b[0m ${hostile}\n`;
      await job.log(0, first);
      await view.shows('Terraform will perform');
      expect(await view.page.evaluate(`document.querySelector('.log .ansi-bold').textContent`)).toBe(
        'Terraform will perform',
      );
      await job.log(Buffer.byteLength(first), '\u001b[32m~\u001b[0m aws_subnet.wide\n');
      await view.shows('~ aws_subnet.wide');
      const json = Buffer.from(JSON.stringify(plan));
      for (const name of ['plan-json', 'plan-json-redacted']) await job.artifact(name, json);
      await job.planned();
      await view.shows('aws_subnet.wide will be updated in place');
      await view.shows('10.0.0.0/16');
      expect(await view.text()).not.toContain('Terraform will perform');
      await view.page.locator('aria/Log').click();
      await view.shows('Terraform will perform');
      await view.shows('The log is complete.');
      await view.find('heading', 'This plan waits for a confirmation');
      await view.shows('The apply adds 1 resource.');
      const stages = () => view.page.evaluate(`document.querySelector('[aria-label="Stages"]').innerText`);
      expect(String(await stages()).replaceAll(/\s+/g, ' ')).toMatch(
        /^Plan ✓ Finished \d+ s Confirmation ! Needed \d+ s Apply ○ Not started$/,
      );
      await view.isAccessible();
      await view.submit('Confirm and apply', { 'Comment (optional)': `Agreed ${hostile}` });
      await view.shows('The run is confirmed.');
      await view.shows(`Agreed ${hostile}`);
      const applying = await agent.claimed();
      await applying.log(0, 'Apply complete!\n');
      await view.shows('Apply complete!');
      await applying.applied();
      await view.shows('✓ Applied');
      expect(await view.has('button', 'Cancel')).toBe(false);
      await view.isAccessible();
    });

    it('shows the verdict of each policy, and overrides them with a comment', async () => {
      const { view, steps } = suite;
      const run = await steps.run(guarded);
      const job = await agent.claimed();
      await job.planned();
      const [evaluation] = job.json['policy-evaluations'];
      const policies = [
        { name: 'cost', status: 'failed', output: [`Too dear ${hostile}`, { resource: 'aws_db.big' }] },
      ];
      const [set] = evaluation['policy-sets'];
      await job.policies(evaluation.id, [{ 'policy-set-id': set.id, policies }]);
      await view.signIn(address('guarded', run), adminToken);
      await view.shows(`Too dear ${hostile}`);
      expect(await view.rowOf('Values of message 2 of cost', 'resource')).toEqual(['resource', 'aws_db.big']);
      expect(await view.text()).not.toContain('{"resource"');
      await view.press('link', 'Overview');
      await view.shows('Locked by the run');
      await view.shows('After the plan');
      await view.isAccessible();
      expect([await view.has('button', 'Unlock'), await view.has('button', 'Force unlock')]).toEqual([false, false]);
      await view.page.goBack();
      await view.find('heading', 'Mandatory checks failed after the plan');
      await view.shows('cost of baseline');
      await view.shows('After an override the apply still has to be confirmed.');
      await view.isAccessible();
      const override = await view.find('button', 'Override failures');
      const isDisabled = () => override.evaluate((button) => button.hasAttribute('disabled'));
      expect(await isDisabled()).toBe(true);
      await view.submit('Override failures', { 'Comment (an override needs one)': 'Approved by finance' });
      await view.shows('The failures are overridden.');
      await view.shows('Overridden by admin');
      await view.press('button', 'Discard');
      await view.shows('The run is discarded.');
      await view.shows('Approved by finance');
    });

    it('shows the changes of a large plan by module, action and address, each as a diff', async () => {
      const { view, steps } = suite;
      const run = await steps.run(network);
      const job = await agent.claimed();
      const json = Buffer.from(JSON.stringify(largePlan));
      for (const name of ['plan-json', 'plan-json-redacted']) await job.artifact(name, json);
      await job.planned();
      await view.signIn(address('network', run), adminToken);
      await view.find('heading', 'Resources (2001)');
      await view.find('heading', 'module.net["north"]');
      await view.shows('50 of 2001 are shown.');
      await view.page.locator('aria/aws_db.main will be updated in place').click();
      await view.shows('arn = (known after apply)');
      const diff = `[...document.querySelectorAll('[aria-label="Attributes of aws_db.main"] li')].map((line) => line.textContent)`;
      expect(await view.page.evaluate(diff)).toEqual([
        '+added arn = (known after apply)',
        '−removed password = (sensitive)',
        '+added password = (sensitive)',
        ' policy = jsonencode(',
        '   {',
        '−removed     "Effect": "Allow",',
        '+added     "Effect": "Deny",',
        '     "Id": "logs"',
        '   }',
        ' )',
      ]);
      expect(await view.text()).not.toContain('-secret');
      await view.isAccessible();
      await view.press('link', '20 to destroy');
      await view.shows('aws_route.private[1900] will be destroyed');
      expect(await view.address()).toContain('?action=delete');
      await view.fill('Search changes', '[300]', 'searchbox');
      await view.page.waitForFunction(`!document.body.innerText.includes('aws_route.private[200]')`);
      await view.page.reload();
      await view.shows('aws_route.private[300] will be destroyed');
      expect(await view.text()).not.toContain('aws_route.private[200]');
      await view.press('link', 'All');
      await view.fill('Search changes', 'aws_route', 'searchbox');
      await view.shows('50 of 2000 are shown.');
      await view.press('button', 'Show 50 more');
      await view.shows('100 of 2000 are shown.');
      await steps.ask('POST', `/runs/${run}/actions/discard`);
    });

    it('finds lines of a log, and links to them', async () => {
      const { view, steps } = suite;
      const run = await steps.run(network);
      const job = await agent.claimed();
      const lines = Array.from({ length: 1_500 }, (_, index) =>
        index === 41 ? `Error: no subnet ${hostile}` : `line ${index + 1}`,
      );
      await job.log(0, `${lines.join('\n')}\n`);
      await view.signIn(address('network', run), adminToken);
      await view.shows('line 1500');
      expect(await view.text()).not.toContain('Error: no subnet');
      expect(await view.has('checkbox', 'Follow')).toBe(true);
      await job.planned();
      await view.lacks('checkbox', 'Follow');
      expect(await view.text()).not.toContain('line 1500');
      await view.page.locator('aria/Log').click();
      await view.fill('Search the log of the plan', 'NO SUBNET', 'searchbox');
      await view.shows(`Error: no subnet ${hostile}`);
      await view.shows('1 of 1500 lines match.');
      await view.isAccessible();
      await view.press('link', 'Line 42');
      await view.shows('line 43');
      const isInView = `(() => {
        const { top, bottom } = document.getElementById('plan-L42').getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      })()`;
      await view.page.waitForFunction(isInView);
      await view.page.reload();
      await view.shows('line 43');
      await view.page.waitForFunction(isInView);
      await view.press('button', 'Download raw log');
      await view.shows('The log was downloaded.');
      await steps.ask('POST', `/runs/${run}/actions/discard`);
    });

    it('shows the decision on the first screen of a phone, and who decided if someone was faster', async () => {
      const { view, steps } = suite;
      const run = await steps.run(network, undefined, { message: 'Decided by two' });
      await (await agent.claimed()).planned();
      await view.page.setViewport({ width: 390, height: 844 });
      await view.signIn(address('network', run), adminToken);
      await view.find('button', 'Confirm and apply');
      const bottom = `document.querySelector('.decision .actions').getBoundingClientRect().bottom + scrollY`;
      expect(Number(await view.page.evaluate(bottom))).toBeLessThanOrEqual(844);
      await view.page.setRequestInterception(true);
      view.page.on('request', async (request) => {
        if (request.url().endsWith('/actions/apply')) await steps.ask('POST', `/runs/${run}/actions/discard`);
        await request.continue();
      });
      await view.press('button', 'Confirm and apply');
      await view.shows('Your decision was not taken: the run had changed. Discarded by admin');
      suite.expectRefusals();
    });

    it('says what a run waits for: an agent, runs before it, or a lock', async () => {
      const { view, steps } = suite;
      const first = await steps.run(network, undefined, { message: 'The first in line' });
      const second = await steps.run(network, undefined, { message: 'The second in line' });
      const third = await steps.run(network);
      await view.signIn(address('network', first), adminToken);
      await view.find('heading', 'This run waits for an agent');
      await view.shows('It starts when an agent of the site agent pools is free.');
      await view.open(address('network', third));
      await view.find('heading', 'This run waits for its workspace');
      await view.shows('Locked by the run The first in line');
      await view.shows('One run is before it:');
      await view.isAccessible();
      await view.press('link', 'The second in line');
      await view.find('heading', 'The second in line');
      for (const run of [third, first, second]) await steps.ask('POST', `/runs/${run}/actions/cancel`);
      await steps.ask('POST', `/workspaces/${network}/actions/lock`, { reason: 'Maintenance' });
      const locked = await steps.run(network);
      await view.open(address('network', locked));
      await view.shows('Locked by admin');
      await view.shows(': Maintenance');
      await steps.ask('POST', `/runs/${locked}/actions/cancel`);
      await steps.ask('POST', `/workspaces/${network}/actions/unlock`);
    });

    it('says why there can be none, and finds those that there are by their status', async () => {
      const { view, steps } = suite;
      await steps.workspace('empty');
      await view.signIn('/app/acme/workspaces/empty/runs', adminToken);
      await view.shows('Upload a configuration first.');
      const button = await view.find('button', 'New run');
      expect(await button.evaluate((element) => element.hasAttribute('disabled'))).toBe(true);
      const waiting = await steps.run(network, undefined, { message: 'Found by its status' });
      await view.open('/app/acme/workspaces/network/runs');
      await view.choose('Status', 'Needs a decision');
      await view.shows('No runs.');
      await view.choose('Status', 'In progress');
      await view.find('link', 'Found by its status');
      await view.open('/app/acme/workspaces');
      await view.find('link', 'empty');
      const focused = () => view.page.evaluate('document.activeElement.innerText');
      await (await view.find('searchbox', 'Name')).focus();
      const walked: unknown[] = [];
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp'] as const) {
        await view.page.keyboard.press(key);
        walked.push(await focused());
      }
      expect(walked).toEqual(['checked', 'empty', 'checked']);
      await view.choose('Status', 'In progress');
      await view.shows('○ Plan waits for an agent');
      await view.lacks('link', 'empty');
      await view.isAccessible();
      await steps.ask('POST', `/runs/${waiting}/actions/cancel`);
    });

    it('takes comments, and cancels a run that waits', async () => {
      const { view, steps } = suite;
      const run = await steps.run(network);
      await view.signIn(address('network', run), adminToken);
      await view.submit('Add comment', { Comment: `Wait for Eve ${hostile}` });
      await view.shows(`Wait for Eve ${hostile}`);
      await view.press('button', `Copy ${run}`);
      // Browsers decide whether a page may use the clipboard.
      await view.page.waitForFunction('/Copied|does not allow copying/.test(document.body.innerText)');
      await view.press('button', 'Cancel', 'Cancel run');
      await view.shows('The run is being canceled.');
      await view.shows('Canceled');
    });

    it('follows changes of others, as the lists do, without being loaded again', async () => {
      const { view, steps } = suite;
      const run = await steps.run(network, undefined, { message: 'Changed by others' });
      await view.signIn(address('network', run), adminToken);
      await view.find('heading', 'Changed by others');
      await view.page.evaluate('window.isTheSamePage = true');
      await steps.ask('POST', `/runs/${run}/actions/cancel`);
      await view.shows('Canceled');
      await steps.ask('POST', `/workspaces/${network}/actions/lock`);
      await view.shows('locked');
      await steps.ask('POST', `/workspaces/${network}/actions/unlock`);
      await view.press('link', 'All runs of this workspace');
      await view.find('heading', 'Runs');
      const next = await steps.run(network, undefined, { message: 'The next one' });
      await view.find('link', 'The next one');
      await steps.ask('POST', `/runs/${next}/actions/cancel`);
      await view.press('link', 'Workspaces');
      await view.find('heading', 'Workspaces');
      await view.find('link', 'guarded');
      await steps.workspace('added-by-another');
      await view.find('link', 'added-by-another');
      expect(await view.page.evaluate('window.isTheSamePage')).toBe(true);
    });

    it('asks for nothing more once the run is over', async () => {
      const { view, steps } = suite;
      const run = await steps.run(network);
      await steps.ask('POST', `/runs/${run}/actions/cancel`);
      await view.signIn(address('network', run), adminToken);
      await view.shows('Canceled');
      // Only the stream of changes stays open.
      await view.page.waitForNetworkIdle({ idleTime: 4_000, concurrency: 1 });
    });

    it('closes its stream while the tab is in the background, and reads again when it is back', async () => {
      const { view, steps } = suite;
      const run = await steps.run(network, undefined, { message: 'Wait in the background' });
      await view.signIn(address('network', run), adminToken);
      await view.find('heading', 'Wait in the background');
      await until('a stream is open', async () => (await openStreams(suite.service)) === 1);
      const front = await view.page.browserContext().newPage();
      await front.bringToFront();
      await until('it is closed', async () => (await openStreams(suite.service)) === 0);
      await steps.ask('POST', `/runs/${run}/actions/cancel`);
      await view.page.bringToFront();
      await view.shows('Canceled');
      await front.close();
    });

    it('shows what run tasks report, also after the apply, and overrides one that failed', async () => {
      const { view, steps } = suite;
      const run = await steps.run(checked);
      await view.signIn(address('checked', run), adminToken);
      const job = await agent.claimed();
      await job.planned();
      const planned = await tasks.called('post_plan');
      await planned.report({ status: 'running', message: 'Reading the plan' });
      await view.shows('Reading the plan');
      await planned.report(
        { status: 'failed', message: `1 bucket is public ${hostile}`, url: 'https://scanner.example/1' },
        [
          {
            'outcome-id': 'bucket',
            description: `The bucket is public ${hostile}`,
            body: `# Close it ${hostile}`,
            url: 'https://scanner.example/findings/1',
            tags: { Severity: [{ label: 'High', level: 'error' }] },
          },
        ],
      );
      await view.shows(`1 bucket is public ${hostile}`);
      await view.shows('! Override needed');
      const details = await view.find('link', 'Details of scanner after the plan');
      expect(await details.evaluate((link) => link.getAttribute('href'))).toBe('https://scanner.example/1');
      await view.page.locator('aria/Outcomes: 1').click();
      await view.shows(`The bucket is public ${hostile}`);
      await view.shows('Severity: High');
      await view.shows(`# Close it ${hostile}`);
      await view.find('link', 'Details of bucket');
      await view.isAccessible();
      await view.submit('Override failures', {
        'Comment (an override needs one)': 'The bucket is meant to be public',
      });
      await view.shows('The failures are overridden.');
      await view.press('button', 'Confirm and apply');
      const applying = await agent.claimed();
      await applying.applied();
      const applied = await tasks.called('post_apply');
      await view.shows('✓ Applied');
      await applied.report({ status: 'passed', message: 'All is well' });
      await view.shows('All is well');
      await view.shows('✓ Passed');
      await view.page.waitForNetworkIdle({ idleTime: 4_000 });
    });
  },
  () => ({ environment: { RUN_TASK_ALLOWED_HOSTS: '127.0.0.1' } }),
);
