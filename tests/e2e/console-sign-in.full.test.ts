import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chromium, openBrowser, watchedPage } from '../support/browser.js';
import { ConsolePage } from '../support/console.js';
import { TestProvider } from '../support/identity-provider.js';
import { freePort, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { usable } from '../support/programs.js';

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
