import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  crew,
  dependencies,
  emailOf,
  otherData,
  outputs,
  type ProviderResource,
  policyFiles,
  providerVersion,
  published,
  resources,
  unreadOfDependencies,
  users,
} from '../clients/provider-resources.js';
import { needing } from '../support/examples.js';
import { adminToken, freePort, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { endRecording, recordingIn } from '../support/recorded-requests.js';
import { noteSecretsOf } from '../support/secrets-in-logs.js';
import { until } from '../support/service-steps.js';
import { terraform } from '../support/terraform-cli.js';
import { findProvider, tfeProvider } from '../support/tfe-provider.js';
import { TlsProxy } from '../support/tls-proxy.js';

// Most of it for a build of the provider.

const { run: withPrograms, reason } = needing(terraform, 'openssl');
const run = withPrograms === it && tfeProvider.usable ? it : it.skip;
type Values = Readonly<Record<string, string>>;

let directory: string;
let proxy: TlsProxy;
let service: ServiceProcess;
let base: string;
let environment: Readonly<Record<string, string>>;

/** Requests that prepare the organization `crew`, past the proxy. */
// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
async function ask(path: string, body?: object, token = adminToken, method = body ? 'POST' : 'GET'): Promise<any> {
  const response = await fetch(base + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/vnd.api+json' },
    ...(body && { body: JSON.stringify({ data: body }) }),
  });
  const text = await response.text();
  noteSecretsOf(text);
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function assemble(): Promise<void> {
  const attributes = { name: crew, email: 'ops@example.com' };
  await ask('/organizations', { type: 'organizations', attributes });
  for (const username of users) {
    const email = emailOf(username);
    const { included } = await ask('/admin/users', { type: 'users', attributes: { username, email } });
    const membership = { type: 'organization-memberships', attributes: { email } };
    await ask(`/organizations/${crew}/organization-memberships`, membership);
    // An invited user becomes an active member with the first request.
    await ask('/account/details', undefined, included[0].attributes.token);
  }
}

/** Creates a workspace with a current state, whose outputs the service has read. */
async function publish(): Promise<void> {
  const attributes = { name: published, 'execution-mode': 'local' };
  const { data } = await ask(`/organizations/${crew}/workspaces`, { type: 'workspaces', attributes });
  const stored = Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }]);
  const [serial, lineage] = [1, 'lineage-1'];
  const state = JSON.stringify({ version: 4, serial, lineage, outputs: Object.fromEntries(stored), resources: [] });
  const md5 = createHash('md5').update(state).digest('hex');
  const version = { serial, lineage, md5, state: Buffer.from(state).toString('base64') };
  const path = `/workspaces/${data.id}`;
  await ask(`${path}/actions/lock`, {});
  await ask(`${path}/state-versions`, { type: 'state-versions', attributes: version });
  await ask(`${path}/actions/unlock`, {});
  await until('the outputs are read', async () => {
    // 503 until they are.
    const shown = await ask(`${path}?include=outputs`).catch(() => undefined);
    return shown?.included.length > 0;
  });
}

beforeAll(async () => {
  if (run !== it) return;
  const provider = await findProvider();
  directory = await temporaryDirectory();
  proxy = await TlsProxy.start(directory);
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  proxy.forwardTo(base);
  service = await ServiceProcess.start({
    ...recordingIn(directory),
    DATA_DIR: join(directory, 'data'),
    PORT: String(port),
    PUBLIC_URL: `https://${proxy.host}`,
  });
  await assemble();
  await publish();
  const settings = join(directory, 'cli.tfrc');
  const overrides = `dev_overrides {\n    "hashicorp/tfe" = "${dirname(provider)}"\n  }`;
  await writeFile(settings, `provider_installation {\n  ${overrides}\n  direct {}\n}\n`);
  environment = {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    CHECKPOINT_DISABLE: '1',
    SSL_CERT_FILE: proxy.certificate,
    TF_CLI_CONFIG_FILE: settings,
    TFE_TOKEN: adminToken,
  };
});

afterAll(async () => {
  await service?.end();
  await proxy?.end();
  if (directory === undefined) return;
  await endRecording(directory);
});

/** A directory with a configuration and its own local state. */
class Project {
  private constructor(private readonly directory: string) {}

