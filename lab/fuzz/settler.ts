import { archiveOf } from '../../tests/support/archives.js';
import { identifiersIn, type Pool } from './pool.js';
import { repositories } from './repositories.js';
import type { Answered } from './requests.js';
import type { Service } from './service.js';

const document = (type: string, attributes: object = {}, relationships?: object) => ({
  data: { type, attributes, ...(relationships === undefined ? {} : { relationships }) },
});

const files = await archiveOf({ 'main.tf': 'terraform {}' });

const related = (type: string, id: string) => ({ data: { type, id } });

/** Fills organizations with one of everything, as the site's administrator. */
export class Settler {
  private told: string[] = [];

  constructor(
    private readonly service: Service,
    private readonly pool: Pool,
  ) {}

  async user(username: string): Promise<{ readonly id: string; readonly token: string; readonly secret: string }> {
    const made = await this.post('/admin/users', document('users', { username, email: `${username}@example.com` }));
    const [token] = made.included;
    return { id: made.data.id, token: token.id, secret: token.attributes.token };
  }

  /** Returns the findings about it, in order. */
  async organization(name: string): Promise<readonly string[]> {
    this.told = [];
    const at = `/organizations/${name}`;
    await this.post('/organizations', document('organizations', { name, email: 'ops@example.com' }));
    this.pool.add('settled', name);
    const member = await this.user(`member-of-${name}`);
    this.pool.add('secret user', member.secret);
    const joining = document('organization-memberships', { email: `member-of-${name}@example.com` });
    await this.post(`${at}/organization-memberships`, joining);
    const rights = { 'organization-access': { 'manage-workspaces': true, 'manage-policy-overrides': true } };
    const team = (await this.post(`${at}/teams`, document('teams', { name: 'red', ...rights }))).data.id;
    await this.post(`/teams/${team}/relationships/users`, { data: [{ type: 'users', id: member.id }] });
    await this.post(`/teams/${team}/authentication-token`, document('authentication-token'), 'issueTeamToken');
    await this.post(`${at}/authentication-token`, {}, 'issueOrganizationToken');
    const policies = [{ name: 'sober', query: 'data.x', 'enforcement-level': 'mandatory' }];
    const checks = { name: 'all', global: true, overridable: true, policies };
    const set = (await this.post(`${at}/policy-sets`, document('policy-sets', checks))).data.id;
    const coded = { name: 'coded', query: 'data.terraform.deny', 'enforcement-level': 'advisory' };
    const policy = (await this.post(`${at}/policies`, document('policies', coded))).data.id;
    await this.put(`/policies/${policy}/upload`, Buffer.from(`package terraform # of ${name}`));
    await this.post(`/policy-sets/${set}/relationships/policies`, { data: [{ type: 'policies', id: policy }] });
    const racks = (await this.post(`${at}/agent-pools`, document('agent-pools', { name: 'racks' }))).data.id;
    await this.post(`/agent-pools/${racks}/authentication-tokens`, {}, 'issueAgentPoolToken');
    const linked = { 'vcs-repo': { 'clone-url': repositories[0], branch: 'main' } };
    for (const [index, settings] of [{}, { 'auto-apply': true }, linked].entries()) {
      const settled = document('workspaces', { name: `place-${index}-of-${name}`, ...settings });
      const workspace = related('workspaces', (await this.post(`${at}/workspaces`, settled)).data.id);
      const places = { workspace, team: related('teams', team) };
      await this.post('/team-workspaces', document('team-workspaces', { access: 'admin' }, places));
      const variable = { key: 'region', value: 'north', category: 'terraform' };
      await this.post(`/workspaces/${workspace.data.id}/vars`, document('vars', variable));
      const version = await this.post(`/workspaces/${workspace.data.id}/configuration-versions`);
      await this.put(version.data.attributes['upload-url'].replace(/^https?:\/\/[^/]+/, ''), files);
    }
    return this.told;
  }

  // biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
  private async post(url: string, body: object = {}, operation = ''): Promise<any> {
    const said = JSON.stringify(body);
    const { text } = await this.send('POST', url, Buffer.from(said));
    this.told.push(...identifiersIn(text));
    this.pool.learn(operation, url, said, '', text, undefined);
    return text === '' ? undefined : JSON.parse(text);
  }

  private put(url: string, body: Buffer): Promise<Answered> {
    return this.send('PUT', url, body);
  }

  private async send(method: string, url: string, body: Buffer): Promise<Answered> {
    const headers = {
      'Content-Type': 'application/vnd.api+json',
      Authorization: `Bearer ${this.service.admin.secret}`,
    };
    const answer = await this.service.send({ method, url, headers, body });
    if (answer.status === 429) {
      this.service.clock.advance(1);
      return this.send(method, url, body);
    }
    if (answer.status >= 300) throw new Error(`${url} was answered ${answer.status}: ${answer.text}`);
    return answer;
  }
}
