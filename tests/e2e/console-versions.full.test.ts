import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { describeConsole } from '../support/console-suite.js';
import { adminToken, inTemporaryDirectory, type ServiceProcess } from '../support/process.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { savedFile } from '../support/saved-file.js';
import { ServiceSteps } from '../support/service-steps.js';

const bytes = await archiveOf({ 'main.tf': 'terraform {}\n' });
const address = '/app/acme/workspaces/network/configuration-versions';

let older: string;
let workspace: string;

/** A workspace with a current version, and an older one. */
async function prepare(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  workspace = await service.provision('acme', 'network');
  older = await steps.uploaded(workspace, bytes, { 'auto-queue-runs': false });
  await steps.uploaded(workspace, bytes, { 'auto-queue-runs': false });
}

describeConsole('configuration versions in the console', prepare, (suite) => {
  it('are uploaded from a file, and start a run', async () => {
    const { view, steps } = suite;
    await view.signIn(address, adminToken);
    await view.press('button', 'Upload configuration');
    await view.isAccessible();
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'network.tar.gz');
      await writeFile(file, bytes);
      const [chooser] = await Promise.all([view.page.waitForFileChooser(), view.press('button', 'Choose a file')]);
      await chooser.accept([file]);
      await view.shows('Chosen: network.tar.gz');
      await view.press('button', 'Upload');
      await view.shows('was uploaded.');
    });
    await view.shows('Configuration versions: 3');
    const [newest] = await steps.ask('GET', `/api/v2/workspaces/${workspace}/configuration-versions`);
    expect(newest.attributes).toMatchObject({ status: 'uploaded', 'auto-queue-runs': true });
    await view.press('link', 'Runs');
    await view.shows('Runs: 1');
    await view.isAccessible();
  });

  it('are uploaded from a file that is dropped on the dialog', async () => {
    const { view } = suite;
    await view.signIn(address, adminToken);
    await view.press('button', 'Upload configuration');
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'dropped.tar.gz');
      await writeFile(file, bytes);
      await view.drop('.drop', file);
      await view.shows('Chosen: dropped.tar.gz');
      await view.press('button', 'Upload');
      await view.shows('was uploaded.');
    });
  });

  it('show why an archive is refused', async () => {
    const { view, steps } = suite;
    const count = async () => (await steps.ask('GET', `/api/v2/workspaces/${workspace}/configuration-versions`)).length;
    await view.signIn(address, adminToken);
    await view.press('button', 'Upload configuration', 'Upload');
    await view.shows('Choose a .tar.gz archive first.');
    await inTemporaryDirectory(async (directory) => {
      const choose = async (name: string, content: string | Buffer) => {
        const file = join(directory, name);
        await writeFile(file, content);
        const [chooser] = await Promise.all([view.page.waitForFileChooser(), view.press('button', 'Choose a file')]);
        await chooser.accept([file]);
        await view.shows(`Chosen: ${name}`);
        await view.press('button', 'Upload');
      };
      const before = await count();
      await choose('network.zip', 'PK\u0003\u0004');
      await view.shows('network.zip is a zip archive. Pack the files with tar:');
      await view.isAccessible();
      await choose('text.tar.gz', 'not an archive');
      await view.shows('text.tar.gz is not a gzip archive.');
      expect(await count()).toBe(before);
      await choose('broken.tar.gz', bytes.subarray(0, 30));
      await view.page.waitForSelector('.dialog .problem');
    });
    suite.expectRefusals();
  });

  it('lose their files, get them back, and lose them permanently', async () => {
    const { view } = suite;
    await view.signIn(address, adminToken);
    const act = (...names: readonly string[]) => view.press('button', `Actions for ${older}`, ...names);
    await act(`Delete files of ${older}`, 'Delete files');
    await view.shows('The files are deleted, and can be restored.');
    await act(`Restore files of ${older}`, 'Restore files');
    await view.shows('The files are restored.');
    await act(`Delete files of ${older}`, 'Delete files');
    await act(`Delete permanently the files of ${older}`);
    await view.fill(`Type ${older} to confirm`, older);
    await view.press('button', 'Delete permanently');
    await view.shows('The files are permanently deleted.');
    await view.lacks('button', `Actions for ${older}`);
    await view.isAccessible();
  });

  it('have their actions in a menu that the keyboard serves alone', async () => {
    const { view, steps } = suite;
    const { keyboard } = view.page;
    const id = await steps.uploaded(workspace, bytes, { 'auto-queue-runs': false });
    await steps.uploaded(workspace, bytes, { 'auto-queue-runs': false });
    await view.signIn(address, adminToken);
    const menu = `Actions for ${id}`;
    const focused = (name: string) =>
      view.page.waitForFunction(`document.activeElement.getAttribute('aria-label') === ${JSON.stringify(name)}`);
    await (await view.find('button', menu)).focus();
    await keyboard.press('ArrowDown');
    await focused(`Download ${id}`);
    await view.isAccessible();
    await keyboard.press('ArrowDown');
    await focused(`Archive ${id}`);
    await keyboard.press('End');
    await focused(`Delete files of ${id}`);
    await keyboard.press('Home');
    await focused(`Download ${id}`);
    await keyboard.press('KeyA');
    await focused(`Archive ${id}`);
    await keyboard.press('Escape');
    await focused(menu);
    await view.page.waitForFunction(`document.querySelector('[role=menu]') === null`);
    await keyboard.press('Enter');
    await keyboard.press('KeyA');
    await focused(`Archive ${id}`);
    await keyboard.press('Enter');
    await view.find('heading', `Archive ${id}?`);
    await keyboard.press('Escape');
    await focused(menu);
    await view.lacks('heading', `Archive ${id}?`);
  });

  it('are downloaded as they were uploaded', async () => {
    const { view, steps } = suite;
    const id = await steps.uploaded(workspace, bytes, { 'auto-queue-runs': false });
    await view.signIn(address, adminToken);
    const file = await savedFile(view, () => view.press('button', `Actions for ${id}`, `Download ${id}`));
    expect(file.name).toBe('configuration.tar.gz');
    await view.shows(`The download of ${id} has begun.`);
    expect(file.bytes.equals(bytes)).toBe(true);
  });

  it('are not changed by people who may only read them', async () => {
    const { view, steps } = suite;
    const token = await steps.memberToken('readers', { 'read-workspaces': true });
    await view.signIn(address, token);
    await view.shows('Configuration versions:');
    const namesOf = async (selector: string) =>
      (await view.page.evaluate(
        `[...document.querySelectorAll('${selector}')].map((one) => one.getAttribute('aria-label') ?? one.textContent)`,
      )) as string[];
    const menus = await namesOf('main button');
    expect(menus.filter((name) => !name.startsWith('Actions for '))).toEqual([]);
    for (const name of menus) {
      await view.press('button', name);
      await view.find('menuitem', name.replace('Actions for', 'Download'));
      expect(await namesOf('[role=menuitem]')).toEqual([name.replace('Actions for', 'Download')]);
      await view.page.keyboard.press('Escape');
      await view.page.waitForFunction(`document.querySelector('[role=menu]') === null`);
    }
  });
});

let store: S3Server;
beforeAll(async () => {
  store = await startS3Server();
});
afterAll(() => store.close());

describeConsole(
  'configuration versions in a bucket of another origin',
  prepare,
  (suite) => {
    it('are downloaded from the bucket, without leaving the page', async () => {
      const { view } = suite;
      await view.signIn(address, adminToken);
      const file = await savedFile(view, () => view.press('button', `Actions for ${older}`, `Download ${older}`));
      expect(file.name).toBe('configuration.tar.gz');
      expect(file.bytes.equals(bytes)).toBe(true);
      expect(store.requests.at(-1)?.operation).toBe('GetObject');
      await view.shows('Configuration versions: 2');
      expect(await view.address()).toBe(address);
    });
  },
  () => ({ environment: store.environment, elsewhere: [store.endpoint] }),
);
