import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chromium, openBrowser, watchedPage } from '../support/browser.js';
import { gatehouse } from '../support/command-line.js';
import { ConsolePage } from '../support/console.js';
import { TestProvider } from '../support/identity-provider.js';
import { adminToken, freePort, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { usable } from '../support/programs.js';
import { noteSecretsOf } from '../support/secrets-in-logs.js';

const suite = usable('chromium', chromium !== undefined) ? describe : describe.skip;
const reason = chromium === undefined ? ' (skipped: no chromium on PATH, and none named by CHROMIUM)' : '';

suite(`signing in to the console with an identity provider${reason}`, () => {
  let directory: string;
  let provider: TestProvider;
  let service: ServiceProcess;
  let chrome: Awaited<ReturnType<typeof openBrowser>>;

  beforeAll(async () => {
    directory = await temporaryDirectory();
    const port = String(await freePort());
    provider = await TestProvider.start(`http://127.0.0.1:${port}`);
    const environment = { ...provider.environment, OIDC_CREATE_USERS: 'on', PUBLIC_URL: `http://127.0.0.1:${port}` };
    service = await ServiceProcess.start({ DATA_DIR: directory, PORT: port, ...environment });
    chrome = await openBrowser();
  });

  afterAll(async () => {
    await chrome?.close();
    await service?.end();
    await provider?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('leads back to the page that was asked for, stores nothing in the tab, and ends with signing out', async () => {
    const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true, preferred_username: 'ada' };
    provider.people.set('ada', ada);
    provider.person = ada;
    const { page, complaints } = await watchedPage(chrome.browser);
    const view = new ConsolePage(page, service.url);
    await view.open('/app/settings/tokens?page=1');
    await view.isAccessible();
    await view.press('link', 'Sign in with your organization');
    await view.find('heading', 'Issue a token');
    expect(await view.address()).toBe('/app/settings/tokens?page=1');
    expect(await page.evaluate('({ ...sessionStorage })')).toEqual({});
    await view.submit('Issue token', { Description: 'laptop' });
    await view.shows('It is shown only once.');
    await view.press('button', 'Account: ada');
    await view.press('menuitem', 'Sign out');
    await view.find('heading', 'Sign in');
    await page.reload();
    await view.find('heading', 'Sign in');
    expect(complaints).toEqual([]);
  });

  it('goes on with a form when the session has ended and the person signs in again in another tab', async () => {
    const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true, preferred_username: 'ada' };
    provider.people.set('ada', ada);
    provider.person = ada;
    const { page } = await watchedPage(chrome.browser);
    const view = new ConsolePage(page, service.url);
    await view.open('/app/settings/tokens');
    await view.press('link', 'Sign in with your organization');
    await view.find('button', 'Account: ada');
    await view.fill('Description', 'desktop');
    const cookies = await page.browserContext().cookies();
    const ended = await fetch(`${service.url}/session`, {
      method: 'DELETE',
      headers: {
        Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
        Origin: service.url,
        'X-Gatehouse-Console': '1',
      },
    });
    expect(ended.status).toBe(204);
    await view.press('button', 'Issue token');
    await view.find('heading', 'Your session has ended');
    await view.isAccessible();
    const tab = page
      .browserContext()
      .waitForTarget((target) => target.url().startsWith(`${service.url}/app`) && target !== page.target());
    await view.press('link', 'Sign in with your organization');
    await tab;
    await page.bringToFront();
    await view.shows('It is shown only once.');
    await view.find('rowheader', 'desktop');
  });
});

suite(`signing in to the console without an identity provider${reason}`, () => {
  let directory: string;
  let service: ServiceProcess;
  let chrome: Awaited<ReturnType<typeof openBrowser>>;

  beforeAll(async () => {
    directory = await temporaryDirectory();
    service = await ServiceProcess.start({ DATA_DIR: directory });
    await service.provision('acme', 'network');
    chrome = await openBrowser();
  });

  afterAll(async () => {
    await chrome?.close();
    await service?.end();
    await rm(directory, { recursive: true, force: true });
  });

  it('prints the address of the console, and no link where it is not a terminal', async () => {
    expect(service.printed).toContain(`Open the console at ${service.url}/app, and sign in with`);
    expect(service.printed).not.toContain('sign-in');
  });

  it('with a token is for all tabs, and so is signing out; nothing keeps the token', async () => {
    const { page, complaints } = await watchedPage(chrome.browser);
    const view = new ConsolePage(page, service.url);
    await view.open('/app/acme/workspaces');
    await view.isAccessible();
    await view.signIn('/app/acme/workspaces', adminToken);
    await view.find('link', 'network');
    const other = new ConsolePage(await page.browserContext().newPage(), service.url);
    await other.open('/app/acme/workspaces');
    await other.find('link', 'network');
    for (const { page: tab } of [view, other]) {
      expect(await tab.evaluate('({ ...sessionStorage, ...localStorage, cookies: document.cookie })')).toEqual({
        cookies: '',
      });
      expect(await tab.content()).not.toContain(adminToken);
    }
    const kept = await page.browserContext().cookies();
    expect(kept.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([[true, 'Lax']]);
    expect(JSON.stringify(kept)).not.toContain(adminToken);
    await other.press('button', 'Account: admin');
    await other.press('menuitem', 'Sign out');
    // A tab in the background is not searched.
    for (const tab of [other, view]) {
      await tab.page.bringToFront();
      await tab.find('heading', 'Sign in');
    }
    await view.submit('Sign in', { 'API token': adminToken });
    for (const tab of [view, other]) {
      await tab.page.bringToFront();
      await tab.find('link', 'network');
    }
    // The other tab may read something while it is signed out.
    expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  });

  it('with a token is listed with it, and is ended by another browser', async () => {
    const { page } = await watchedPage(chrome.browser);
    const view = new ConsolePage(page, service.url);
    await view.signIn('/app/settings/tokens', adminToken);
    await view.find('heading', 'Sessions');
    await view.shows('This browser');
    await view.isAccessible();
    await view.press('button', 'Sign out everywhere', 'Sign out everywhere');
    await view.find('heading', 'Sign in');
    const { json } = await service.api('GET', '/account/sessions');
    expect(json.data).toEqual([]);
  });

  it('by a link takes a click that names the user, once, and leaves no trace of the code', async () => {
    const given = { DATA_DIR: directory, PUBLIC_URL: service.url };
    const { json } = await gatehouse(['sign-in-link', '--user', 'admin'], given);
    const { pathname, hash } = new URL(json.link);
    expect([pathname, hash]).toEqual(['/app/sign-in', expect.stringMatching(/^#code=gatehouse\.v1\.\w{48}~admin$/)]);
    const { page, complaints, requests } = await watchedPage(chrome.browser);
    const view = new ConsolePage(page, service.url);
    await view.open('/app');
    await page.goto(json.link, { waitUntil: 'networkidle2' });
    await view.find('button', 'Sign in as admin');
    await view.shows('This link signs you in as admin, once.');
    await view.isAccessible();
    expect(await page.evaluate('location.href')).toBe(`${service.url}/app/sign-in`);
    expect((await service.api('GET', '/account/sessions')).json.data).toEqual([]);
    await view.press('button', 'Sign in as admin');
    await view.find('button', 'Account: admin');
    expect(await view.address()).toBe('/app');
    const [, code = ''] = hash.split('=');
    expect(requests.filter((url) => url.includes(code.slice(0, 40)) && url !== json.link)).toEqual([]);
    const { entries } = await (await page.createCDPSession()).send('Page.getNavigationHistory');
    expect(entries.map(({ url }) => url).filter((url) => url.includes('code'))).toEqual([]);
    expect(service.printed).not.toContain(code);
    expect(complaints).toEqual([]);
    // A second link in the same tab does not load the page again.
    await page.goto(json.link, { waitUntil: 'networkidle2' });
    await view.press('button', 'Sign in as admin');
    await view.shows('The link was used or replaced, or has expired.');
    await page.reload();
    await view.find('button', 'Account: admin');
    expect(await view.address()).toBe('/app');
  });
});

const hasTerminal = spawnSync('script', ['--version']).status === 0;
const atTerminal = usable('script', hasTerminal) ? describe : describe.skip;

atTerminal('the start at a terminal', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));

  /** Starts the service at a terminal of its own, hands over what it prints, and ends it. */
  async function printed(environment: Record<string, string>, use: (text: string) => Promise<void>): Promise<void> {
    const command = `exec "${process.execPath}" dist/infrastructure/main.js`;
    const env = { PATH: process.env.PATH, PORT: '0', ADMIN_TOKEN: adminToken, ...environment };
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: root,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      if (text.includes('First requests')) break;
    }
    noteSecretsOf(text);
    await use(text);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  it('prints a link for the first sign-in, and the address alone after it', async () => {
    const directory = await temporaryDirectory();
    await printed({ DATA_DIR: directory, PUBLIC_URL: 'https://gatehouse.example' }, async (text) => {
      expect(text).toMatch(/Open the console at \S+\/app, and sign in/);
      expect(text).not.toContain('#code=');
    });
    await printed({ DATA_DIR: directory }, async (text) => {
      const [, site = '', code = ''] = /(http\S+)\/app\/sign-in#code=(\S+)/.exec(text) ?? [];
      const answer = await fetch(`${site}/session`, {
        method: 'POST',
        headers: { Origin: site, 'X-Gatehouse-Console': '1', 'Content-Type': 'application/vnd.api+json' },
        body: JSON.stringify({ data: { type: 'sessions', attributes: { code } } }),
      });
      expect(answer.status).toBe(201);
    });
    await printed({ DATA_DIR: directory }, async (text) => {
      expect(text).toMatch(/Open the console at \S+\/app, and sign in/);
      expect(text).not.toContain('#code=');
    });
    await rm(directory, { recursive: true, force: true });
  });
});
