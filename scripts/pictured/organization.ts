import type { ServiceProcess } from '../../tests/support/process.js';
import { ServiceSteps } from '../../tests/support/service-steps.js';
import { day, hour, minute, type PastClock } from './past-clock.js';
import { plans } from './plans.js';
import { PicturedRuns } from './runs.js';
import { past, policySets, workspaces } from './tables.js';

/** The parts of acme that the pictures need. Runs, the team, the policy set and the workspace are ids. */
export interface Pictured {
  /** The tokens of ann, who is an owner, and carl, who may read, and little else. */
  readonly tokens: Readonly<Record<string, string>>;
  /** It waits for a confirmation. */
  readonly waiting: string;
  /** Its policies failed, and it waits for an override. */
  readonly failed: string;
  readonly applied: string;
  readonly team: string;
  readonly policySet: string;
  /** The workspace of the run that waits. */
  readonly network: string;
}

const inProject = (id: string | undefined) => ({ project: { data: { id, type: 'projects' } } });
const at = (from: number, later: number) => new Date(from + later).toISOString();

/** Fills an empty service with the organization acme, whose life begins when the clock is. */
export async function pictureOrganization(service: ServiceProcess, clock: PastClock): Promise<Pictured> {
  const admin = new ServiceSteps(service);
  const organization = await Organization.make(service, clock, 'acme');
  const platform = await organization.team('platform', {
    'manage-workspaces': true,
    'manage-policies': true,
    'manage-policy-overrides': true,
  });
  const commerce = await organization.team('commerce');
  const auditors = await organization.team('auditors', { 'read-workspaces': true, 'read-projects': true });
  const people = {
    ann: await organization.person('ann', organization.owners, platform),
    carl: await organization.person('carl', auditors),
  };
  const ann = new ServiceSteps(service, people.ann);
  const ben = new ServiceSteps(service, await organization.person('ben', commerce));
  const dana = new ServiceSteps(service, await organization.person('dana', platform, commerce));
  const labs = await Organization.make(service, clock, 'acme-labs');
  await labs.member('ann', labs.owners);

  const { projects, idOf } = await places(ann, dana, clock);
  const network = idOf('network-production');
  await grant(ann, 'project', projects.get('Commerce'), commerce, { access: 'write' });
  await grant(ann, 'project', projects.get('Networking'), auditors, { access: 'read' });
  await grant(ann, 'workspace', network, commerce, { access: 'plan' });
  await grant(ann, 'workspace', idOf('secrets'), auditors, { access: 'custom', runs: 'read', variables: 'read' });
  const policySet = await sets(ann, projects.get('Networking'), clock);
  await variables(ann, network);

  const runs = new PicturedRuns(admin.agent(await admin.agentToken(), 'runner-1'), clock);
  const given = { by: dana, plan: plans.small };
  await runs.run(network, {
    ...given,
    message: 'Create the network',
    plan: plans.firstNetwork,
    confirmed: 'As planned',
  });
  clock.isAt(13 * day);
  for (const [by, workspace, message, fails = []] of past) {
    const isBlocked = fails.some((name) => name !== 'cost-centre-tag');
    const confirmed = isBlocked ? {} : { confirmed: 'Go' };
    await runs.run(idOf(workspace), { ...given, by: by === 'ben' ? ben : dana, message, fails, ...confirmed });
    clock.passes(22 * hour);
  }
  const onPremises = await ownAgents(ann, idOf('backups'), clock);
  clock.isAt(26 * hour);
  const applied = await runs.run(idOf('dns'), {
    by: ann,
    plan: plans.records,
    message: 'Add the records of the shop',
    confirmed: 'Checked with ben',
  });
  clock.isAt(4 * hour);
  const rotation = { ...given, by: ben, message: 'Rotate the database password' };
  await runs.fails(
    idOf('payments-production'),
    rotation,
    'aws_db_instance.main: the role may not rds:ModifyDBInstance',
  );
  clock.isAt(2 * hour);
  const opening = { ...given, plan: plans.access, message: 'Open the bastion for the audit' };
  const failed = await runs.run(idOf('vpn'), { ...opening, fails: ['no-open-ingress', 'cost-centre-tag'] });
  clock.isAt(70 * minute);
  const warehouse = idOf('warehouse');
  await pool(ann, 'lab', warehouse);
  await runs.started(warehouse, { ...given, message: 'Partition by month' });
  clock.isAt(25 * minute);
  await dana.ask('POST', `/workspaces/${idOf('archive-eu')}/actions/lock`, { reason: 'Moving to another account' });
  clock.isAt(12 * minute);
  const widening = { ...given, plan: plans.network, message: 'Widen the subnets of the cluster' };
  const waiting = await runs.run(network, { ...widening, fails: ['cost-centre-tag'] });
  clock.passes(2 * minute);
  const body = 'The gateway is replaced: please confirm outside of office hours.';
  await dana.ask('POST', `/runs/${waiting}/comments`, { data: { type: 'comments', attributes: { body } } });
  await tokens(ann, [
    [commerce, 9 * day],
    [platform, 80 * day],
    [auditors, 25 * day],
  ]);
  clock.isAt(0);
  // Agents are in contact when they ask for work.
  for (const { agent } of [runs, onPremises]) await agent.claim();
  return { tokens: people, waiting, failed, applied, team: commerce, policySet, network };
}

