import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConsolePage } from './console.js';
import { inTemporaryDirectory } from './process.js';

interface SavedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The file that the browser saves because of `act`, once it is complete. */
export const savedFile = ({ page }: ConsolePage, act: () => Promise<unknown>): Promise<SavedFile> =>
  inTemporaryDirectory(async (downloadPath) => {
    const browser = await page.createCDPSession();
    const browserContextId = page.browserContext().id as string;
    await browser.send('Browser.setDownloadBehavior', {
      behavior: 'allowAndName',
      downloadPath,
      browserContextId,
      eventsEnabled: true,
    });
    const name = new Promise<string>((resolve) =>
      browser.once('Browser.downloadWillBegin', ({ suggestedFilename }) => resolve(suggestedFilename)),
    );
    const ended = new Promise<string>((resolve, reject) =>
      browser.on('Browser.downloadProgress', ({ guid, state }) => {
        if (state === 'completed') resolve(guid);
        if (state === 'canceled') reject(new Error('the download was canceled'));
      }),
    );
    await act();
    return { name: await name, bytes: await readFile(join(downloadPath, await ended)) };
  });
