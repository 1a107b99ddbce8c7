import { createCipheriv } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import type { HTTPRequest } from 'puppeteer-core';
import { archiveOf, packed } from '../support/archives.js';
import type { ConsolePage } from '../support/console.js';
import { type ConsoleSuite, describeConsole } from '../support/console-suite.js';
import { Network } from '../support/network.js';
import { adminToken, freePort, inTemporaryDirectory, type ServiceProcess } from '../support/process.js';
import { ServiceSteps, until } from '../support/service-steps.js';

const bytes = await archiveOf({ 'main.tf': 'terraform {}\n' });
/** More than the sockets on the way to the service take. */
const many = await packed([
  {
    header: { name: 'data' },
    body: createCipheriv('aes-128-ctr', '0'.repeat(16), '0'.repeat(16)).update(Buffer.alloc(24 << 20)),
  },
]);
const versions = '/app/acme/workspaces/network/configuration-versions';

let workspace: string;
/** The token of maria, who is an owner too. */
let maria: string;

async function prepare(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  workspace = await service.provision('acme', 'network');
  await steps.workspace('billing');
  const account = { username: 'maria', email: 'maria@example.com', 'is-site-admin': true };
  const { json } = await service.api('POST', '/api/v2/admin/users', { data: { type: 'users', attributes: account } });
  maria = json.included[0].attributes.token;
}

/** Signs in as the administrator. Returns how to revoke the token. */
async function signInForNow({ view, steps }: ConsoleSuite, path: string): Promise<() => Promise<unknown>> {
  const { id } = await steps.ask('GET', '/api/v2/account/details');
  const issued = await steps.ask('POST', `/api/v2/users/${id}/authentication-tokens`, {
    data: { type: 'authentication-tokens', attributes: { description: 'short' } },
  });
  await view.signIn(path, issued.attributes.token);
  await view.find('button', 'Account: admin');
  return () => steps.ask('DELETE', `/api/v2/authentication-tokens/${issued.id}`);
}

interface Held {
  /** Resolves once a request is held; fails with what the page shows if none comes. */
  readonly reached: () => Promise<void>;
  readonly count: () => number;
  readonly release: () => Promise<void>;
}

/** Holds the requests of a method to addresses that contain `part`, until they are released. */
async function hold(view: ConsolePage, method: string, part: string): Promise<Held> {
  const { page } = view;
  const held: HTTPRequest[] = [];
  const probe = new URL('/healthz?held', page.url()).href;
  let isHolding = false;
  const listener = (request: HTTPRequest): void => {
    if (request.url() === probe) isHolding = true;
    if (request.method() === method && request.url().includes(part)) held.push(request);
    // One that was under way before is not stopped, and cannot be continued.
    else request.continue().catch(() => undefined);
  };
  const reached = async (): Promise<void> => {
    await until(`${method} ${part} is sent`, async () => held.length > 0).catch(async (error) => {
      throw new Error(`${error.message}; there is:\n${await view.text()}`);
    });
  };
  const release = async (): Promise<void> => {
    page.off('request', listener);
    await Promise.all(held.map((request) => request.continue()));
    await page.setRequestInterception(false);
  };
  // First, because a request that is stopped before anyone listens is never continued.
  page.on('request', listener);
  await page.setRequestInterception(true);
  // Chromium answers before the page knows of it: a request sent at once can still pass.
  await until('the page stops its requests', async () => {
    await page.evaluate((address) => fetch(address).then(() => undefined), probe);
    return isHolding;
  });
  return { reached, count: () => held.length, release };
}

const signInAgain = async (view: ConsolePage, token: string): Promise<void> => {
  await view.find('heading', 'Your session has ended');
  await view.submit('Sign in', { 'API token': token });
};

/** Opens the dialog for an upload and drops an archive on it. */
const dropArchive = async (view: ConsolePage, directory: string, archive = bytes): Promise<void> => {
  const file = join(directory, 'network.tar.gz');
  await writeFile(file, archive);
  await view.press('button', 'Upload configuration');
  await view.drop('.drop', file);
  await view.shows('Chosen: network.tar.gz');
};

/** Waits until a part of the file is sent. */
const partIsSent = (view: ConsolePage): Promise<unknown> =>
  view.page.waitForFunction(`(() => {
    const { value } = document.querySelector('progress') ?? { value: 0 };
    return value > 0 && value < 1;
  })()`);

const statuses = async ({ steps }: ConsoleSuite): Promise<readonly string[]> =>
  (await steps.versions(workspace)).map(({ attributes }) => attributes.status);