/** An organization, which the administrator of the service makes. */
class Organization {
  private constructor(
    private readonly service: ServiceProcess,
    private readonly admin: ServiceSteps,
    private readonly clock: PastClock,
    private readonly name: string,
    /** The id of the team. */
    readonly owners: string,
  ) {}

  static async make(service: ServiceProcess, clock: PastClock, name: string): Promise<Organization> {
    const admin = new ServiceSteps(service);
    const attributes = { name, email: `ops@${name}.example` };
    await admin.ask('POST', '/organizations', { data: { type: 'organizations', attributes } });
    const [owners] = await admin.ask('GET', `/organizations/${name}/teams`);
    return new Organization(service, admin, clock, name, owners.id);
  }

  /** Returns the id. */
  async team(name: string, access: object = {}): Promise<string> {
    this.clock.passes(9 * minute);
    const attributes = { name, visibility: 'organization', 'organization-access': access };
    const document = { data: { type: 'teams', attributes } };
    return (await this.admin.ask('POST', `/organizations/${this.name}/teams`, document)).id;
  }

  /** A new member. Returns the token. */
  async person(username: string, ...teams: readonly string[]): Promise<string> {
    this.clock.passes(11 * minute);
    const account = { data: { type: 'users', attributes: { username, email: `${username}@acme.example` } } };
    const { json } = await this.service.api('POST', '/admin/users', account);
    const token: string = json.included[0].attributes.token;
    await this.member(username, ...teams);
    // Until their first request, members are invited.
    await new ServiceSteps(this.service, token).ask('GET', '/account/details');
    return token;
  }

  async member(username: string, ...teams: readonly string[]): Promise<void> {
    const relationships = { teams: { data: teams.map((id) => ({ id, type: 'teams' })) } };
    const attributes = { email: `${username}@acme.example` };
    await this.admin.ask('POST', `/organizations/${this.name}/organization-memberships`, {
      data: { type: 'organization-memberships', attributes, relationships },
    });
  }
}

/** The projects by their names, and the ids of the workspaces. */
async function places(owner: ServiceSteps, maker: ServiceSteps, clock: PastClock) {
  const projects = new Map<string, string>();
  const path = '/organizations/acme/projects';
  for (const { id, attributes } of await owner.ask('GET', path)) projects.set(attributes.name, id);
  const ids = new Map<string, string>();
  for (const [name, inside] of Object.entries(workspaces)) {
    clock.passes(20 * minute);
    const document = { data: { type: 'projects', attributes: { name } } };
    if (!projects.has(name)) projects.set(name, (await owner.ask('POST', path, document)).id);
    for (const [workspace, tags] of Object.entries(inside)) {
      clock.passes(2 * minute);
      const attributes = { name: workspace, 'tag-names': tags };
      const data = { type: 'workspaces', attributes, relationships: inProject(projects.get(name)) };
      ids.set(workspace, (await maker.ask('POST', '/organizations/acme/workspaces', { data })).id);
    }
  }
  return { projects, idOf: (name: string): string => ids.get(name) ?? '' };
}

