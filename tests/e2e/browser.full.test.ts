import { cp, rm } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, HTTPRequest, Page } from 'puppeteer-core';
import { chromium, openBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import { faultsOn } from '../support/page-faults.js';
import { adminToken, freePort, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { usable } from '../support/programs.js';
import { hostile, showManyPolicySets, showOrganization } from '../support/shown-organization.js';

const suite = usable('chromium', chromium !== undefined) ? describe : describe.skip;
const reason = chromium === undefined ? ' (skipped: no chromium on PATH, and none named by CHROMIUM)' : '';

const quoted = (text: string): string => JSON.stringify(text);

const textOf = async (page: Page, selector = 'body'): Promise<string> =>
  String(await page.evaluate(`document.querySelector(${quoted(selector)})?.innerText ?? ''`));

/** Resolves once the text is visible there. */
const shows = async (page: Page, text: string, selector = 'body'): Promise<void> => {
  const there = `(document.querySelector(${quoted(selector)})?.innerText ?? '').includes(${quoted(text)})`;
  await page.waitForFunction(there, { timeout: 20_000 }).catch(async () => {
    throw new Error(`${quoted(text)} did not come; there is: ${await textOf(page, selector)}`);
  });
};

const rowsOf = async (page: Page, panel: string): Promise<readonly (readonly string[])[]> =>
  (await page.evaluate(
    `[...document.querySelectorAll('#panel-${panel} table:last-of-type tr')].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))`,
  )) as string[][];

/** The parts of the API description that the pages show. */
const described = async (url: string) =>
  (await (await fetch(`${url}/openapi.json`)).json()) as {
    readonly info: { readonly version: string };
    readonly tags: readonly { readonly name: string }[];
  };

/** The message that Chromium logs for every unsuccessful response. */
const refusedIn = (complaint: string): boolean => complaint.startsWith('Failed to load resource');

/** Presses Tab until this has the focus, and checks that the focus is visible at each step. */
const tabTo = async (page: Page, selector: string): Promise<void> => {
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press('Tab');
    const { there, outline } = (await page.evaluate(`({
      there: document.activeElement.matches(${quoted(selector)}),
      outline: document.activeElement === document.body ? 'body' : getComputedStyle(document.activeElement).outlineStyle,
    })`)) as { there: boolean; outline: string };
    expect(outline).not.toBe('none');
    if (there) return;
  }
  throw new Error(`the Tab key does not lead to ${selector}`);
};

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

const nothing = { local: {}, session: {}, cookies: '', databases: [], caches: [], history: null, name: '' };

suite(`the pages in a browser${reason}`, () => {
  let directory: string;
  let service: ServiceProcess;
  let site: string;
  let runId: string;
  let longRunId: string;
  let chrome: Awaited<ReturnType<typeof openBrowser>>;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    directory = await temporaryDirectory();
    const data = join(directory, 'data');
    service = await ServiceProcess.start({ DATA_DIR: data });
    runId = await showOrganization(service);
    longRunId = await showManyPolicySets(service);
    await service.end();
    await cp(data, join(directory, 'limited'), { recursive: true });
    // The pages call their own origin, whatever PUBLIC_URL is.
    const port = await freePort();
    site = `http://127.0.0.1:${port}`;
    const PUBLIC_URL = 'https://gatehouse.example/below';
    service = await ServiceProcess.start({ DATA_DIR: data, PORT: String(port), PUBLIC_URL });
    chrome = await openBrowser();
    browser = chrome.browser;
  }, 60_000);

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

  const enter = async (token = adminToken): Promise<void> => {
    await page.type('#token', token);
    await page.keyboard.press('Enter');
  };

  const look = async (): Promise<void> => {
    await open('/');
    await enter();
    await shows(page, '20 workspaces shown', '#progress');
  };

  const choose = async (organization: string): Promise<void> => {
    await page.select('#organization', organization);
    await shows(page, '1 workspace shown', '#progress');
  };

  const focused = (selector: string): Promise<unknown> =>
    page.evaluate(`document.activeElement.matches(${quoted(selector)})`);

  /** Leaves the page by a link and returns to it through the back/forward cache. */
  const leaveAndComeBack = async (): Promise<void> => {
    await page.evaluate('window.kept = true; addEventListener("pageshow", () => { window.cameBack = true; })');
    await page.goto(`${site}/healthz`);
    await page.evaluate('history.back()');
  };

  /** Makes lists at such a path use this page size, whatever the page requests. */
  const inPagesOf = (size: number, path: RegExp): Promise<void> =>
    instead((request) => {
      if (!path.test(request.url())) return undefined;
      return request.continue({ url: request.url().replace(/page%5Bsize%5D=\d+/, `page%5Bsize%5D=${size}`) });
    });

  /** Intercepts requests; those for which `answer` returns undefined go to the service. */
  const instead = async (answer: (request: HTTPRequest) => Promise<unknown> | undefined): Promise<void> => {
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      void (answer(request) ?? request.continue());
    });
  };

  describe('/docs', () => {
    // Swagger UI takes a second or two for a description of this size, and longer on a busy machine.
    const timeout = 90_000;
    const operation = '#operations-Organizations-listOrganizationsV2';

    const authorize = async (token: string): Promise<void> => {
      await page.click('.btn.authorize');
      await page.waitForSelector('.auth-container input');
      await page.type('.auth-container input', token);
      await page.click('.auth-btn-wrapper .authorize');
      await page.click('.auth-btn-wrapper .btn-done');
    };

    const tryOut = async (): Promise<string> => {
      await page.waitForSelector('#operations-tag-Organizations');
      await page.click('#operations-tag-Organizations');
      await page.waitForSelector(`${operation} .opblock-summary-control`);
      await page.click(`${operation} .opblock-summary-control`);
      await page.waitForSelector(`${operation} .execute`);
      await page.click(`${operation} .execute`);
      await page.waitForSelector(`${operation} .live-responses-table .response`);
      return textOf(page, `${operation} .live-responses-table`);
    };

    it(
      'opens, lists the areas, and takes nothing from its address',
      async () => {
        await open('/docs?url=https://example.com/evil.json&configUrl=https://example.com/config.json');
        await page.waitForSelector('.opblock-tag');
        const { tags } = await described(site);
        const listed = (await page.evaluate(
          `[...document.querySelectorAll('.opblock-tag')].map((tag) => tag.dataset.tag)`,
        )) as string[];
        expect(listed).toEqual(tags.map(({ name }) => name));
        expect(listed).toContain('Configuration versions');
        expect(await textOf(page, '.info .title')).toContain('Gatehouse');
        expect(await page.$('#told:not([hidden])')).toBeNull();
      },
      timeout,
    );

    it.each([
      ['docs', '/api/v2/teams/{id}', '/teams/{id}'],
      ['docs?dialect=contract', '/teams/{id}', '/api/v2/teams/{id}'],
    ])(
      'shows each operation once: %s has %s and not %s',
      async (address, shown, hidden) => {
        await open(`/${address}`);
        await page.waitForSelector('#operations-tag-Teams');
        await page.click('#operations-tag-Teams');
        await page.waitForSelector('.opblock-summary-path');
        const paths = (await page.evaluate(
          `[...document.querySelectorAll('.opblock-summary-path')].map((path) => path.dataset.path)`,
        )) as string[];
        expect(paths).toContain(shown);
        expect(paths).not.toContain(hidden);
        expect(await page.$(`nav a[href="${address}"][aria-current="page"]`)).not.toBeNull();
      },
      timeout,
    );

    it(
      'tries the API with a pasted token, at the service it came from, and keeps the token nowhere',
      async () => {
        await open('/docs');
        await authorize(adminToken);
        const answer = await tryOut();
        expect(answer).toMatch(/^Code[\s\S]*\b200\b/);
        expect(answer).toContain('"name": "acme"');
        const asked = watched.requests.filter((url) => url.includes('/organizations'));
        expect(asked).toEqual([expect.stringMatching(`^${site}/api/v2/organizations\\?`)]);
        expect(await leftBy(page)).toMatchObject({ local: {}, session: {}, cookies: '', databases: [], caches: [] });
      },
      timeout,
    );

    it(
      'forgets the token and what it asked with it when it is left',
      async () => {
        await open('/docs');
        await authorize(adminToken);
        expect(await tryOut()).toContain('"name": "acme"');
        await leaveAndComeBack();
        await page.waitForFunction('!window.kept');
        await page.waitForSelector('.opblock-tag');
        expect(await page.content()).not.toContain(adminToken);
        await page.waitForSelector('.btn.authorize.unlocked');
      },
      timeout,
    );

    it(
      'shows the 401 of a token that is none',
      async () => {
        await open('/docs');
        await authorize('gatehouse.v1.mistyped');
        const answer = await tryOut();
        expect(answer).toMatch(/^Code[\s\S]*\b401\b/);
        expect(answer).toContain('unauthorized');
        expect(watched.complaints.filter((text) => !refusedIn(text))).toEqual([]);
        watched.complaints.length = 0;
      },
      timeout,
    );

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

      it(
        'is the same, and so is the start page',
        async () => {
          await page.goto(`${url}/docs/`, { waitUntil: 'networkidle0' });
          await authorize(adminToken);
          expect(await tryOut()).toContain('"name": "acme"');
          await page.goto(`${url}/`, { waitUntil: 'networkidle0' });
          await enter();
          await shows(page, '20 workspaces shown', '#progress');
          expect(watched.requests.filter((asked) => !asked.startsWith(url) && !asked.startsWith('data:'))).toEqual([]);
        },
        timeout,
      );
    });
  });

  describe('/', () => {
    it('says what the service is, its version, that it is ready, and where its API is', async () => {
      await open('/');
      await shows(page, '✓ Ready', '#health');
      const { version } = (await described(site)).info;
      expect(await textOf(page, '.facts')).toContain(version);
      expect(await textOf(page, 'h1')).toContain('workspace');
      for (const link of ['docs', 'openapi.json']) expect(await page.$(`nav a[href="${link}"]`)).not.toBeNull();
      expect(await faultsOn(page)).toEqual([]);
    });

    it('says that the service is not ready, and when there is no answer', async () => {
      const answers = [503, 0, 200];
      await instead((request) => {
        if (!request.url().endsWith('/readyz')) return undefined;
        const status = answers.shift();
        return status ? request.respond({ status, body: '{}' }) : request.abort();
      });
      await open('/');
      await shows(page, 'Not ready (503)', '#health');
      await page.click('#check');
      await shows(page, 'No response', '#health');
      await page.click('#check');
      await shows(page, 'Ready', '#health');
      expect(watched.complaints.splice(0).filter((text) => !refusedIn(text))).toEqual([]);
    });

    it('shows workspaces with their current version, and more of them when asked', async () => {
      await look();
      const [head, billing, network, third] = await rowsOf(page, 'workspaces');
      expect(head).toEqual(['Workspace', 'Current version', 'Status', 'Source', 'Lock', 'Runs']);
      expect(billing).toEqual([
        'billing',
        expect.stringMatching(/^cv-/),
        '✓ uploaded',
        'tfe-api',
        expect.any(String),
        'Runs',
      ]);
      expect(billing?.[4]).toBe(`! locked\nMigration ${hostile}`);
      expect(network).toEqual(['network', expect.stringMatching(/^cv-/), '✓ uploaded', 'tfe-api', 'open', 'Runs']);
      expect(third).toEqual(['service-01', 'none yet', '–', '–', 'open', 'Runs']);
      await page.click('#panel-workspaces .rest button');
      await shows(page, '25 of 25 workspaces shown', '#progress');
      expect(await rowsOf(page, 'workspaces')).toHaveLength(26);
      expect(await page.$('#panel-workspaces .rest button')).toBeNull();
      const asked = watched.requests.filter((url) => url.startsWith(`${site}/`) && !url.includes('/assets/'));
      // The page, its health, organizations, two pages of workspaces, and the two versions that there are.
      expect(asked).toHaveLength(7);
    });

    it('shows who has what access', async () => {
      await look();
      await page.click('#tab-access');
      await shows(page, 'Access to 20 workspaces shown', '#progress');
      const [head = [], everywhere = [], billing = [], network = []] = await rowsOf(page, 'access');
      const of = (row: readonly string[]) => Object.fromEntries(head.map((name, index) => [name, row[index]]));
      const same = { auditors: 'read', owners: 'everything', platform: 'admin' };
      const none = '–none';
      const plain = (row: readonly string[]) =>
        Object.fromEntries(Object.entries(of(row)).map(([name, text]) => [name, text?.replaceAll('\n', '')]));
      expect(plain(everywhere)).toEqual({ Workspace: 'Every workspace', ...same, contractors: none, developers: none });
      expect(plain(billing)).toEqual({ Workspace: 'billing', ...same, contractors: 'custom', developers: 'plan' });
      expect(plain(network)).toEqual({ Workspace: 'network', ...same, contractors: none, developers: 'write' });
      await page.click('#panel-access summary');
      await shows(page, 'runs plan, variables read, state none, mocks none, locking, no run tasks', '#panel-access');
      expect(await textOf(page, '#panel-access')).toContain('1 more team has no access to the workspaces shown.');
    });

    it('shows what a custom level and reading everywhere come to together', async () => {
      await look();
      await page.click('#tab-access');
      await shows(page, 'Access to 20 workspaces shown', '#progress');
      const [head = [], , , , service = []] = await rowsOf(page, 'access');
      expect([service[0], service[head.indexOf('auditors')]]).toEqual(['service-01', 'custom']);
      await page.evaluate(`document.querySelectorAll('#panel-access summary')[1].click()`);
      const together = 'runs plan, variables read, state read, mocks none, no locking, no run tasks';
      await shows(page, together, '#panel-access');
      await page.click('#panel-access .rest button');
      await shows(page, '25 of 25 workspaces shown', '#progress');
      // Opened sections stay open.
      expect(await textOf(page, '#panel-access')).toContain(together);
    });

    it('says where it did not read all that was granted', async () => {
      await instead((request) => {
        if (!request.url().includes('/team-workspaces?')) return undefined;
        return fetch(request.url(), { headers: request.headers() }).then(async (answer) => {
          const document = (await answer.json()) as { meta: { pagination: object } };
          const asked = Number(new URL(request.url()).searchParams.get('page[number]'));
          document.meta.pagination = { ...document.meta.pagination, 'next-page': asked + 1, 'total-count': 612 };
          return request.respond({ status: 200, body: JSON.stringify(document) });
        });
      });
      await look();
      await page.click('#tab-access');
      await shows(page, 'Access to 20 workspaces shown', '#progress');
      const [, , billing = []] = await rowsOf(page, 'access');
      expect(billing[0]).toBe('billing\n2 of 612 grants loaded');
      const [, , , network = []] = await rowsOf(page, 'access');
      expect(network).toContain('not loaded');
    });

    it('shows names that differ at their end only so that they can be told apart', async () => {
      const long = 'the-team-that-looks-after-everything-that-the-other-teams-do-not-look-after';
      await instead((request) => {
        if (!request.url().includes('/organizations/acme/teams?')) return undefined;
        return fetch(request.url(), { headers: request.headers() }).then(async (answer) => {
          const document = (await answer.json()) as { data: { attributes: { name: string } }[] };
          for (const { attributes } of document.data) attributes.name = `${long}-${attributes.name}`;
          return request.respond({ status: 200, body: JSON.stringify(document) });
        });
      });
      await look();
      await page.click('#tab-access');
      await shows(page, 'Access to 20 workspaces shown', '#progress');
      const cut = `[...document.querySelectorAll('#panel-access th')].filter((head) => head.scrollWidth > head.clientWidth)`;
      expect(await page.evaluate(`${cut}.map((head) => head.innerText)`)).toEqual([]);
    });

    it('reads on in a list that another part has read to its end', async () => {
      await look();
      await page.click('#tab-access');
      await shows(page, 'Access to 20 workspaces shown', '#progress');
      await page.click('#panel-access .rest button');
      await shows(page, '25 of 25 workspaces shown', '#progress');
      await page.click('#tab-workspaces');
      await page.click('#panel-workspaces .rest button');
      await page.waitForFunction(`document.querySelectorAll('#panel-workspaces tbody tr').length === 25`);
      expect(await page.$('#panel-workspaces .rest button')).toBeNull();
      expect(watched.requests.filter((url) => url.includes('null'))).toEqual([]);
    });

    it('shows team tokens, and in words which are expired and which soon will be', async () => {
      await look();
      await page.click('#tab-tokens');
      await shows(page, '4 team tokens shown', '#progress');
      const rows = await rowsOf(page, 'tokens');
      expect(rows.map(([team, expires]) => `${team}: ${expires?.replace(/ \d{4}-.*$/, '')}`)).toEqual([
        'Team: Expires',
        'contractors: ✕ expired',
        'developers: ! soon, in 3 days',
        'platform: in 90 days',
        'auditors: never',
      ]);
    });

    it('shows what the policies said of a run: passed, advisory, failed, errored', async () => {
      await look();
      await page.click('[aria-label="Runs of network"]');
      await shows(page, runId, '#panel-policies');
      await page.click(`[aria-label="Policy outcomes of ${runId}"]`);
      await shows(page, '1 failed, 1 errored, 1 advisory, 1 passed', '#progress');
      expect((await textOf(page, '.tally')).split('\n').filter((line) => line !== '')).toEqual([
        '1',
        '✕ failed',
        '1',
        '✕ errored',
        '1',
        '! advisory',
        '1',
        '✓ passed',
      ]);
      const rows = (await page.evaluate(
        `[...document.querySelectorAll('.outcomes tbody tr')].map((row) => [...row.cells].slice(0, 4).map((cell) => cell.innerText.split('\\n')[0]))`,
      )) as string[][];
      expect(rows).toEqual([
        ['✕ Failed', 'no-public-bucket', 'baseline', 'mandatory'],
        ['✕ Errored', 'pinned-modules', 'baseline', '–'],
        ['! Advisory', 'cost-centre', 'baseline', 'advisory'],
        ['✓ Passed', 'tags', 'baseline', 'mandatory'],
      ]);
      await page.click('.outcomes summary');
      await shows(page, '"resource": "aws_s3_bucket.logs"', '.outcomes');
      await shows(page, hostile, '.outcomes');
    });

    it('counts what all policy sets said, with their warnings and what came of it', async () => {
      await look();
      await choose('globex');
      await page.click('[aria-label="Runs of other"]');
      await shows(page, longRunId, '#panel-policies');
      await page.click(`[aria-label="Policy outcomes of ${longRunId}"]`);
      await shows(page, `25 policy outcomes of ${longRunId}: 1 failed, 0 errored, 0 advisory, 24 passed`, '#progress');
      const text = await textOf(page, '.outcomes');
      expect(text).toContain('post plan: passed; opa policies: overridden.');
      expect(text).toContain(`! warning of set-01: deprecated ${hostile}`);
      expect(text).not.toContain('are not counted');
    });

    it('says how many policy sets it has counted, until it has all', async () => {
      await inPagesOf(4, /\/policy-set-outcomes\?/);
      await look();
      await choose('globex');
      await page.click('[aria-label="Runs of other"]');
      await shows(page, longRunId, '#panel-policies');
      await page.click(`[aria-label="Policy outcomes of ${longRunId}"]`);
      await shows(page, `of ${longRunId}, in 20 of 25 policy sets: 0 failed, 0 errored`, '#progress');
      await shows(page, 'Only 20 of 25 policy sets are loaded', '.outcomes');
      await page.click('.outcomes summary');
      await page.click('.outcomes .rest button');
      await shows(page, 'Only 24 of 25 policy sets are loaded', '.outcomes');
      await page.click('.outcomes .rest button');
      await shows(page, '25 of 25 policy sets shown', '#progress');
      expect(await textOf(page, '.tally')).toMatch(/^1\s+✕ failed/);
      expect(await textOf(page, '.outcomes')).not.toContain('are not counted');
      expect(await page.$$('.outcomes details[open]')).toHaveLength(1);
    });

    it('says that runs are on their way, also when the names of workspaces have come', async () => {
      let release = () => {};
      await instead((request) => {
        if (!request.url().includes('/workspaces/network')) return undefined;
        return new Promise<void>((resolve) => {
          release = resolve;
        }).then(() => request.continue());
      });
      await look();
      await page.click('[aria-label="Runs of network"]');
      await page.waitForSelector('#workspace-names option');
      await shows(page, 'Loading the runs of network', '#progress');
      release();
      await shows(page, runId, '#panel-policies');
    });

    it('keeps the form for the name when the names of workspaces had to be asked for again', async () => {
      let answers = 2;
      await instead((request) => {
        if (!request.url().includes('/organizations/acme/workspaces?') || answers === 0) return undefined;
        answers -= 1;
        return request.respond({ status: 503, body: '{}' });
      });
      await open('/');
      await enter();
      await shows(page, 'is unavailable', '#panel-workspaces');
      await page.click('#tab-policies');
      await shows(page, 'is unavailable', '#panel-policies');
      await page.focus('#panel-policies .problem button');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#workspace-names option');
      expect(await page.$$('#panel-policies form')).toHaveLength(1);
      expect(await focused('#panel-policies')).toBe(true);
      expect(await faultsOn(page)).toEqual([]);
      expect(watched.complaints.splice(0).filter((text) => !refusedIn(text))).toEqual([]);
    });

    it('keeps the focus where it was when organizations have all come', async () => {
      await inPagesOf(1, /\/organizations\?/);
      await look();
      await page.focus('#more-organizations');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#more-organizations[hidden]');
      expect(await focused('#organization')).toBe(true);
    });

    it('renders every value as text, names included', async () => {
      await instead((request) => {
        if (!/\/organizations\/acme\/(workspaces|teams)\?/.test(request.url())) return undefined;
        const asked = fetch(request.url(), { headers: request.headers() });
        return asked.then(async (answer) => {
          const document = (await answer.json()) as { data: { attributes: { name: string } }[] };
          for (const { attributes } of document.data) attributes.name += hostile;
          const body = JSON.stringify(document);
          return request.respond({ status: 200, contentType: 'application/vnd.api+json', body });
        });
      });
      await look();
      await shows(page, `billing${hostile}`, '#panel-workspaces');
      await page.click('#tab-access');
      await shows(page, `developers${hostile}`, '#panel-access');
      await page.click('#tab-tokens');
      await shows(page, `developers${hostile}`, '#panel-tokens');
      expect(await page.$$('main img')).toHaveLength(0);
      expect(await page.title()).toBe('Gatehouse');
    });

    it('says that a token is wrong, and asks again', async () => {
      await open('/');
      await enter('gatehouse.v1.mistyped');
      await shows(page, 'rejected this token', '#refused');
      expect(await page.evaluate('document.activeElement.id')).toBe('token');
      expect(await page.evaluate('document.activeElement.value')).toBe('');
      expect(await faultsOn(page)).toEqual([]);
      expect(watched.complaints.splice(0).filter((text) => !refusedIn(text))).toEqual([]);
      await enter('with spaces in it');
      await shows(page, 'This is not a token', '#refused');
      await enter();
      await shows(page, '20 workspaces shown', '#progress');
      expect(await page.$eval('#refused', (element) => element.hasAttribute('hidden'))).toBe(true);
    });

    it('says what is refused or does not come, and goes on when asked to', async () => {
      const answers = [503, 404, 0];
      await instead((request) => {
        if (!request.url().includes('/team-tokens')) return undefined;
        const status = answers.shift();
        if (status === undefined) return undefined;
        const headers = { 'X-Request-Id': 'the-id-of-the-request' };
        return status ? request.respond({ status, headers, body: '{}' }) : request.abort();
      });
      await look();
      await page.click('#tab-tokens');
      const again = '#panel-tokens .problem button';
      await shows(page, 'is unavailable. Try again later. Request id: the-id-of-the-request', '#panel-tokens');
      await page.click(again);
      await shows(page, 'Not found, or not accessible', '#panel-tokens');
      expect(await focused(again)).toBe(true);
      await page.click(again);
      await shows(page, 'did not respond', '#panel-tokens');
      await page.click(again);
      await shows(page, '4 team tokens shown', '#progress');
      expect(await page.$(again)).toBeNull();
      expect(watched.complaints.splice(0).filter((text) => !refusedIn(text))).toEqual([]);
    });

    it('leaves an organization at once for another, whatever is still on its way', async () => {
      let release = () => {};
      await instead((request) => {
        if (!request.url().includes('/organizations/acme/workspaces')) return undefined;
        return new Promise<void>((resolve) => {
          release = resolve;
        }).then(() => request.continue().catch(() => {}));
      });
      await open('/');
      await enter();
      await shows(page, 'Loading workspaces', '#progress');
      await page.select('#organization', 'globex');
      await shows(page, 'other', '#panel-workspaces');
      release();
      // The delayed requests have been dropped by the time this is answered.
      await page.click('#tab-access');
      await shows(page, 'Access to 1 workspace shown', '#progress');
      expect((await rowsOf(page, 'workspaces')).map(([name]) => name)).toEqual(['Workspace', 'other']);
    });

    it('keeps the token in memory only, and forgets it with all it showed', async () => {
      await look();
      for (const tab of ['access', 'tokens', 'policies', 'workspaces']) await page.click(`#tab-${tab}`);
      await page.waitForNetworkIdle();
      const kept = { address: `${site}/`, ...nothing };
      expect(await leftBy(page)).toEqual(kept);
      expect(await page.content()).not.toContain(adminToken);
      expect(watched.requests.filter((url) => url.includes(adminToken))).toEqual([]);
      await page.click('#forget');
      expect(await textOf(page, 'main')).not.toMatch(/acme|billing|developers/);
      expect(await page.content()).not.toMatch(/billing|developers/);
      expect(await page.evaluate('document.activeElement.id')).toBe('token');
      expect(await leftBy(page)).toEqual(kept);
      await enter();
      await shows(page, '20 workspaces shown', '#progress');
      await leaveAndComeBack();
      await page.waitForSelector('#enter:not([hidden])');
      await shows(page, 'Ready', '#health');
      expect(await page.content()).not.toMatch(/billing|developers/);
    });

    it('forgets a token that was typed and not used when it is left', async () => {
      await open('/');
      await page.type('#token', adminToken);
      await leaveAndComeBack();
      await page.waitForFunction('window.kept && window.cameBack');
      expect(await page.$eval('#token', (field) => (field as unknown as { value: string }).value)).toBe('');
    });

    it('is used with the keyboard alone', async () => {
      await open('/');
      await tabTo(page, '.skip');
      await tabTo(page, '#token');
      await page.keyboard.type(adminToken);
      await page.keyboard.press('Enter');
      await shows(page, '20 workspaces shown', '#progress');
      expect(await page.evaluate('document.activeElement.id')).toBe('organization');
      await tabTo(page, '#tab-workspaces');
      for (const modifier of ['Alt', 'Control', 'Meta', 'Shift'] as const) {
        await page.keyboard.down(modifier);
        await page.keyboard.press('ArrowRight');
        await page.keyboard.up(modifier);
        expect({ modifier, stays: await focused('#tab-workspaces') }).toEqual({ modifier, stays: true });
      }
      await page.keyboard.press('ArrowRight');
      await shows(page, 'Access to 20 workspaces shown', '#progress');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.className')).toBe('box');
      await page.keyboard.down('Shift');
      await page.keyboard.press('Tab');
      await page.keyboard.up('Shift');
      await page.keyboard.press('End');
      await tabTo(page, '#workspace-name');
      await page.keyboard.type('network');
      await page.keyboard.press('Enter');
      await shows(page, runId, '#panel-policies');
      await tabTo(page, `[aria-label="Policy outcomes of ${runId}"]`);
      await page.keyboard.press('Enter');
      await shows(page, '1 passed', '#progress');
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H3');
      await tabTo(page, '.outcomes summary');
      await page.keyboard.press('Enter');
      await shows(page, 'aws_s3_bucket.logs', '.outcomes');
      await tabTo(page, '#forget');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('token');
    });

    it.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 360],
      ['dark', 360],
    ] as const)('can be read in the %s, %d pixels wide', async (scheme, width) => {
      await page.setViewport({ width, height: 800 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await look();
      for (const [tab, told] of [
        ['workspaces', '20 workspaces shown'],
        ['access', 'Access to 20'],
        ['tokens', '4 team tokens'],
      ] as const) {
        await page.click(`#tab-${tab}`);
        await shows(page, told, '#progress');
        expect({ tab, faults: await faultsOn(page) }).toEqual({ tab, faults: [] });
      }
      await page.click('#tab-workspaces');
      await page.click('[aria-label="Runs of network"]');
      await page.waitForSelector('#panel-policies td button');
      await page.click('#panel-policies td button');
      await shows(page, '1 passed', '#progress');
      await page.click('.outcomes summary');
      expect(await faultsOn(page)).toEqual([]);
    });
  });

  it('stays below the rate limit, however long the lists are', async () => {
    const limited = await ServiceProcess.start({ DATA_DIR: join(directory, 'limited'), RATE_LIMIT_PER_SECOND: '10' });
    try {
      await page.goto(`${limited.url}/`, { waitUntil: 'networkidle0' });
      await enter();
      await shows(page, '20 workspaces shown', '#progress');
      await page.click('#tab-access');
      await shows(page, 'Access to 20 workspaces shown', '#progress');
      expect(await textOf(page, '#panel-access')).not.toContain('not loaded');
      expect(limited.printed).not.toContain('"status":429');
    } finally {
      await limited.end();
    }
  }, 60_000);
});
