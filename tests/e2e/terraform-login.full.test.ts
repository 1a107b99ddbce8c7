import { execFileSync, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { needing } from '../support/examples.js';
import { TestProvider } from '../support/identity-provider.js';
import { adminToken, freePort, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { endRecording, recordingIn } from '../support/recorded-requests.js';
import { noteSecret } from '../support/secrets-in-logs.js';
import { RunningCommand, terraform } from '../support/terraform-cli.js';
import { TlsProxy } from '../support/tls-proxy.js';

describe('terraform at a service behind TLS', () => {
  const { run, reason } = needing(terraform, 'openssl');
  let directory: string;
  let proxy: TlsProxy | undefined;
  let provider: TestProvider | undefined;
  let service: ServiceProcess | undefined;
  let url: string;

  beforeAll(async () => {
    if (reason !== '') return;
    directory = await temporaryDirectory();
    proxy = await TlsProxy.start(directory);
    const PUBLIC_URL = `https://${proxy.host}`;
    provider = await TestProvider.start(PUBLIC_URL);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    service = await ServiceProcess.start({
      ...provider.environment,
      ...recordingIn(directory),
      DATA_DIR: join(directory, 'data'),
      OIDC_CREATE_USERS: 'on',
      PORT: String(port),
      PUBLIC_URL,
    });
    proxy.forwardTo(url);
  });

  afterAll(async () => {
    await service?.end();
    await provider?.stop();
    await proxy?.end();
    if (reason !== '') return;
    await endRecording(directory);
  });

  /** The browser's requests of the service, which reach it without the proxy. */
  class Browser {
    private readonly cookies = new Map<string, string>();

    async ask(location: string, form?: URLSearchParams): Promise<Response> {
      const { pathname, search } = new URL(location);
      const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const asked = form === undefined ? {} : { method: 'POST', body: form };
      const answer = await fetch(url + pathname + search, { ...asked, redirect: 'manual', headers: { cookie } });
      for (const one of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
        this.cookies.set(name, value);
        noteSecret(value);
      }
      return answer;
    }
  }

  const locationOf = (answer: Response): string => {
    expect(answer.status).toBe(303);
    return answer.headers.get('location') ?? '';
  };

  run(`logs in once the person has signed in and agreed${reason}`, async () => {
    const host = (proxy as TlsProxy).host;
    const home = join(directory, 'home');
    await mkdir(join(home, '.terraform.d'), { recursive: true });
    const path = execFileSync('sh', ['-c', `command -v "${terraform}"`], { encoding: 'utf8' }).trim();
    // Without a PATH, the command finds no browser to open, and prints the address.
    const certificate = (proxy as TlsProxy).certificate;
    const env = { PATH: '', HOME: home, CHECKPOINT_DISABLE: '1', SSL_CERT_FILE: certificate };
    const login = new RunningCommand(spawn(path, ['login', '-no-color', host], { cwd: home, env }), 'login');
    await login.answer('Enter a value:', 'yes');
    const address = await login.finds(/https:\/\/localhost:\d+\/oauth\/authorize\S+/);

    const browser = new Browser();
    const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true, preferred_username: 'ada' };
    Object.assign(provider as TestProvider, { person: ada });
    const back = await (provider as TestProvider).visit(locationOf(await browser.ask(address)));
    const consent = await (await browser.ask(locationOf(await browser.ask(back.href)))).text();
    const fields = [...consent.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const form = new URLSearchParams(fields.map(([, name = '', value = '']): [string, string] => [name, value]));
    form.set('decision', 'allow');
    // The command may end before its answer has left.
    const ofCommand = locationOf(await browser.ask(`https://${host}/oauth/authorize`, form));
    expect([200, undefined]).toContain((await fetch(ofCommand).catch(() => undefined))?.status);

    const { code, printed } = await login.ended();
    expect([code, printed]).toEqual([0, expect.stringContaining('Terraform has obtained and saved an API token')]);
    const kept = JSON.parse(await readFile(join(home, '.terraform.d/credentials.tfrc.json'), 'utf8'));
    const { token } = kept.credentials[host];
    noteSecret(token);
    const headers = { authorization: `Bearer ${token}` };
    const account = await (await fetch(`${url}/api/v2/account/details`, { headers })).json();
    expect(account).toMatchObject({ data: { attributes: { username: 'ada' } } });
  });

  run(`prints an address of the run that a browser opens${reason}`, async () => {
    const { host, certificate } = proxy as TlsProxy;
    const headers = { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/vnd.api+json' };
    const attributes = { name: 'printed', email: 'ops@example.com' };
    const body = JSON.stringify({ data: { type: 'organizations', attributes } });
    expect((await fetch(`${url}/api/v2/organizations`, { method: 'POST', headers, body })).status).toBe(201);
    const home = join(directory, 'printing');
    await mkdir(home);
    const settings = join(home, 'cli.tfrc');
    await writeFile(settings, `credentials "${host}" {\n  token = "${adminToken}"\n}\n`);
    await writeFile(
      join(home, 'main.tf'),
      `terraform {\n  cloud {\n    hostname = "${host}"\n    organization = "printed"\n    workspaces { name = "network" }\n  }\n}\n`,
    );
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: home, CHECKPOINT_DISABLE: '1', TF_CLI_CONFIG_FILE: settings, SSL_CERT_FILE: certificate };
    const start = (...words: readonly string[]) =>
      new RunningCommand(spawn(terraform, words, { cwd: home, env }), words.join(' '));
    expect(await start('init', '-no-color').ended()).toMatchObject({ code: 0 });
    const plan = start('plan', '-no-color');
    const address = await plan.finds(/https:\/\/localhost:\d+\/app\/printed\/network\/runs\/run-\w+/);
    plan.interrupt();
    const ca = await readFile(certificate);
    const opened = await new Promise<IncomingMessage>((resolve, reject) => {
      get(address, { ca }, resolve).once('error', reject);
    });
    expect([opened.statusCode, opened.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await text(opened)).toContain('<title>Gatehouse</title>');
    await plan.ended();
  });
});
