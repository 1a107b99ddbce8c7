import { expect, it } from '@jest/globals';
import { describeConsole, openStreams } from '../support/console-suite.js';
import { adminToken } from '../support/process.js';
import { until } from '../support/service-steps.js';
import { hostile, showOrganization } from '../support/shown-organization.js';

/** The limit of the first visit, compressed. */
const maxBytes = 200_000;

describeConsole('the console', showOrganization, (suite) => {
  it('signs in where it was asked to, and keeps that through a reload', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces?name=billing', adminToken);
    await view.find('link', 'billing');
    expect(await view.address()).toBe('/app/acme/workspaces?name=billing');
    expect(await view.has('link', 'network')).toBe(false);
    await view.page.reload();
    await view.find('link', 'billing');
    await view.press('button', 'Account: admin');
    await view.press('menuitem', 'Sign out');
    await view.find('heading', 'Sign in');
    expect(await view.address()).toBe('/app/acme/workspaces?name=billing');
    expect(await view.page.evaluate('({ ...sessionStorage, ...localStorage })')).toEqual({});
  });

  it('asks to sign in again when the token is revoked, and then shows the page', async () => {
    const { view, steps } = suite;
    const { id } = await steps.ask('GET', '/api/v2/account/details');
    const issued = await steps.ask('POST', `/api/v2/users/${id}/authentication-tokens`, {
      data: { type: 'authentication-tokens', attributes: { description: 'short' } },
    });
    await view.signIn('/app/acme/workspaces/network', issued.attributes.token);
    await view.find('heading', 'network');
    // Opening one with a revoked token returns to sign-in as well, before the link is pressed.
    await until('its stream is open', async () => (await openStreams(suite.service)) === 1);
    await view.find('button', 'Account: admin');
    await steps.ask('DELETE', `/api/v2/authentication-tokens/${issued.id}`);
    // The page may notice on its own, and then covers its links.
    await view.page.evaluate(`history.pushState(null, '', '/app/acme')`);
    await view.find('heading', 'Your session has ended');
    suite.expectRefusals();
    await view.submit('Sign in', { 'API token': adminToken });
    await view.find('heading', 'Home');
    expect(await view.address()).toBe('/app/acme');
  });

  it('refuses a mistyped token with a sentence', async () => {
    const { view } = suite;
    await view.signIn('/app', 'mistyped');
    await view.shows('The service rejected this token.');
    suite.expectRefusals();
  });

  it('finds a workspace by its filters, locks it, and comes back to the filtered list', async () => {
    const { view } = suite;
    await view.signIn('/app', adminToken);
    await view.press('link', 'acme', 'Workspaces');
    await view.fill('Name', 'service-2', 'searchbox');
    await view.shows('Workspaces: 4');
    await view.press('link', 'service-21');
    await view.press('button', 'Lock');
    await view.submit('Lock workspace', { 'Reason (optional)': `Maintenance ${hostile}` });
    await view.shows('The workspace is locked.');
    await view.shows('Locked by admin');
    await view.shows(`: Maintenance ${hostile}`);
    await view.press('button', 'Unlock', 'Unlock workspace');
    await view.find('button', 'Lock');
    await view.page.goBack();
    await view.shows('Workspaces: 4');
    expect(await view.address()).toBe('/app/acme/workspaces?name=service-2');
    await view.choose('Sort', 'Latest change first');
    await view.shows('Workspaces: 4');
    expect(await view.address()).toBe('/app/acme/workspaces?name=service-2&sort=-latest-change-at');
    await view.press('button', 'Clear filters');
    await view.find('link', 'billing');
    expect(await view.address()).toBe('/app/acme/workspaces');
    expect(await (await view.find('searchbox', 'Name')).evaluate((field) => Reflect.get(field, 'value'))).toBe('');
  });

  it('creates a workspace, and shows what the service says about a wrong name', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces', adminToken);
    await view.press('button', 'New workspace');
    await view.isAccessible();
    await view.submit('Create workspace', { Name: 'no spaces' });
    await view.find('heading', 'New workspace');
    await view.page.waitForSelector('.field-error');
    suite.expectRefusals();
    await view.submit('Create workspace', { Name: 'made-here' });
    await view.find('heading', 'made-here');
    expect(await view.address()).toBe('/app/acme/workspaces/made-here');
  });

  it('renders every value as text, names included', async () => {
    const { view } = suite;
    await view.page.setRequestInterception(true);
    view.page.on('request', async (request) => {
      if (!/\/organizations\/acme\/(workspaces|teams)\?/.test(request.url())) return request.continue();
      const answer = await fetch(request.url(), { headers: request.headers() });
      const document = (await answer.json()) as { data: { attributes: { name: string } }[] };
      for (const { attributes } of document.data) attributes.name += hostile;
      return request.respond({ contentType: 'application/vnd.api+json', body: JSON.stringify(document) });
    });
    await view.signIn('/app/acme/workspaces', adminToken);
    await view.shows(`billing${hostile}`);
    await view.press('link', 'Teams');
    await view.shows(`developers${hostile}`);
    expect(await view.page.$$('main img')).toHaveLength(0);
    expect(await view.page.title()).toBe('Teams · acme · Gatehouse');
  });

  it('issues a token that is shown once, and revokes it', async () => {
    const { view, service } = suite;
    await view.signIn('/app/settings/tokens', adminToken);
    await view.fill('Description', 'laptop');
    await view.choose('Valid for', '30 days');
    await view.press('button', 'Issue token');
    await view.shows('It is shown only once.');
    expect((await view.rowOf('Your tokens', 'laptop')).slice(1, 4)).toEqual([expect.any(String), 'you', 'never']);
    const secret = String(await view.page.evaluate(`document.querySelector('.secret code').textContent`));
    await view.shows(`TFE_TOKEN=${secret}`);
    await view.find('button', 'Copy the lines for curl');
    await view.isAccessible();
    const answer = await fetch(`${service.url}/api/v2/account/details`, {
      headers: { Authorization: `Bearer ${secret}` },
    });
    expect(answer.status).toBe(200);
    await view.press('button', 'Actions for laptop', 'Revoke laptop', 'Revoke token');
    await view.shows('The token was revoked.');
    await view.page.reload();
    await view.find('heading', 'Tokens');
    expect(await view.text()).not.toContain('laptop');
    expect(await view.text()).not.toContain(secret);
  });

  it('offers only what the service permits', async () => {
    const { view, steps } = suite;
    const token = await steps.memberToken('readers', { 'read-workspaces': true });
    await view.signIn('/app/acme/workspaces', token);
    await view.press('link', 'network');
    await view.find('heading', 'network');
    await view.find('heading', 'About');
    expect(await view.has('button', 'Lock')).toBe(false);
    await view.press('link', 'Workspaces');
    await view.find('link', 'billing');
    expect(await view.has('button', 'New workspace')).toBe(false);
  });

  it('works with the keyboard alone, and says where the focus is', async () => {
    const { view } = suite;
    const { keyboard } = view.page;
    const focused = async () =>
      String(
        await view.page.evaluate(
          `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent ?? ''`,
        ),
      );
    const tabTo = async (name: string): Promise<void> => {
      for (let steps = 0; steps < 60; steps += 1) {
        await keyboard.press('Tab');
        // After the last element the focus leaves the page, and comes back at the first.
        const unmarked = await view.page.evaluate(
          `document.activeElement !== document.body && getComputedStyle(document.activeElement).outlineStyle === 'none' && document.activeElement.outerHTML`,
        );
        expect(unmarked).toBe(false);
        if ((await focused()) === name) return;
      }
      throw new Error(`the Tab key does not lead to ${name}`);
    };
    await view.signIn('/app/acme/workspaces/service-01', adminToken);
    await view.find('heading', 'service-01');
    await view.page.reload({ waitUntil: 'networkidle2' });
    await tabTo('Skip to content');
    await keyboard.press('Enter');
    await tabTo('Lock');
    await keyboard.press('Enter');
    await view.find('heading', 'Lock this workspace?');
    await keyboard.press('Escape');
    await view.page.waitForFunction(`document.activeElement.textContent === 'Lock'`);
    await keyboard.press('Enter');
    await view.find('heading', 'Lock this workspace?');
    await tabTo('Lock workspace');
    await keyboard.press('Enter');
    await view.shows('The workspace is locked.');
    await tabTo('Organization: acme');
    await keyboard.press('Enter');
    await view.find('link', 'All organizations');
    await tabTo('All organizations');
    await keyboard.press('Enter');
    await view.find('heading', 'Organizations');
    await view.page.waitForFunction(`document.activeElement.textContent === 'Organizations'`);
  });

  it('jumps to what is searched for, by the keyboard alone', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces', adminToken);
    await view.find('heading', 'Workspaces');
    const jump = async (text: string) => {
      await view.page.keyboard.down('Control');
      await view.page.keyboard.press('KeyK');
      await view.page.keyboard.up('Control');
      await view.find('searchbox', 'Workspace, team, person, policy set, page or id of a run');
      await view.page.keyboard.type(text);
    };
    const follow = async (label: string) => {
      // The first result has the focus once it is there; how many there are depends on what has been answered.
      await until(`${label} has the focus`, async () => {
        const focused = await view.page.evaluate(`document.querySelector('.jump [data-focused]')?.textContent`);
        if (focused === label) return true;
        await view.page.keyboard.press('ArrowDown');
        return undefined;
      });
      await view.page.keyboard.press('Enter');
    };
    await jump('netw');
    await view.find('menuitem', 'network');
    // The library names the first result to screen readers a moment after the results have changed.
    await view.page.waitForFunction(
      `document.getElementById(document.querySelector('.jump input').getAttribute('aria-activedescendant')) !== null`,
    );
    await view.isAccessible();
    await follow('network');
    await view.find('heading', 'network');
    expect(await view.address()).toBe('/app/acme/workspaces/network');
    await jump('members');
    await follow('Members');
    await view.find('heading', 'Members');
    await jump('there-is-no-such-thing');
    await view.shows('Nothing has this name.');
    await until('the search is closed', async () => {
      // Once empties the field.
      await view.page.keyboard.press('Escape');
      return !(await view.has('searchbox', 'Workspace, team, person, policy set, page or id of a run'));
    });
  });

  it('keeps the colours that a person chose, whatever the system has', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces', adminToken);
    const background = () => view.page.evaluate('getComputedStyle(document.body).backgroundColor');
    await view.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    await view.find('heading', 'Workspaces');
    const light = await background();
    await view.press('button', 'Theme');
    await view.press('menuitemradio', 'Dark');
    await until('the page is dark', async () => (await background()) !== light);
    await view.page.reload();
    await view.find('heading', 'Workspaces');
    expect(await background()).not.toBe(light);
  });

  it('has the run at the address that terraform prints', async () => {
    const { view, steps } = suite;
    const run = (await steps.ask('GET', '/api/v2/organizations/acme/runs'))[0];
    await view.signIn(`/app/acme/network/runs/${run.id}`, adminToken);
    await view.find('heading', `Widen the subnets ${hostile}`);
    expect(await view.address()).toBe(`/app/acme/workspaces/network/runs/${run.id}`);
    expect(await view.page.title()).toMatch(/^Widen the subnets /);
    await view.shows('Policies: 1 failed, 1 errored, 1 failed but advisory, 1 passed.');
    await view.isAccessible();
  });

  it.each(['/app', '/app/acme/workspaces', '/app/acme/workspaces/billing', '/app/settings/tokens'])(
    'has no fault that axe finds at %s, in any colour scheme or width',
    async (path) => {
      const { view } = suite;
      await view.open(path);
      await view.isAccessible();
      await view.signIn(path, adminToken);
      await view.page.waitForNetworkIdle({ concurrency: 1 });
      await view.isAccessible();
    },
  );

  it('says so when there is nothing at an address', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces/none', adminToken);
    await view.find('heading', 'Not found');
    await view.isAccessible();
    await view.press('link', 'Go to your organizations');
    await view.find('heading', 'Organizations');
    suite.expectRefusals();
  });

  it(`loads HTML, one script, one style and less than ${maxBytes} bytes for the first page`, async () => {
    const { view, service } = suite;
    const html = await (await fetch(`${service.url}/app`)).text();
    const loaded = [...html.matchAll(/(src|href)="\/assets\/console\/[^"]+\.(\w+)"/g)].map(([, , kind]) => kind);
    expect(loaded.sort()).toEqual(['css', 'js']);
    await view.signIn('/app', adminToken);
    await view.find('link', 'acme');
    const bytes = await view.page.evaluate(`performance.getEntries()
      .filter(({ entryType, name }) => entryType === 'navigation' || name.includes('/assets/'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(maxBytes);
  });

  it.each([
    ['/app', 'acme', ['/organizations']],
    ['/app/acme/workspaces', 'billing', ['/organizations/acme', '/organizations/acme/workspaces']],
    ['/app/acme/teams', 'developers', ['/organizations/acme', '/organizations/acme/teams']],
  ])('has the rows of %s once these requests to the API are answered', async (path, row, needed) => {
    const { view } = suite;
    await view.signIn(path, adminToken);
    await view.find('link', row);
    await view.page.setRequestInterception(true);
    view.page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const isNeeded = !pathname.startsWith('/api/v2/') || needed.includes(pathname.slice('/api/v2'.length));
      // The others stay without an answer.
      if (isNeeded) void request.continue();
    });
    await view.page.reload();
    await view.find('link', row);
  });
});
