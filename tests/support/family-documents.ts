import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A server of the family that answers with fixed documents. They are built from published facts about the API (the
 * structs of go-tfe and the reference of the vendor), not recorded from an installation.
 */
export class FamilyDocuments {
  /** Every request but those that read, by method and path. */
  readonly writes: string[] = [];

  private constructor(
    private readonly server: Server,
    documents: (url: string) => Readonly<Record<string, unknown>>,
  ) {
    const known = new Map(Object.entries(documents(this.url)));
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', this.url);
      const filters = [...searchParams].filter(([name]) => !name.startsWith('page[')).map(([, value]) => `?${value}`);
      if (request.method !== 'GET') {
        this.writes.push(`${request.method} ${pathname}`);
        response.end('{}');
        return;
      }
      const document = known.get(`${pathname}${filters.join('')}`);
      const isRefused = !pathname.endsWith('/hosted_state') && request.headers.authorization !== 'Bearer family';
      if (isRefused) response.writeHead(401).end('{"errors":[{"status":"401","title":"unauthorized"}]}');
      else if (document === undefined) response.writeHead(404).end('{"errors":[{"status":"404","title":"not found"}]}');
      else response.end(typeof document === 'string' ? document : JSON.stringify(document));
    });
  }

  static async start(documents: (url: string) => Readonly<Record<string, unknown>>): Promise<FamilyDocuments> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FamilyDocuments(server, documents);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const state = (serial: number) => JSON.stringify({ version: 4, serial, lineage: 'f0a1', outputs: {}, resources: [] });
const list = (...data: readonly object[]) => ({
  data,
  links: { self: 'https://app.example/', first: 'https://app.example/', next: null },
  meta: {
    pagination: {
      'current-page': 1,
      'page-size': 100,
      'next-page': null,
      'prev-page': null,
      'total-count': data.length,
    },
  },
});

/** Its states have neither digest nor lineage: they must be read to be compared. */
const stateVersion = (url: string, id: string, serial: number) => ({
  id,
  type: 'state-versions',
  attributes: {
    serial,
    'created-at': '2020-03-01T00:00:00.000Z',
    'hosted-state-download-url': `${url}/api/state-versions/${id}/hosted_state`,
    'vcs-commit-sha': null,
    modules: { root: { 'null-resource': 1 } },
  },
  relationships: { run: { data: { id: 'run-1', type: 'runs' } } },
});

/** A server from before projects, execution modes and tags with values. */
export const olderServer = (url: string): Readonly<Record<string, unknown>> => ({
  '/api/v2/organizations': list({
    id: 'older',
    type: 'organizations',
    attributes: { name: 'older', email: 'admin@older.example', 'saml-enabled': false, 'trial-expires-at': null },
    relationships: {},
  }),
  '/api/v2/organizations/older/teams': list(
    { id: 'team-1', type: 'teams', attributes: { name: 'owners', 'users-count': 1, visibility: 'organization' } },
    {
      id: 'team-2',
      type: 'teams',
      attributes: { name: 'Developers', 'organization-access': { 'manage-workspaces': true, 'manage-modules': true } },
    },
  ),
  '/api/v2/organizations/older/workspaces': list({
    id: 'ws-1',
    type: 'workspaces',
    attributes: {
      name: 'legacy',
      description: null,
      'auto-apply': false,
      operations: false,
      locked: false,
      'terraform-version': '0.12.31',
      'working-directory': null,
      'trigger-prefixes': [],
      'tag-names': ['core'],
      'vcs-repo': { identifier: 'older/legacy', 'oauth-token-id': 'ot-1', branch: '' },
      environment: 'default',
      'ingress-trigger-attributes': { branch: 'main' },
    },
    relationships: { organization: { data: { id: 'older', type: 'organizations' } }, 'ssh-key': { data: null } },
  }),
  '/api/v2/workspaces/ws-1/vars': { data: [variable('var-1', 'region', 'eu'), variable('var-2', 'key', null)] },
  '/api/v2/team-workspaces?ws-1': list({
    id: 'tws-1',
    type: 'team-workspaces',
    attributes: { access: 'write' },
    relationships: {
      team: { data: { id: 'team-2', type: 'teams' } },
      workspace: { data: { id: 'ws-1', type: 'workspaces' } },
    },
  }),
  '/api/v2/organizations/older/policies': list({
    id: 'pol-1',
    type: 'policies',
    attributes: { name: 'limits', enforce: [{ path: 'limits.sentinel', mode: 'soft-mandatory' }] },
  }),
  '/api/v2/policies/pol-1/download': 'main = rule { true }\n',
  '/api/v2/organizations/older/policy-sets': list({
    id: 'polset-1',
    type: 'policy-sets',
    attributes: { name: 'everywhere', description: '', global: true, 'policies-path': null, 'vcs-repo': null },
    relationships: { policies: { data: [{ id: 'pol-1', type: 'policies' }] }, workspaces: { data: [] } },
  }),
  '/api/v2/state-versions?older?legacy': list(stateVersion(url, 'sv-2', 9), stateVersion(url, 'sv-1', 8)),
  '/api/v2/state-versions/sv-2': { data: stateVersion(url, 'sv-2', 9) },
  '/api/v2/state-versions/sv-1': { data: stateVersion(url, 'sv-1', 8) },
  '/api/state-versions/sv-2/hosted_state': state(9),
  '/api/state-versions/sv-1/hosted_state': state(8),
});

