import { expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { describeConsole } from '../support/console-suite.js';
import { adminToken, type ServiceProcess } from '../support/process.js';
import type { ReferenceAgent } from '../support/reference-agent.js';
import { ServiceSteps } from '../support/service-steps.js';
import { hostile } from '../support/shown-organization.js';

const day = 24 * 3600_000;
let agent: ReferenceAgent;
let network: string;

/** A run that waits for a confirmation, one for an override, one that failed, and one without an agent. */
async function prepare(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  network = await service.provision('acme', 'network');
  const guarded = await steps.workspace('guarded');
  const broken = await steps.workspace('broken');
  const files = await archiveOf({ 'main.tf': 'terraform {}\n' });
  for (const workspace of [network, guarded, broken]) {
    await steps.uploaded(workspace, files, { 'auto-queue-runs': false });
  }
  await steps.ask('POST', '/organizations/acme/policy-sets', {
    data: {
      type: 'policy-sets',
      attributes: {
        name: 'baseline',
        overridable: true,
        policies: [{ name: 'cost', query: 'data.cost.deny', 'enforcement-level': 'mandatory' }],
      },
      relationships: { workspaces: { data: [{ id: guarded, type: 'workspaces' }] } },
    },
  });
  agent = steps.agent(await steps.agentToken());
  await steps.run(guarded, undefined, { message: 'Grow the cluster' });
  const judged = await agent.claimed();
  await judged.planned();
  await judged.judgeAll(() => 'failed');
  await steps.run(broken, undefined, { message: 'Rotate the keys' });
  await (await agent.claimed()).report('plan', { status: 'errored', message: `No credentials ${hostile}` });
  const pool = await steps.ask('POST', '/organizations/acme/agent-pools', {
    data: { type: 'agent-pools', attributes: { name: 'basement' } },
  });
  const stuck = await steps.workspace('stuck', { 'execution-mode': 'agent', 'agent-pool-id': pool.id });
  await steps.uploaded(stuck, files, { 'auto-queue-runs': false });
  await steps.run(stuck, undefined, { message: 'Nothing takes this' });
  await steps.ask('POST', '/organizations/acme/authentication-token', {
    data: { type: 'authentication-token', attributes: { 'expired-at': new Date(Date.now() + 3 * day).toISOString() } },
  });
}

describeConsole('the home of an organization', prepare, (suite) => {
  const planned = async (message: string): Promise<string> => {
    const run = await suite.steps.run(network, undefined, { message });
    await (await agent.claimed()).planned();
    return run;
  };

  it('begins with the decisions that are due, and leads to them', async () => {
    const { view } = suite;
    const run = await planned(`Widen the subnets ${hostile}`);
    await view.signIn('/app', adminToken);
    await view.press('link', 'acme');
    await view.find('heading', 'Home');
    expect(await view.address()).toBe('/app/acme');
    await view.find('heading', 'Needs you');
    const rows = (name: string) => view.rowOf('Needs you', name);
    const now = expect.any(String);
    expect(await rows('guarded: Grow the cluster')).toEqual([
      'guarded: Grow the cluster',
      '! Override needed',
      'admin',
      '1 to add',
      'cost',
      now,
      '⋯',
    ]);
    const title = `network: Widen the subnets ${hostile}`;
    expect((await rows(title)).slice(1, 5)).toEqual(['! Needs confirmation', 'admin', '1 to add', 'none']);
    await view.isAccessible();
    await view.press('link', title);
    await view.find('heading', 'This plan waits for a confirmation');
    expect(await view.address()).toBe(`/app/acme/workspaces/network/runs/${run}`);
    await view.page.goBack();
    await view.press('button', `Actions for ${title}`, `Discard ${title}`, 'Discard run');
    await view.shows('The run is discarded.');
    await view.lacks('link', title);
  });

  it('shows failed runs, runs that no agent takes, and tokens that end, and follows changes', async () => {
    const { view } = suite;
    await view.signIn('/app/acme', adminToken);
    expect((await view.rowOf('Last run failed', 'broken: Rotate the keys'))[1]).toBe(`No credentials ${hostile}`);
    await view.find('link', 'basement');
    expect((await view.rowOf('No agent in contact', 'stuck: Nothing takes this')).slice(1, 3)).toEqual([
      '○ Plan waits for an agent',
      'basement',
    ]);
    await view.shows('gatehouse-agent');
    await view.rowOf('Tokens that end soon', 'Token of the organization');
    const run = await planned('Comes while the page is open');
    await view.find('link', 'network: Comes while the page is open');
    await suite.steps.ask('POST', `/runs/${run}/actions/discard`);
    await view.lacks('link', 'network: Comes while the page is open');
  });

  it('offers a person only what they may decide, in all of their organizations', async () => {
    const { view, steps } = suite;
    const token = await steps.memberToken('readers', { 'read-workspaces': true });
    await view.signIn('/app/acme', token);
    await view.find('heading', 'Last run failed');
    expect(await view.has('heading', 'Needs you')).toBe(false);
    await view.press('link', 'All organizations');
    await view.find('heading', 'Last run failed');
    expect(await view.address()).toBe('/app/acme?of=all');
    expect((await view.rowOf('Last run failed', 'broken: Rotate the keys'))[1]).toBe('acme');
    await view.isAccessible();
  });

  it('says how to begin where nothing waits', async () => {
    const { view, steps } = suite;
    await steps.ask('POST', '/organizations', {
      data: { type: 'organizations', attributes: { name: 'globex', email: 'ops@example.com' } },
    });
    await view.signIn('/app/globex', adminToken);
    await view.shows('Nothing waits for you.');
    await view.shows('organization = "globex"');
    await view.find('button', 'New workspace');
    await view.isAccessible();
  });

  it('has icons in place of the words of the sidebar on a screen of middling width', async () => {
    const { view } = suite;
    await view.page.setViewport({ width: 900, height: 700 });
    await view.signIn('/app/acme', adminToken);
    await view.find('heading', 'Home');
    expect(await view.has('link', 'Teams')).toBe(false);
    await view.press('button', 'Access');
    await view.press('menuitem', 'Teams');
    await view.find('heading', 'Teams');
    await view.press('link', 'Workspaces');
    await view.find('heading', 'Workspaces');
  });
});
