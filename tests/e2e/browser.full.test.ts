import { rm } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { chromium, openBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import { adminToken, freePort, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { usable } from '../support/programs.js';

const suite = usable('chromium', chromium !== undefined) ? describe : describe.skip;
const reason = chromium === undefined ? ' (skipped: no chromium on PATH, and none named by CHROMIUM)' : '';

const quoted = (text: string): string => JSON.stringify(text);

const textOf = async (page: Page, selector = 'body'): Promise<string> =>
  String(await page.evaluate(`document.querySelector(${quoted(selector)})?.innerText ?? ''`));

/** The parts of the API description that the pages show. */
const described = async (url: string) =>
  (await (await fetch(`${url}/openapi.json`)).json()) as {
    readonly info: { readonly version: string };
    readonly tags: readonly { readonly name: string }[];
  };

/** The message that Chromium logs for every unsuccessful response. */
const refusedIn = (complaint: string): boolean => complaint.startsWith('Failed to load resource');

/** Everything that a page can store in the browser, by location. */
const leftBy = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => ({
    address: location.href,
    local: { ...localStorage },
    session: { ...sessionStorage },
    cookies: document.cookie,
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    history: history.length < 5 && history.state,
    name: window.name,
  }))()`);

suite(`the pages in a browser${reason}`, () => {
  let directory: string;
  let service: ServiceProcess;
  let site: string;
  let chrome: Awaited<ReturnType<typeof openBrowser>>;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    directory = await temporaryDirectory();
    service = await ServiceProcess.start({ DATA_DIR: directory });
    await service.provision();
    await service.end();
    // The pages call their own origin, whatever PUBLIC_URL is.
    const port = await freePort();
    site = `http://127.0.0.1:${port}`;
    const PUBLIC_URL = 'https://gatehouse.example/below';
    service = await ServiceProcess.start({ DATA_DIR: directory, PORT: String(port), PUBLIC_URL });
    chrome = await openBrowser();
    browser = chrome.browser;
  });

  afterAll(async () => {
    await chrome?.close();
    await service?.end();
    await rm(directory, { recursive: true, force: true });
  });

  beforeEach(async () => {
    watched = await watchedPage(browser);
    page = watched.page;
  });

  afterEach(async () => {
    await page.browserContext().close();
    const elsewhere = watched.requests.filter((url) => !url.startsWith(site) && !url.startsWith('data:'));
    expect(elsewhere.filter((url) => !url.startsWith('http://127.0.0.1:'))).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });

  const open = (path: string) => page.goto(site + path, { waitUntil: 'networkidle0' });

  /** Leaves the page by a link and returns to it through the back/forward cache. */
  const leaveAndComeBack = async (): Promise<void> => {
    await page.evaluate('window.kept = true; addEventListener("pageshow", () => { window.cameBack = true; })');
    await page.goto(`${site}/healthz`);
    await page.evaluate('history.back()');
  };

  describe('/docs', () => {
    const operation = '#operations-Organizations-listOrganizationsV2';

    const authorize = async (token: string): Promise<void> => {
      await page.click('.btn.authorize');
      await page.waitForSelector('.auth-container input');
      await page.type('.auth-container input', token);
      await page.click('.auth-btn-wrapper .authorize');
      await page.click('.auth-btn-wrapper .btn-done');
    };

    /** Lists the organizations, from another area than the one that the page began with. */
    const tryOut = async (): Promise<string> => {
      await page.waitForSelector('.opblock-tag');
      await page.type('#search', 'get /api/v2/organizations');
      await page.locator('#listed a[href="#/Organizations/listOrganizationsV2"]').click();
      await page.waitForSelector(`${operation} .execute`);
      await page.click(`${operation} .execute`);
      await page.waitForSelector(`${operation} .live-responses-table .response`);
      return textOf(page, `${operation} .live-responses-table`);
    };

    it('opens, lists the areas, and takes nothing from its address', async () => {
      await open('/docs?url=https://example.com/evil.json&configUrl=https://example.com/config.json');
      await page.waitForSelector('.opblock-tag');
      const { tags } = await described(site);
      const listed = (await page.evaluate(
        `[...document.querySelectorAll('#areas a')].map((link) => link.textContent)`,
      )) as string[];
      expect(listed).toEqual(tags.map(({ name }) => name));
      expect(listed).toContain('Configuration versions');
      expect(await textOf(page, '.info .title')).toContain('Gatehouse');
      expect(await page.$('#told:not([hidden])')).toBeNull();
    });

    it.each([
      ['docs', '/api/v2/teams/{id}', '/teams/{id}'],
      ['docs?dialect=contract', '/teams/{id}', '/api/v2/teams/{id}'],
    ])('shows each operation once: %s has %s and not %s', async (address, shown, hidden) => {
      await open(`/${address}#/Teams`);
      await page.waitForSelector('.opblock-body');
      const paths = (await page.evaluate(
        `[...document.querySelectorAll('#listed a')].map((link) => link.dataset.path)`,
      )) as string[];
      expect(paths).toContain(shown);
      expect(paths).not.toContain(hidden);
      expect(paths.filter((path) => !path.includes('team'))).toEqual([]);
      expect(await page.$(`nav a[href="${address}"][aria-current="page"]`)).not.toBeNull();
    });

    it('shows the one operation that its address names', async () => {
      await open('/docs#/Workspaces/createWorkspaceV2');
      await page.waitForSelector('#operations-Workspaces-createWorkspaceV2 .opblock-body');
      expect(await page.$$('.opblock')).toHaveLength(1);
      expect(await textOf(page, '#listed [aria-current="true"]')).toContain('Create a workspace');
    });

    it('tries the API with a pasted token, at the service it came from, and keeps the token nowhere', async () => {
      await open('/docs');
      await authorize(adminToken);
      const answer = await tryOut();
      expect(answer).toMatch(/^Code[\s\S]*\b200\b/);
      expect(answer).toContain('"name": "acme"');
      const asked = watched.requests.filter((url) => url.includes('/organizations'));
      expect(asked).toEqual([expect.stringMatching(`^${site}/api/v2/organizations\\?`)]);
      expect(await leftBy(page)).toMatchObject({ local: {}, session: {}, cookies: '', databases: [], caches: [] });
    });

    it('forgets the token and what it asked with it when it is left', async () => {
      await open('/docs');
      await authorize(adminToken);
      expect(await tryOut()).toContain('"name": "acme"');
      await leaveAndComeBack();
      await page.waitForFunction('!window.kept');
      await page.waitForSelector('.opblock-tag');
      expect(await page.content()).not.toContain(adminToken);
      await page.waitForSelector('.btn.authorize.unlocked');
    });

    it('shows the 401 of a token that is none', async () => {
      await open('/docs');
      await authorize('gatehouse.v1.mistyped');
      const answer = await tryOut();
      expect(answer).toMatch(/^Code[\s\S]*\b401\b/);
      expect(answer).toContain('unauthorized');
      expect(watched.complaints.filter((text) => !refusedIn(text))).toEqual([]);
      watched.complaints.length = 0;
    });

    describe('below a path', () => {
      let proxy: Server;
      let url: string;

      beforeAll(async () => {
        const { port } = new URL(site);
        proxy = createServer((request, response) => {
          const [, rest] = /^\/below(\/.*)$/.exec(request.url ?? '') ?? [];
          if (rest === undefined) {
            response.writeHead(404).end();
            return;
          }
          const options = { port, host: '127.0.0.1', path: rest, method: request.method, headers: request.headers };
          request.pipe(
            forward(options, (answer) => {
              response.writeHead(answer.statusCode ?? 502, answer.headers);
              answer.pipe(response);
            }),
          );
        });
        await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
        url = `http://127.0.0.1:${(proxy.address() as { port: number }).port}/below`;
      });
      afterAll(() => {
        proxy.closeAllConnections();
        proxy.close();
      });

      it('is the same', async () => {
        await page.goto(`${url}/docs/`, { waitUntil: 'networkidle0' });
        await authorize(adminToken);
        expect(await tryOut()).toContain('"name": "acme"');
        expect(watched.requests.filter((asked) => !asked.startsWith(url) && !asked.startsWith('data:'))).toEqual([]);
      });
    });
  });

  it('leads from / to the console', async () => {
    await open('/');
    await page.waitForSelector('aria/Sign in[role="heading"]');
    expect(page.url()).toBe(`${site}/app`);
  });
});