async function grant(
  steps: ServiceSteps,
  kind: 'project' | 'workspace',
  id: string | undefined,
  team: string,
  attributes: object,
): Promise<void> {
  const relationships = { team: { data: { type: 'teams', id: team } }, [kind]: { data: { type: `${kind}s`, id } } };
  await steps.ask('POST', `/team-${kind}s`, { data: { type: `team-${kind}s`, attributes, relationships } });
}

/** The policy sets. Returns the id of the last one, which applies to a project. */
async function sets(steps: ServiceSteps, project: string | undefined, clock: PastClock): Promise<string> {
  let last = '';
  for (const [name, { description, policies }] of Object.entries(policySets)) {
    clock.passes(30 * minute);
    const isGlobal = name === 'baseline';
    const attributes = {
      name,
      description,
      kind: 'opa',
      global: isGlobal,
      overridable: true,
      policies: Object.entries(policies).map(([policy, [level, about]]) => ({
        name: policy,
        description: about,
        query: `data.${policy.replaceAll('-', '_')}.deny`,
        'enforcement-level': level,
      })),
    };
    const relationships = isGlobal ? {} : { projects: { data: [{ id: project, type: 'projects' }] } };
    const document = { data: { type: 'policy-sets', attributes, relationships } };
    last = (await steps.ask('POST', '/organizations/acme/policy-sets', document)).id;
  }
  return last;
}

async function variables(steps: ServiceSteps, workspace: string): Promise<void> {
  const values = { region: 'eu-north-1', cluster_subnets: '2', bastion_key: 'example' };
  for (const [key, value] of Object.entries(values)) {
    const attributes = { key, value, category: 'terraform', sensitive: key === 'bastion_key' };
    await steps.ask('POST', `/workspaces/${workspace}/vars`, { data: { type: 'vars', attributes } });
  }
}

/** A pool of agents that serves a workspace. Returns its id. */
async function pool(steps: ServiceSteps, name: string, workspace: string): Promise<string> {
  const document = { data: { type: 'agent-pools', attributes: { name } } };
  const { id } = await steps.ask('POST', '/organizations/acme/agent-pools', document);
  await steps.update(workspace, { 'execution-mode': 'agent', 'agent-pool-id': id });
  return id;
}

/** The agent of a pool of the organization, which has executed a run of the workspace. */
async function ownAgents(steps: ServiceSteps, workspace: string, clock: PastClock): Promise<PicturedRuns> {
  const id = await pool(steps, 'on-premises', workspace);
  const attributes = { description: 'Rack 4' };
  const document = { data: { type: 'authentication-tokens', attributes } };
  const { attributes: issued } = await steps.ask('POST', `/agent-pools/${id}/authentication-tokens`, document);
  const runs = new PicturedRuns(steps.agent(issued.token, 'rack-4-a'), clock);
  const given = { by: steps, plan: plans.small, message: 'Keep backups for a year', confirmed: 'Go' };
  await runs.run(workspace, given);
  return runs;
}

/** A token of each team, one of the organization and one of the person, which end after this many milliseconds. */
async function tokens(steps: ServiceSteps, ofTeams: readonly (readonly [team: string, lasts: number])[]) {
  const now = Date.now();
  const issue = (path: string, lasts: number, description?: string) =>
    steps.ask('POST', path, {
      data: {
        type: 'authentication-token',
        attributes: { 'expired-at': at(now, lasts), ...(description && { description }) },
      },
    });
  for (const [team, lasts] of ofTeams) await issue(`/teams/${team}/authentication-token`, lasts + hour);
  await issue('/organizations/acme/authentication-token', 3 * day + hour);
  const { id } = await steps.ask('GET', '/account/details');
  await issue(`/users/${id}/authentication-tokens`, 12 * day + hour, 'Laptop');
}
