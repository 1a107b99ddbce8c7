import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { describeConsole } from '../support/console-suite.js';
import { adminToken, inTemporaryDirectory, type ServiceProcess } from '../support/process.js';
import type { ReferenceAgent } from '../support/reference-agent.js';
import { ServiceSteps } from '../support/service-steps.js';
import { hostile } from '../support/shown-organization.js';

let agent: ReferenceAgent;
let setId: string;
/** A run that passed, one that was overridden, and one that waits for an override in another workspace. */
let runs: { readonly passed: string; readonly overridden: string; readonly failed: string };

async function prepare(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  const network = await service.provision('acme', 'network');
  const storage = await steps.workspace('storage');
  const files = await archiveOf({ 'main.tf': 'terraform {}\n' });
  for (const workspace of [network, storage]) await steps.uploaded(workspace, files, { 'auto-queue-runs': false });
  const policies = [
    { name: 'owners', query: 'data.owners.deny', 'enforcement-level': 'mandatory' },
    { name: 'tags', query: 'data.tags.deny', 'enforcement-level': 'advisory' },
  ];
  const attributes = { name: 'baseline', global: true, overridable: true, policies };
  const set = await steps.ask('POST', '/organizations/acme/policy-sets', { data: { type: 'policy-sets', attributes } });
  setId = set.id;
  agent = steps.agent(await steps.agentToken());
  const judged = async (workspace: string, owners: 'passed' | 'failed') => {
    const run = await steps.run(workspace);
    const job = await agent.claimed();
    await job.artifact('plan-json-redacted', Buffer.from('{"resource_changes":[]}'));
    await job.planned();
    await job.judgeAll((name) => (name === 'owners' ? owners : 'passed'));
    return run;
  };
  const passed = await judged(network, 'passed');
  await steps.ask('POST', `/runs/${passed}/actions/discard`);
  const overridden = await judged(network, 'failed');
  const [stage] = await steps.ask('GET', `/runs/${overridden}/task-stages`);
  await steps.ask('POST', `/task-stages/${stage.id}/actions/override`, { comment: 'For the launch' });
  await steps.ask('POST', `/runs/${overridden}/actions/discard`);
  runs = { passed, overridden, failed: await judged(storage, 'failed') };
}