/** Checks that the newest version has the whole archive. */
const newestIsWhole = async ({ service, steps }: ConsoleSuite, archive = bytes): Promise<void> => {
  const [{ id, attributes }] = (await steps.versions(workspace)) as [{ id: string; attributes: { status: string } }];
  expect(attributes.status).toBe('uploaded');
  const response = await fetch(`${service.url}/configuration-versions/${id}/download`, {
    headers: { Authorization: `Bearer ${adminToken}` },
  });
  expect(Buffer.from(await response.arrayBuffer()).equals(archive)).toBe(true);
};

describeConsole('a session that ends while the console is open', prepare, (suite) => {
  it('keeps a dropped file, which is uploaded once the same person has signed in', async () => {
    const { view } = suite;
    const revoke = await signInForNow(suite, versions);

    const before = (await statuses(suite)).length;
    await inTemporaryDirectory(async (directory) => {
      await dropArchive(view, directory);
      await revoke();
      await view.press('button', 'Upload');
      await view.find('heading', 'Your session has ended');
      await view.isAccessible();
      expect(await statuses(suite)).toHaveLength(before);
      await signInAgain(view, adminToken);
      await view.shows('was uploaded.');
    });
    expect(await statuses(suite)).toHaveLength(before + 1);
    await newestIsWhole(suite);
    expect(await view.address()).toBe(versions);
    suite.expectRefusals();
  });

  it('does not interrupt an upload', async () => {
    const { view } = suite;
    const revoke = await signInForNow(suite, versions);

    await inTemporaryDirectory(async (directory) => {
      await dropArchive(view, directory);
      const held = await hold(view, 'PUT', '/v1/object/');
      await view.press('button', 'Upload');
      await held.reached();
      await revoke();
      expect((await statuses(suite))[0]).toBe('pending');
      await held.release();
      await signInAgain(view, adminToken);
      await view.shows('was uploaded.');
    });
    await newestIsWhole(suite);
    suite.expectRefusals();
  });

  it('keeps a form, which is sent once', async () => {
    const { view, steps } = suite;
    const revoke = await signInForNow(suite, '/app/acme/workspaces');

    await view.press('button', 'New workspace');
    await view.fill('Name', 'kept');
    await revoke();
    await view.press('button', 'Create workspace');
    await signInAgain(view, 'mistyped');
    await view.shows('The service rejected this token.');
    await signInAgain(view, adminToken);
    await view.find('heading', 'kept');
    const names = (await steps.ask('GET', '/organizations/acme/workspaces')).map(
      ({ attributes }: { attributes: { name: string } }) => attributes.name,
    );
    expect(names.filter((name: string) => name === 'kept')).toHaveLength(1);
    suite.expectRefusals();
  });

  it('shows another person nothing that was entered, and sends nothing of it', async () => {
    const { view, steps } = suite;
    const revoke = await signInForNow(suite, '/app/acme/workspaces');

    await view.press('button', 'New workspace');
    await view.fill('Name', 'of-the-administrator');
    await revoke();
    await view.press('button', 'Create workspace');
    await signInAgain(view, maria);
    await view.find('button', 'Account: maria');
    expect(await view.has('heading', 'New workspace')).toBe(false);
    expect(await view.page.content()).not.toContain('of-the-administrator');
    expect(JSON.stringify(await steps.ask('GET', '/organizations/acme/workspaces'))).not.toContain('administrator');
    suite.expectRefusals();
  });

  it('is left by signing out', async () => {
    const { view } = suite;
    const revoke = await signInForNow(suite, '/app/acme/workspaces');

    await view.find('link', 'network');
    await revoke();
    // The page may notice on its own, and then covers its links.
    await view.page.evaluate(`history.pushState(null, '', '/app/acme/teams')`);
    await view.press('button', 'Discard and sign out');
    await view.find('heading', 'Sign in');
    expect(await view.page.content()).not.toContain('acme');
    suite.expectRefusals();
  });
});

let network: Network;

/** Settings of a service behind `network`. */
async function behindNetwork() {
  const port = await freePort();
  network = await Network.open(port);
  return { environment: { PORT: String(port), PUBLIC_URL: network.url } };
}

describeConsole('the console on a slow network', prepare, (suite) => {
  it('sends a form once, however often it is sent, and says that it waits', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces', adminToken);
    await view.press('button', 'New workspace');
    await view.fill('Name', 'patient');
    const held = await hold(view, 'POST', '/workspaces');
    for (let times = 0; times < 3; times += 1) await view.page.keyboard.press('Enter');
    await held.reached();
    await view.press('button', 'Create workspace');
    await view.shows('Waiting for the service…');
    await view.isAccessible();
    await held.release();
    await view.find('heading', 'patient');
    expect(held.count()).toBe(1);
  });

  it('acts once on a confirmation', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces/billing', adminToken);
    await view.press('button', 'Lock');
    const held = await hold(view, 'POST', '/actions/lock');
    const button = await view.find('button', 'Lock workspace');
    await button.click({ count: 2 });
    await held.reached();
    await button.click();
    await view.shows('Waiting for the service…');
    await held.release();
    await view.shows('The workspace is locked.');
    expect(held.count()).toBe(1);
  });

  it('says that a page or a list is loading', async () => {
    const { view } = suite;
    await view.signIn('/app', adminToken);
    await view.press('link', 'acme');
    await view.find('heading', 'Home');
    const held = await hold(view, 'GET', '/organizations/acme/workspaces?');
    await view.press('link', 'Workspaces');
    await held.reached();
    await view.shows('Loading…');
    await held.release();
    await view.find('link', 'network');
    const filtered = await hold(view, 'GET', 'search%5Bname%5D=bill');
    await view.fill('Name', 'bill', 'searchbox');
    await filtered.reached();
    await view.shows('Loading the list…');
    await filtered.release();
    await view.shows('Workspaces: 1');
    expect(await view.text()).not.toContain('Loading');
  });
});

