import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { chromium, openBrowser, type WatchedPage, watchedPage } from './browser.js';
import { ConsolePage } from './console.js';
import { ServiceProcess, temporaryDirectory } from './process.js';
import { usable } from './programs.js';
import { ServiceSteps } from './service-steps.js';

const reason = chromium === undefined ? ' (skipped: no chromium on PATH, and none named by CHROMIUM)' : '';

/** The service, and the page of one test, which has a browser context of its own. */
export interface ConsoleSuite {
  readonly service: ServiceProcess;
  readonly steps: ServiceSteps;
  readonly view: ConsolePage;
  /** Checks that the console of the browser complained of nothing but refused requests, and forgets these. */
  readonly expectRefusals: () => void;
}

/** The number of streams of changes that pages have open. */
export async function openStreams({ url }: Pick<ServiceProcess, 'url'>): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^gatehouse_change_streams_open (\d+)$/m.exec(text)?.[1]);
}

interface Options {
  /** Settings of the service. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Other origins that the browser may load from. */
  readonly elsewhere?: readonly string[];
}

/**
 * A suite on a built service, which `prepare` fills. After each test, the page must have called the service only, and
 * the browser's console must be empty.
 */
export function describeConsole(
  title: string,
  prepare: (service: ServiceProcess) => Promise<unknown>,
  tests: (suite: ConsoleSuite) => void,
  options: () => Options | Promise<Options> = () => ({}),
): void {
  const suite = usable('chromium', chromium !== undefined) ? describe : describe.skip;
  suite(title + reason, () => {
    let directory: string;
    let chrome: Awaited<ReturnType<typeof openBrowser>>;
    let watched: WatchedPage;
    let given: Options;
    const now = {
      expectRefusals: () => {
        expect(watched.complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
        watched.complaints.length = 0;
      },
    } as { -readonly [Name in keyof ConsoleSuite]: ConsoleSuite[Name] };

    beforeAll(async () => {
      directory = await temporaryDirectory();
      given = await options();
      now.service = await ServiceProcess.start({ DATA_DIR: directory, ...given.environment });
      now.steps = new ServiceSteps(now.service);
      await prepare(now.service);
      chrome = await openBrowser();
    });

    afterAll(async () => {
      await chrome?.close();
      await now.service?.end();
      await rm(directory, { recursive: true, force: true });
    });

    beforeEach(async () => {
      watched = await watchedPage(chrome.browser);
      now.view = new ConsolePage(watched.page, now.service.url);
    });

    afterEach(async () => {
      await watched.page.browserContext().close();
      // The browser has the icons of its own date fields as data URLs.
      const requests = watched.requests.filter((url) => !url.startsWith('data:'));
      const known = [now.service.url, ...(given.elsewhere ?? [])];
      expect(requests.filter((url) => !known.some((origin) => url.startsWith(origin)))).toEqual([]);
      expect(watched.complaints).toEqual([]);
    });

    tests(now);
  });
}
