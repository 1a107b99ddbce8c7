import { expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { describeConsole } from '../support/console-suite.js';
import { layoutFaults } from '../support/hostile-layout.js';
import { adminToken, type ServiceProcess } from '../support/process.js';
import { ServiceSteps } from '../support/service-steps.js';
import { stateOf, writeState } from '../support/written-states.js';

/** 90 characters, which is the longest name, without a place to break. */
const long = 'w'.repeat(90);
const team = `צוות-אבטחה-${'ש'.repeat(76)}`;
const set = `معلومات 3 🏗️`.replaceAll('\uFE0F', '');
const text = `שלום (1) 👩‍🚒 ${'x'.repeat(90)} عالم 2`;
const json = {
  msg: text,
  resource: `aws_s3_bucket.${long}`,
  tags: { [long]: [text, long] },
  [`${long}2`]: { deep: { er: long } },
};

/** Ids of what the pages show. */
const ids: Record<string, string> = {};

/** An organization, a workspace and everything in it with names and texts that are hard to lay out. */
async function prepare(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  const made = async (path: string, type: string, attributes: object, relationships: object = {}) =>
    (await steps.ask('POST', path, { data: { type, attributes, relationships } })).id as string;
  const inside = `/organizations/${long}`;
  await made('/organizations', 'organizations', { name: long, email: 'ops@example.com' });
  ids.project = await made(`${inside}/projects`, 'projects', { name: 'p'.repeat(40), description: text });
  const project = { data: { type: 'projects', id: ids.project } };
  const tags = [long, `${long}-2`];
  ids.workspace = await made(
    `${inside}/workspaces`,
    'workspaces',
    { name: long, description: text, 'tag-names': tags },
    { project },
  );
  const workspace = { data: { type: 'workspaces', id: ids.workspace } };
  ids.team = await made(`${inside}/teams`, 'teams', { name: team, visibility: 'organization' });
  await made(`${inside}/teams`, 'teams', { name: 'صيانة', 'organization-access': { 'manage-workspaces': true } });
  const ofTeam = { data: { type: 'teams', id: ids.team } };
  await made('/team-workspaces', 'team-workspaces', { access: 'write' }, { workspace, team: ofTeam });
  await made('/team-projects', 'team-projects', { access: 'read' }, { project, team: ofTeam });
  const soon = { 'expired-at': new Date(Date.now() + 3 * 24 * 3600_000).toISOString(), description: text };
  await made(`/teams/${ids.team}/authentication-token`, 'authentication-token', soon);
  await made('/admin/users', 'users', { username: 'u'.repeat(60), email: `${'e'.repeat(60)}@example.com` });
  const member = { email: `${'e'.repeat(60)}@example.com` };
  await made(`${inside}/organization-memberships`, 'organization-memberships', member, {
    teams: { data: [ofTeam.data] },
  });
  ids.varset = await made(`${inside}/varsets`, 'varsets', { name: set, description: text, global: true });
  await made(`/workspaces/${ids.workspace}/vars`, 'vars', {
    key: long,
    value: text,
    description: text,
    category: 'terraform',
  });
  await made(`/varsets/${ids.varset}/relationships/vars`, 'vars', { key: long, value: text, category: 'terraform' });
  ids.policySet = await made(`${inside}/policy-sets`, 'policy-sets', {
    name: long,
    description: text,
    kind: 'opa',
    global: true,
    overridable: true,
    policies: [{ name: 'n'.repeat(90), description: text, query: 'data.cost.deny', 'enforcement-level': 'mandatory' }],
  });
  ids.pool = await made(`${inside}/agent-pools`, 'agent-pools', { name: long });
  await steps.ask('POST', `/workspaces/${ids.workspace}/actions/lock`);
  await writeState(steps, ids.workspace, stateOf(1, text, [long, text]));
  await steps.ask('POST', `/workspaces/${ids.workspace}/actions/unlock`);
  await run(steps, ids.workspace);
  const other = await made(`${inside}/workspaces`, 'workspaces', { name: `${long.slice(1)}2` });
  await steps.ask('POST', `/workspaces/${other}/actions/lock`, { reason: text });
}

/** A run whose policy failed with every kind of text. */
async function run(steps: ServiceSteps, workspace: string): Promise<void> {
  const agent = steps.agent(await steps.agentToken(), long);
  await steps.uploaded(workspace, await archiveOf({ 'main.tf': 'terraform {}\n' }), { 'auto-queue-runs': false });
  ids.failed = await steps.run(workspace, undefined, { message: text });
  await (await agent.claimed()).report('plan', { status: 'errored', message: text });
  ids.run = await steps.run(workspace, undefined, { message: text });
  const job = await agent.claimed();
  await job.log(0, `${text}\n${long.repeat(4)}\n`);
  const change = { actions: ['update'], before: { [long]: text }, after: { [long]: JSON.stringify(json) } };
  const address = `module.m["${text}"].aws_s3_bucket.${long}`;
  const plan = {
    resource_changes: [{ address, change }],
    output_changes: { [long]: { actions: ['create'], after: text } },
  };
  for (const name of ['plan-json', 'plan-json-redacted']) await job.artifact(name, Buffer.from(JSON.stringify(plan)));
  await job.planned();
  const [evaluation] = job.json['policy-evaluations'];
  const policies = [{ name: 'n'.repeat(90), status: 'failed', output: [text, json, long] }];
  await job.policies(evaluation.id, [{ 'policy-set-id': ids.policySet ?? '', policies }]);
  const comment = { data: { type: 'comments', attributes: { body: text } } };
  await steps.ask('POST', `/runs/${ids.run}/comments`, comment);
}

describeConsole('texts that are hard to lay out, on a phone', prepare, (suite) => {
  const here = `/app/${long}`;
  const workspace = `${here}/workspaces/${long}`;
  const pages: readonly (readonly [name: string, path: () => string])[] = [
    ['the organizations', () => '/app'],
    ['the home', () => here],
    ['the home of all organizations', () => `${here}?of=all`],
    ['the workspaces', () => `${here}/workspaces`],
    ['the projects', () => `${here}/projects`],
    ['a project', () => `${here}/projects/${ids.project}`],
    ['the runs of the organization', () => `${here}/runs`],
    ['the teams', () => `${here}/teams`],
    ['a team', () => `${here}/teams/${ids.team}`],
    ['the members', () => `${here}/members`],
    ['who can', () => `${here}/who-can?workspace=${ids.workspace}`],
    ['the tokens', () => `${here}/tokens`],
    ['the variable sets', () => `${here}/varsets`],
    ['a variable set', () => `${here}/varsets/${ids.varset}`],
    ['the policy sets', () => `${here}/policy-sets`],
    ['a policy set', () => `${here}/policy-sets/${ids.policySet}`],
    ['the policies', () => `${here}/policies`],
    ['the agent pools', () => `${here}/agent-pools`],
    ['an agent pool', () => `${here}/agent-pools/${ids.pool}`],
    ['the audit trail', () => `${here}/audit`],
    ['the settings of the organization', () => `${here}/settings`],
    ['a workspace', () => workspace],
    ['a locked workspace', () => `${here}/workspaces/${long.slice(1)}2`],
    ['its runs', () => `${workspace}/runs`],
    ['a run that waits', () => `${workspace}/runs/${ids.run}`],
    ['a run that failed', () => `${workspace}/runs/${ids.failed}`],
    ['its configuration versions', () => `${workspace}/configuration-versions`],
    ['its variables', () => `${workspace}/variables`],
    ['its states', () => `${workspace}/states`],
    ['its access', () => `${workspace}/access`],
    ['the permissions of a team', () => `${workspace}/access/rights?team=${ids.team}`],
    ['its settings', () => `${workspace}/settings`],
  ];

  it('fit the screen, lie on no control, and keep the order of the words around them', async () => {
    const { view } = suite;
    await view.page.setViewport({ width: 390, height: 844 });
    await view.signIn('/app', adminToken);
    await view.find('heading', 'Organizations');
    const found: Record<string, readonly string[]> = {};
    for (const [name, path] of pages) {
      await view.open(path());
      await view.page.evaluate(`for (const part of document.querySelectorAll('details')) part.open = true`);
      await view.page.waitForNetworkIdle({ concurrency: 1, idleTime: 200 });
      const faults = await layoutFaults(view.page);
      if (faults.length > 0) found[name] = faults;
    }
    expect(found).toEqual({});
    // The team has no token, and neither has the organization.
    suite.expectRefusals();
  });

  it('is checked by what finds each of these faults', async () => {
    const { page } = suite.view;
    const place = (css: string) => `style="position:absolute;white-space:nowrap;${css}"`;
    await page.setContent(`<!doctype html>
      <p ${place('left:0')}>${long.repeat(9)}</p>
      <button ${place('left:0;top:100px')}>Save</button><p ${place('left:0;top:90px')}>a long description</p>
      <p ${place('left:0;top:200px')}>${team}<i>: 1</i></p>
      <p ${place('left:0;top:300px')}><bdi>${team.slice(0, 9)}</bdi><i>: 2</i></p>`);
    expect((await layoutFaults(page)).map((fault) => fault.replace(/^"\S+|\d+/g, '…'))).toEqual([
      'the page is … pixels wider than the screen',
      '… leaves the screen',
      '… long description" lies on the button "Save"',
      '… and ": …" are out of their order',
    ]);
  });
});