function variable(id: string, key: string, value: string | null, more: object = {}) {
  const attributes = { key, value: value ?? '', category: 'terraform', hcl: false, sensitive: value === null, ...more };
  return {
    id,
    type: 'vars',
    attributes,
    relationships: { configurable: { data: { id: 'ws-1', type: 'workspaces' } } },
  };
}

/** A server with more than this service has. */
export const newerServer = (): Readonly<Record<string, unknown>> => {
  const project = (id: string, name: string) => ({
    id,
    type: 'projects',
    attributes: { name, description: '', 'is-unified': true, 'auto-destroy-activity-duration': '14d' },
    relationships: { organization: { data: { id: 'newer', type: 'organizations' } } },
  });
  return {
    '/api/v2/organizations/newer': {
      data: {
        id: 'newer',
        type: 'organizations',
        attributes: {
          name: 'newer',
          email: 'admin@newer.example',
          'collaborator-auth-policy': 'two_factor_mandatory',
          'default-execution-mode': 'agent',
          'is-unified': true,
          'session-timeout': null,
          'user-tokens-enabled': null,
        },
        relationships: { 'default-project': { data: { id: 'prj-1', type: 'projects' } }, subscription: {} },
      },
    },
    '/api/v2/organizations/newer/teams': list({
      id: 'team-1',
      type: 'teams',
      attributes: { name: 'Everyone', 'sso-team-id': 'a-group', visibility: 'secret', 'is-unified': true },
    }),
    '/api/v2/organizations/newer/organization-memberships': list(
      {
        id: 'ou-1',
        type: 'organization-memberships',
        attributes: { status: 'active', email: 'Eve@newer.example' },
        relationships: { teams: { data: [{ id: 'team-1', type: 'teams' }] } },
      },
      { id: 'ou-2', type: 'organization-memberships', attributes: { status: 'active', email: null } },
    ),
    '/api/v2/organizations/newer/projects': list(project('prj-1', 'Default Project'), project('prj-2', 'Data')),
    '/api/v2/organizations/newer/workspaces': list({
      id: 'ws-1',
      type: 'workspaces',
      attributes: {
        name: 'lake',
        'execution-mode': 'agent',
        'setting-overwrites': { 'execution-mode': true, 'agent-pool': true, 'project-remote-state': true },
        'project-remote-state': true,
        'hyok-enabled': false,
        'data-retention-policy-choice': null,
        'tag-names': ['flat'],
        'workspace-kpis-runs-count': 3,
        permissions: { 'can-update': true },
      },
      relationships: {
        project: { data: { id: 'prj-2', type: 'projects' } },
        'agent-pool': { data: { id: 'apool-1', type: 'agent-pools' } },
        'locked-by': null,
      },
    }),
    '/api/v2/workspaces/ws-1/tag-bindings': {
      data: [
        { id: 'tb-1', type: 'tag-bindings', attributes: { key: 'flat', value: '' } },
        { id: 'tb-2', type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } },
      ],
    },
    '/api/v2/workspaces/ws-1/vars': { data: [] },
    '/api/v2/organizations/newer/varsets': list({
      id: 'varset-1',
      type: 'varsets',
      attributes: { name: 'shared', description: null, global: false, priority: null, 'stack-count': 0 },
      relationships: {
        parent: { data: { id: 'prj-2', type: 'projects' } },
        workspaces: { data: [{ id: 'ws-1', type: 'workspaces' }] },
        stacks: { data: [] },
      },
    }),
    '/api/v2/organizations/newer/policy-sets': list({
      id: 'polset-1',
      type: 'policy-sets',
      attributes: { name: 'from git', kind: 'opa', versioned: true, 'vcs-repo': { identifier: 'newer/policies' } },
    }),
    '/api/v2/organizations/newer/agent-pools': list({
      id: 'apool-1',
      type: 'agent-pools',
      attributes: { name: 'lakeside', 'organization-scoped': false, 'agent-count': 2 },
      relationships: {
        'allowed-workspaces': { data: [{ id: 'ws-1', type: 'workspaces' }] },
        'allowed-projects': { data: [] },
        workspaces: { data: [{ id: 'ws-1', type: 'workspaces' }] },
      },
    }),
  };
};
