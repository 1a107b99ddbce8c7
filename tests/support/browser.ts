import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { temporaryDirectory } from './process.js';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of Chromium, from `CHROMIUM` or PATH; undefined if it is not installed. */
export const chromium: string | undefined =
  process.env.CHROMIUM ||
  names
    .map((name) =>
      spawnSync('sh', ['-c', `command -v ${name}`])
        .stdout.toString()
        .trim(),
    )
    .find((path) => path !== '');

/** In milliseconds. Only what never happens takes this long, also on a busy machine: a wait ends when it may. */
const patience = 100_000;

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser with an empty profile, and a function that closes it and deletes the profile. */
export async function openBrowser(): Promise<{ readonly browser: Browser; readonly close: () => Promise<void> }> {
  if (chromium === undefined) throw new Error('there is no Chromium');
  const profile = await temporaryDirectory();
  const browser = await puppeteer.launch({
    executablePath: chromium,
    headless: true,
    defaultViewport: { width: 1280, height: 800 },
    timeout: patience,
    args: [...flags, `--user-data-dir=${profile}`],
  });
  return {
    browser,
    close: async () => {
      await browser.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A page, with its console complaints and its requests. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors, warnings and violations of its policy, as the console shows them. */
  readonly complaints: string[];
  readonly requests: string[];
}

export async function watchedPage(browser: Browser): Promise<WatchedPage> {
  // Each page has its own context, so that pages share no state.
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  // Chromium answers questions about roles and names with its next frame, and a page that rests has none.
  await page.evaluateOnNewDocument('setInterval(() => requestAnimationFrame(() => undefined), 100)');
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  await page.evaluateOnNewDocument(`addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    console.error('the policy was violated: ' + violatedDirective + ' ' + blockedURI))`);
  return { page, complaints, requests };
}