  static async make(name: string): Promise<Project> {
    const project = new Project(join(directory, name));
    await mkdir(project.directory);
    const head = `terraform {\n  required_providers {\n    tfe = {\n      source = "hashicorp/tfe"\n    }\n  }\n}\n`;
    await project.write('provider.tf', `${head}provider "tfe" {\n  hostname = "${proxy.host}"\n}\n`);
    return project;
  }

  async write(file: string, text: string): Promise<void> {
    const path = join(this.directory, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }

  /** Its standard output. Throws with everything it printed unless it ends well. */
  async run(...words: readonly string[]): Promise<string> {
    // The provider retries what ends with 500 for minutes.
    const options = { cwd: this.directory, env: environment, maxBuffer: 1 << 26, timeout: 240_000 };
    const ended = promisify(execFile)(terraform, [...words], options);
    return ended.then(
      ({ stdout }) => stdout,
      (failure) => {
        throw new Error(
          `terraform ${words.join(' ')} ended with ${failure.code ?? failure.signal}:\n${failure.stdout}${failure.stderr}`,
        );
      },
    );
  }

  async apply(...words: readonly string[]): Promise<string> {
    return this.run('apply', '-no-color', '-input=false', '-auto-approve', ...words);
  }

  /** The planned actions of each managed resource. */
  async planned(): Promise<readonly Planned[]> {
    await this.run('plan', '-no-color', '-input=false', '-out=plan');
    const { resource_changes: changes = [] } = JSON.parse(await this.run('show', '-json', 'plan'));
    return changes
      .filter(({ mode }: { mode: string }) => mode === 'managed')
      .map(({ address, change }: Change) => ({
        address,
        does: change.actions.join(' and '),
        imports: change.importing !== undefined,
        attributes: Object.keys(change.after ?? {}).filter(
          (name) => JSON.stringify(change.before?.[name]) !== JSON.stringify(change.after?.[name]),
        ),
      }));
  }

  async resources(): Promise<readonly { address: string; type: string; mode: string; values: Values }[]> {
    const shown = await this.run('show', '-json');
    noteSecretsOf(shown);
    return JSON.parse(shown).values?.root_module.resources ?? [];
  }
}

interface Change {
  readonly address: string;
  readonly change: {
    readonly actions: readonly string[];
    readonly importing?: object;
    readonly before?: Readonly<Record<string, unknown>>;
    readonly after?: Readonly<Record<string, unknown>>;
  };
}

interface Planned {
  readonly address: string;
  readonly does: string;
  readonly imports: boolean;
  readonly attributes: readonly string[];
}

const block = (kind: 'resource' | 'data', type: string, body: string): string => `${kind} "${type}" "it" {\n${body}}\n`;

const configuration = (
  rows: readonly ProviderResource[],
  bodyOf: (row: ProviderResource) => string,
  withData: boolean,
): string =>
  [
    dependencies,
    ...rows.flatMap((row) => [
      block('resource', row.type, bodyOf(row)),
      ...(withData && row.data ? [block('data', row.type, row.data)] : []),
    ]),
    ...(withData ? otherData.map(({ type, body }) => block('data', type, body)) : []),
  ].join('\n');

const notKept = (plan: readonly Planned[]): readonly Planned[] => plan.filter(({ does }) => does !== 'no-op');

describe(`the tfe provider ${providerVersion}, unmodified${reason}${tfeProvider.reason}`, () => {
  run('creates every resource of the table, plans nothing more, imports, changes and destroys them', async () => {
    const project = await Project.make('project');
    for (const [name, text] of Object.entries(policyFiles)) await project.write(join('policies', name), text);
    await project.write(
      'main.tf',
      configuration(resources, ({ body }) => body, true),
    );
    // A team maps only groups that a site administrator gave its organization.
    await project.apply('-target=tfe_organization.it');
    const organization = (await project.resources()).find(({ type }) => type === 'tfe_organization')?.values.name;
    const groups = { type: 'organizations', attributes: { 'sso-groups': ['of-*'] } };
    await ask(`/admin/organizations/${organization}`, groups, adminToken, 'PATCH');
    await project.apply();
    expect(notKept(await project.planned())).toEqual([]);

    const created = await project.resources();
    const read = new Set(created.filter(({ mode }) => mode === 'data').map(({ type }) => type));
    const sources = [...resources.filter(({ data }) => data !== undefined), ...otherData].map(({ type }) => type);
    expect([...read].sort()).toEqual(sources.sort());

    const ofOutputs = created.find(({ type }) => type === 'tfe_outputs');
    expect(ofOutputs?.values).toMatchObject({ values: outputs, nonsensitive_values: outputs });

    const inheriting = created.find(({ address }) => address === 'tfe_workspace.inheriting');
    expect(inheriting?.values).toMatchObject({
      inherits_project_auto_destroy: true,
      auto_destroy_activity_duration: '14d',
    });

    const page = `https://${proxy.host}/app/acme/workspaces/network`;
    const pages = created
      .filter(({ address }) => address.endsWith('tfe_workspace.it'))
      .map(({ values }) => values.html_url);
    expect(pages).toEqual([page, page]);

    const importable = resources.filter(({ importId }) => importId !== undefined);
    const imports = created.flatMap(({ address, type, mode, values }) => {
      const id = mode === 'managed' && importable.find((row) => row.type === type)?.importId?.(values);
      return id ? [`import {\n  to = ${address}\n  id = "${id}"\n}\n`] : [];
    });
    const importing = await Project.make('importing');
    for (const [name, text] of Object.entries(policyFiles)) await importing.write(join('policies', name), text);
    await importing.write(
      'main.tf',
      configuration(importable, ({ body }) => body, false),
    );
    await importing.write('imports.tf', imports.join(''));
    const imported = await importing.planned();
    expect(imported.filter(({ imports }) => !imports)).toEqual([]);
    expect(imported).toHaveLength(imports.length);
    const unread = importable.flatMap((row) => (row.unread ? [[`${row.type}.it`, row.unread] as const] : []));
    expect(
      Object.fromEntries(notKept(imported).map(({ address, does, attributes }) => [address, [does, attributes]])),
    ).toEqual(
      Object.fromEntries(
        [...unread, ...Object.entries(unreadOfDependencies)].map(([address, names]) => [address, ['update', names]]),
      ),
    );
    await importing.apply('plan');
    expect(notKept(await importing.planned())).toEqual([]);

    await project.write(
      'main.tf',
      configuration(resources, ({ changed }) => changed.to, true),
    );
    await project.write('policies/README.md', 'A changed directory is another version.');
    const changes = new Map((await project.planned()).map(({ address, does }) => [address, does]));
    expect(resources.map(({ type }) => [type, changes.get(`${type}.it`)])).toEqual(
      resources.map(({ type, changed }) => [type, changed.by === 'update' ? 'update' : 'delete and create']),
    );
    expect(changes.get('tfe_policy_set.versioned')).toBe('update');
    await project.apply('plan');
    expect(notKept(await project.planned())).toEqual([]);

    await project.run('destroy', '-no-color', '-input=false', '-auto-approve');
    expect(await project.resources()).toEqual([]);
  });

  run(
    'fails with the words of the service for a switch that cannot be enforced, and plans nothing for the harmless values',
    async () => {
      const project = await Project.make('switches');
      const organization = (name: string, body: string): string =>
        `resource "tfe_organization" "${name}" {\nname = "${name}"\nemail = "ops@example.com"\n${body}\n}\n`;
      const harmless = [
        'collaborator_auth_policy = "password"',
        'enforce_hyok = false',
        'assessments_enforced = false',
        'user_tokens_enabled = true',
        'max_ttl_enabled = true',
        'session_timeout_minutes = 60',
        'session_remember_minutes = 600',
      ];
      await project.write('main.tf', organization('harmless', harmless.join('\n')));
      await project.apply();
      expect(notKept(await project.planned())).toEqual([]);
      for (const [name, attribute, words] of [
        ['two-factor', 'collaborator_auth_policy = "two_factor_mandatory"', 'this service has no second factor'],
        ['hyok', 'enforce_hyok = true', 'this service does not encrypt with keys of the organization'],
        ['assessed', 'assessments_enforced = true', 'this service does not assess workspaces'],
        ['tokenless', 'user_tokens_enabled = false', 'The operator must set OIDC_ISSUER first'],
      ] as const) {
        await project.write('main.tf', organization(name, attribute));
        const failed = await project.apply(`-target=tfe_organization.${name}`).catch((error: Error) => error.message);
        // The command wraps and frames the words.
        expect(String(failed).replaceAll(/[\s│╷╵]+/g, ' ')).toContain(words);
      }
    },
  );
});
