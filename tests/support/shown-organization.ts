import { archiveOf } from './archives.js';
import type { ServiceProcess } from './process.js';
import { ServiceSteps } from './service-steps.js';

/** Text that pages must escape. */
export const hostile = '<img src=x onerror="document.title=1">';

const verdicts = { tags: 'passed', 'cost-centre': 'failed', 'no-public-bucket': 'failed', 'pinned-modules': 'errored' };

/**
 * The organization acme as the console must show it: 25 workspaces, two of them with a version; teams with access of
 * every kind; team tokens that are expired, expire soon, later and never; a run whose policies passed, failed,
 * failed an advisory policy, and errored. Returns the run's id.
 */
export async function showOrganization(service: ServiceProcess): Promise<string> {
  const steps = new ServiceSteps(service);
  const network = await service.provision('acme', 'network');
  const billing = await steps.workspace('billing', { description: hostile });
  const first = await steps.workspace('service-01');
  for (let number = 2; number <= 23; number += 1) await steps.workspace(`service-${String(number).padStart(2, '0')}`);

  const team = async (name: string, access: object = {}): Promise<string> => {
    const attributes = { name, visibility: 'organization', 'organization-access': access };
    return (await steps.ask('POST', '/organizations/acme/teams', { data: { type: 'teams', attributes } })).id;
  };
  const grant = (teamId: string, workspaceId: string, attributes: object) =>
    steps.ask('POST', '/team-workspaces', {
      data: {
        type: 'team-workspaces',
        attributes,
        relationships: {
          team: { data: { type: 'teams', id: teamId } },
          workspace: { data: { type: 'workspaces', id: workspaceId } },
        },
      },
    });
  const token = (teamId: string, expiresIn: number | null) =>
    steps.ask('POST', `/teams/${teamId}/authentication-token`, {
      data: {
        type: 'authentication-token',
        attributes: { 'expired-at': expiresIn && new Date(Date.now() + expiresIn).toISOString() },
      },
    });
  const day = 24 * 3600_000;

  const platform = await team('platform', { 'manage-workspaces': true });
  const developers = await team('developers');
  const auditors = await team('auditors', { 'read-workspaces': true });
  const contractors = await team('contractors');
  await team('newcomers');
  await grant(developers, network, { access: 'write' });
  await grant(developers, billing, { access: 'plan' });
  await grant(auditors, first, { access: 'custom', runs: 'plan' });
  await grant(contractors, billing, { access: 'custom', runs: 'plan', variables: 'read', 'workspace-locking': true });
  await token(contractors, 1_000);
  await token(developers, 3 * day + 3600_000);
  await token(platform, 90 * day + 3600_000);
  await token(auditors, null);

  const level = (name: string) => (name === 'cost-centre' ? 'advisory' : 'mandatory');
  const policies = Object.keys(verdicts).map((name) => ({
    name,
    query: `data.${name.replaceAll('-', '_')}.deny`,
    description: name === 'tags' ? hostile : `Looks at ${name.replaceAll('-', ' ')}.`,
    'enforcement-level': level(name),
  }));
  await steps.ask('POST', '/organizations/acme/policy-sets', {
    data: { type: 'policy-sets', attributes: { name: 'baseline', global: true, policies } },
  });
  const agent = steps.agent(await steps.agentToken());
  const files = await archiveOf({ 'main.tf': 'terraform {}\n' });
  await steps.uploaded(billing, files, { 'auto-queue-runs': false });
  await steps.uploaded(network, files, { 'auto-queue-runs': false });
  const run = await steps.run(network, undefined, { message: `Widen the subnets ${hostile}` });
  const job = await agent.claimed();
  await job.planned();
  const [evaluation] = job.json['policy-evaluations'];
  const [set] = evaluation['policy-sets'];
  await job.policies(evaluation.id, [
    {
      'policy-set-id': set.id,
      policies: Object.entries(verdicts).map(([name, status]) => ({
        name,
        status,
        ...(status === 'passed'
          ? {}
          : { output: [`${name}: aws_s3_bucket.logs ${hostile}`, { resource: 'aws_s3_bucket.logs' }] }),
      })),
    },
  ]);
  await steps.ask('POST', `/workspaces/${billing}/actions/lock`, {
    data: { type: 'workspaces', attributes: { reason: `Migration ${hostile}` } },
  });
  return run;
}
