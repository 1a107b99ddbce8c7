import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { needing } from '../support/examples.js';
import { adminToken, freePort, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { until } from '../support/service-steps.js';
import { terraform } from '../support/terraform-cli.js';
import { findProvider, tfeProvider } from '../support/tfe-provider.js';

const { run, reason } = needing('bash', 'caddy', 'curl', 'openssl');
const withProvider = needing(terraform).run === it && run === it && tfeProvider.usable ? it : it.skip;

const root = new URL('../../', import.meta.url);
const textOf = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8');
const execute = promisify(execFile);

let directory: string;
let certificate: string;
let host: string;
let service: ServiceProcess;
let proxy: ChildProcess;
/** The page, with the host and the ports of this test. */
let page: string;

const blockWith = (language: string, words: string): string =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))]
    .map(([, block = '']) => block)
    .find((block) => block.includes(words)) ?? '';

const typed = async (script: string): Promise<string> => {
  const env = { PATH: process.env.PATH ?? '', HOME: directory, CURL_CA_BUNDLE: certificate };
  return (await execute('bash', ['--norc', '-ec', script], { cwd: directory, env })).stdout;
};

const authorization = `'Authorization: Bearer ${adminToken}'`;

/** A request through the proxy. */
// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
async function ask(path: string, data?: object): Promise<any> {
  const sent = data === undefined ? '' : `-d '${JSON.stringify({ data })}' -H 'Content-Type: application/vnd.api+json'`;
  return JSON.parse(await typed(`curl -sSf -H ${authorization} ${sent} https://${host}/api/v2${path}`));
}

beforeAll(async () => {
  if (run !== it) return;
  directory = await temporaryDirectory();
  const [port, instance] = [await freePort(), await freePort()];
  host = `localhost:${port}`;
  const ours = (text: string): string => text.replaceAll('gatehouse.example.com', host);
  page = ours(await textOf('docs/tls.md'));
  certificate = join(directory, 'cert.pem');
  const key = join(directory, 'key.pem');
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  await execute('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', certificate, ...names]);
  const own = /`(tls .*?)`/
    .exec(page)?.[1]
    ?.replace(/\S+cert\.pem/, certificate)
    .replace(/\S+key\.pem/, key);
  const settings = ours(await textOf('deploy/Caddyfile'))
    .replace('127.0.0.1:8080', `127.0.0.1:${instance}`)
    .replace(`${host} {`, `${host} {\n${own}\nbind 127.0.0.1`);
  const isolated = '{\nadmin off\nauto_https disable_redirects\n}\n';
  await writeFile(join(directory, 'Caddyfile'), isolated + settings);
  const exported = /^export (.*)$/m.exec(blockWith('sh', 'PUBLIC_URL'))?.[1] ?? '';
  const given = Object.fromEntries(exported.split(' ').map((one) => one.split('=')));
  service = await ServiceProcess.start({ ...given, DATA_DIR: join(directory, 'data'), PORT: String(instance) });
  const [program = '', ...words] = /^(caddy run) /m.exec(blockWith('sh', 'caddy run'))?.[1]?.split(' ') ?? [];
  proxy = spawn(program, [...words, '--config', join(directory, 'Caddyfile')], {
    env: { PATH: process.env.PATH ?? '', HOME: directory },
    stdio: 'ignore',
  });
  await until('the proxy passes requests on', () => typed(`curl -sSf https://${host}/readyz`).catch(() => undefined));
});

afterAll(async () => {
  if (proxy !== undefined && proxy.exitCode === null) {
    const exited = once(proxy, 'exit');
    proxy.kill('SIGKILL');
    await exited;
  }
  await service?.end();
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
});

run(`shows what terraform asks for first, as the guide says${reason}`, async () => {
  const discovery = JSON.parse(await typed(blockWith('sh', 'terraform.json')));
  expect(discovery['tfe.v2']).toBe('/api/v2/');
});

run(`streams a large archive through the proxy, and links back to it${reason}`, async () => {
  await ask('/organizations', { type: 'organizations', attributes: { name: 'acme', email: 'ops@example.com' } });
  const { data: workspace } = await ask('/organizations/acme/workspaces', {
    type: 'workspaces',
    attributes: { name: 'api' },
  });
  const { data: version } = await ask(`/workspaces/${workspace.id}/configuration-versions`, {
    type: 'configuration-versions',
    attributes: {},
  });
  const upload = version.attributes['upload-url'];
  expect(upload).toMatch(new RegExp(`^https://${host}/`));
  const bytes = await archiveOf({ 'noise.bin': randomBytes(15_000_000).toString('base64') });
  await writeFile(join(directory, 'archive.tar.gz'), bytes);
  await typed(`curl -sSf -T archive.tar.gz '${upload}'`);
  const from = `https://${host}/configuration-versions/${version.id}/download`;
  await typed(`curl -sSfL -o back.tar.gz -H ${authorization} '${from}'`);
  expect((await readFile(join(directory, 'back.tar.gz'))).equals(bytes)).toBe(true);
});

withProvider(`creates a workspace with the provider, as the guide says${reason}`, async () => {
  const project = join(directory, 'project');
  await mkdir(project);
  const needs = 'terraform {\n  required_providers {\n    tfe = {\n      source = "hashicorp/tfe"\n    }\n  }\n}\n';
  await writeFile(join(project, 'main.tf'), needs + blockWith('hcl', 'tfe_workspace'));
  const overrides = `dev_overrides {\n    "hashicorp/tfe" = "${dirname(await findProvider())}"\n  }`;
  await writeFile(join(directory, 'cli.tfrc'), `provider_installation {\n  ${overrides}\n  direct {}\n}\n`);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    CHECKPOINT_DISABLE: '1',
    SSL_CERT_FILE: certificate,
    TF_CLI_CONFIG_FILE: join(directory, 'cli.tfrc'),
    TFE_TOKEN: adminToken,
  };
  await execute(terraform, ['apply', '-no-color', '-input=false', '-auto-approve'], { cwd: project, env });
  expect((await ask('/organizations/acme/workspaces/network')).data.attributes.name).toBe('network');
});