describeConsole('the console without a network', prepare, (suite) => {
  it('says that a change may not have been made, sends nothing later, and keeps what was entered', async () => {
    const { view, steps } = suite;
    await view.signIn('/app/acme/workspaces/network', adminToken);
    await view.press('button', 'Lock');
    await view.fill('Reason (optional)', 'Maintenance');
    await view.page.setOfflineMode(true);
    await view.press('button', 'Lock workspace');
    await view.shows('The service did not respond, so the change may not have been made.');
    await view.shows('The service does not respond.');
    await view.isAccessible();
    await view.page.setOfflineMode(false);
    await view.page.waitForFunction(`!document.body.innerText.includes('The service does not respond.')`);
    expect((await steps.ask('GET', `/workspaces/${workspace}`)).attributes.locked).toBe(false);
    await view.press('button', 'Lock workspace');
    await view.shows('Locked by admin');
    suite.expectRefusals();
  });

  it('says why a page is missing, and shows it when the network is back', async () => {
    const { view } = suite;
    await view.signIn('/app/acme/workspaces/network', adminToken);
    await view.find('heading', 'network');
    await view.press('link', 'Workspaces');
    await view.find('link', 'billing');
    await view.page.setOfflineMode(true);
    // The code of the page is there, what it shows is not.
    await view.press('link', 'billing');
    await view.find('heading', 'This page could not be shown');
    await view.press('button', 'Try again');
    await view.find('heading', 'This page could not be shown');
    await view.press('button', 'Retry now');
    await view.isAccessible();
    await view.page.setOfflineMode(false);
    await view.find('heading', 'billing');
    // The code of the next page is missing too.
    await view.page.setOfflineMode(true);
    await view.press('link', 'Teams');
    await view.shows('The service does not respond.');
    await view.page.setOfflineMode(false);
    await view.find('heading', 'Teams');
    expect(await view.address()).toBe('/app/acme/teams');
    suite.expectRefusals();
  });
});

describeConsole(
  'an upload in the console',
  prepare,
  (suite) => {
    afterAll(() => network.close());

    it('shows how far it is, and ends with its dialog', async () => {
      const { view } = suite;
      network.passing = 100_000;
      await view.signIn(versions, adminToken);
      await inTemporaryDirectory(async (directory) => {
        await dropArchive(view, directory, many);
        await view.press('button', 'Upload');
        await partIsSent(view);
        await view.press('button', 'Cancel');
        await view.page.waitForFunction(`document.querySelector('.dialog') === null`);
      });
      expect(await statuses(suite)).toEqual(['pending']);
    });

    it('is sent again after an interruption, as the same version', async () => {
      const { view } = suite;
      network.passing = 100_000;
      await view.signIn(versions, adminToken);
      await inTemporaryDirectory(async (directory) => {
        await dropArchive(view, directory, many);
        await view.press('button', 'Upload');
        await partIsSent(view);
        network.break();
        await view.shows('The upload was interrupted');
        network.mend();
        expect(await statuses(suite)).toEqual(['pending', 'pending']);
        await view.press('button', 'Upload');
        await view.shows('was uploaded.');
      });
      expect(await statuses(suite)).toEqual(['uploaded', 'pending']);
      await newestIsWhole(suite, many);
      suite.expectRefusals();
    });

    it('goes on after an interruption and a new sign-in', async () => {
      const { view } = suite;
      const revoke = await signInForNow(suite, versions);
      network.passing = 100_000;

      await inTemporaryDirectory(async (directory) => {
        await dropArchive(view, directory, many);
        await view.press('button', 'Upload');
        await partIsSent(view);
        await revoke();
        network.break();
        await view.shows('The upload was interrupted');
        network.mend();
        expect((await statuses(suite))[0]).toBe('pending');
        await view.press('button', 'Upload');
        await signInAgain(view, adminToken);
        await view.shows('was uploaded.');
      });
      await newestIsWhole(suite, many);
      suite.expectRefusals();
    });
  },
  behindNetwork,
);