describeConsole('the policies of an organization', prepare, (suite) => {
  it('have outcomes, counted by policy, policy set, workspace and day', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces', adminToken);
    await view.press('link', 'Outcomes');
    await view.find('heading', 'Policy outcomes');
    expect(await view.rowOf('Policies', 'owners')).toEqual(['owners', 'baseline', '1', '0', '1', '1', '33%', '']);
    expect(await view.rowOf('Policies', 'tags')).toEqual(['tags', 'baseline', '0', '0', '0', '3', '0%', '']);
    expect((await view.rowOf('Workspaces', 'storage')).slice(1, 5)).toEqual(['1', '0', '0', '1']);
    await view.choose('Count by', 'Policy set');
    expect((await view.rowOf('Policy sets', 'baseline')).slice(1, 5)).toEqual(['1', '0', '1', '4']);
    await view.choose('Period', '7 days');
    expect(await view.address()).toBe('/app/acme/outcomes?by=set&days=7');
    await view.page.click('summary');
    await view.find('cell', '4');
    await view.isAccessible();
    await view.press('link', 'Runs of storage');
    await view.find('heading', 'Runs');
    expect(await view.address()).toBe('/app/acme/runs?workspaces=storage');
    await view.find('cell', runs.failed);
  });

  it('have no outcomes before a set applies, which the page explains', async () => {
    const { view, steps } = suite;
    const attributes = { name: 'globex', email: 'ops@example.com' };
    await steps.ask('POST', '/organizations', { data: { type: 'organizations', attributes } });
    await view.signIn('/app/globex/outcomes', adminToken);
    await view.shows('No policy was evaluated in the last 30 days');
    await view.find('link', 'Create a policy set');
    await view.isAccessible();
  });

  it('have outcomes for readers of the workspaces only', async () => {
    const { view, steps } = suite;
    await view.signIn('/app/acme/outcomes', await steps.memberToken('guests', {}));
    await view.shows('No policy was evaluated in the last 30 days');
    expect(await view.has('link', 'Create a policy set')).toBe(false);
    expect(await view.has('link', 'Policy trials')).toBe(false);
  });

  it('have outcomes that can be read again while the service adds them up after an upgrade', async () => {
    const { view } = suite;
    await view.page.setRequestInterception(true);
    let isReady = false;
    const errors = [
      { status: '503', title: 'service unavailable', detail: 'policy outcomes are still being added up' },
    ];
    view.page.on('request', (request) => {
      if (isReady || !request.url().includes('policy-outcome-counts')) return void request.continue();
      void request.respond({
        status: 503,
        contentType: 'application/vnd.api+json',
        body: JSON.stringify({ errors }),
      });
    });
    await view.signIn('/app/acme/outcomes', adminToken);
    await view.shows('The service answers: policy outcomes are still being added up.');
    await view.isAccessible();
    isReady = true;
    await view.press('button', 'Try again');
    await view.rowOf('Policies', 'owners');
    suite.expectRefusals();
  });

  /** Evaluates the plans of the trial that waits, as the test decides by run. */
  async function evaluate(verdicts: Readonly<Record<string, object>>): Promise<void> {
    let left = Object.keys(verdicts).length;
    while (left > 0) {
      const claim = JSON.stringify({ name: 'rack 4', accepts: ['policy-trials'] });
      const { json: job } = await agent.json('post', '/agent/v1/claims?wait=20', {}, claim);
      const { id, plans } = job['policy-trial'];
      for (const { run, url } of plans) {
        const policies = [{ name: 'owners', ...verdicts[run.id] }];
        const report = { 'policy-tool-version': '1.0.0', 'policy-sets': [{ 'policy-set-id': id, policies }] };
        const lease = { Lease: job.lease.token };
        expect((await agent.json('post', url, lease, JSON.stringify(report))).status).toBe(204);
        left -= 1;
      }
    }
  }

  const begin = async (): Promise<void> => {
    const { view } = suite;
    await view.press('button', 'Try a change');
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'policies.tar.gz');
      const policies = 'policy "owners" {\n  query = "data.owners.deny"\n  enforcement_level = "mandatory"\n}\n';
      await writeFile(file, await archiveOf({ 'policies.hcl': policies, 'owners.rego': 'package owners\n' }));
      await view.drop('.drop', file);
      await view.shows('Chosen: policies.tar.gz');
      await view.press('button', 'Start trial');
      await view.find('heading', 'Policy trial');
    });
  };

  it('can be tried with other code, which lists the plans that fail newly, with messages', async () => {
    const { view, steps } = suite;
    const parameters = `/policy-sets/${setId}/parameters`;
    for (const [key, sensitive] of [
      ['limit', false],
      ['password', true],
    ])
      await steps.ask('POST', parameters, {
        data: { type: 'vars', attributes: { key, value: '3', sensitive, category: 'policy-set' } },
      });
    await view.signIn(`/app/acme/policy-sets/${setId}`, adminToken);
    await view.press('button', 'Try a change');
    await view.shows('it does not get password');
    await view.isAccessible();
    await view.press('button', 'Start trial');
    await view.shows('Choose a .tar.gz archive first.');
    await view.press('button', 'Cancel');
    await begin();
    await view.shows('No agent evaluates this trial yet.');
    await view.shows('Evaluated: 0 of 3 plans');
    await view.shows('limit = 3');
    await view.isAccessible();
    await evaluate({
      [runs.passed]: { status: 'failed', output: [{ msg: `No owner ${hostile}`, address: 'db.main' }, 'A text'] },
      [runs.overridden]: { status: 'passed' },
      [runs.failed]: { status: 'passed', 'not-comparable': 'It reads input.plan.variables' },
    });
    await view.find('heading', 'Newly fail: 1');
    await view.shows(`No owner ${hostile}`);
    expect(await view.rowOf('Values of message 1 of owners', 'address')).toEqual(['address', 'db.main']);
    await view.find('heading', 'No longer fail: 1');
    await view.find('heading', 'Not comparable: 1');
    await view.shows('It reads input.plan.variables');
    expect(await view.rowOf('Summary', '✓ Passed')).toEqual(['✓ Passed', '✕ Failed', '1']);
    expect(await view.has('button', 'Cancel trial')).toBe(false);
    await view.isAccessible();
    await view.press('link', `network ${runs.passed}`);
    await view.find('heading', 'Checks');
  });

  it('have trials that can be canceled, and a list of these', async () => {
    const { view } = suite;
    await view.signIn(`/app/acme/policy-sets/${setId}`, adminToken);
    await begin();
    await view.press('button', 'Cancel trial', 'Cancel the trial');
    await view.shows('The trial was canceled before 3 of 3 plans were evaluated.');
    await view.press('link', 'Policy trials');
    await view.find('heading', 'Policy trials');
    await view.shows('Trial of baseline');
    await view.shows('Canceled');
    await view.isAccessible();
  });

  it('have no trials at first, and the page says how to begin', async () => {
    const { view, steps } = suite;
    const attributes = { name: 'initech', email: 'ops@example.com' };
    await steps.ask('POST', '/organizations', { data: { type: 'organizations', attributes } });
    await view.signIn('/app/initech/policy-trials', adminToken);
    await view.shows('gatehouse policy try initech ./policies --set NAME');
    await view.isAccessible();
  });
});
