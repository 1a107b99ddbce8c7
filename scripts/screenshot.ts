/**
 * Takes the pictures in docs/images of the built service: `npm run screenshot`. With `-- --all FOLDER`, takes every
 * page instead, whole, in both colour schemes and on a wide and a narrow screen; `--as carl` shows what a person sees
 * who may little. Needs chromium on PATH, or in CHROMIUM.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'puppeteer-core';
import { openBrowser } from '../tests/support/browser.js';
import { ConsolePage } from '../tests/support/console.js';
import { ServiceProcess, temporaryDirectory } from '../tests/support/process.js';
import { type Pictured, pictureOrganization } from './pictured/organization.js';
import { day, PastClock } from './pictured/past-clock.js';

const images = fileURLToPath(new URL('../docs/images/console/', import.meta.url));
const preload = pathToFileURL(fileURLToPath(new URL('pictured/past-clock.mjs', import.meta.url)));

const wide = { width: 1280, height: 800 };
const phone = { width: 390, height: 844, isMobile: true, hasTouch: true };

interface Picture {
  readonly address: (of: Pictured) => string;
  /** Done on the page before it is taken. */
  readonly first?: (view: ConsolePage) => Promise<unknown>;
  /** Whether docs/images has it. */
  readonly isShown?: true;
}

const inNetwork = (rest = ''): string => `/app/acme/workspaces/network-production${rest}`;

const pictures: Readonly<Record<string, Picture>> = {
  home: { address: () => '/app/acme', isShown: true },
  'home-of-all': { address: () => '/app/acme?of=all' },
  workspaces: { address: () => '/app/acme/workspaces', isShown: true },
  overview: { address: () => inNetwork(), isShown: true },
  confirmation: { address: ({ waiting }) => inNetwork(`/runs/${waiting}`) },
  run: { address: ({ failed }) => `/app/acme/workspaces/vpn/runs/${failed}`, isShown: true },
  applied: { address: ({ applied }) => `/app/acme/workspaces/dns/runs/${applied}` },
  changes: {
    address: ({ waiting }) => inNetwork(`/runs/${waiting}`),
    first: async (view) => {
      await view.page.locator('aria/aws_iam_role.flow_logs will be updated in place').click();
      await view.page.locator('aria/aws_nat_gateway.public will be replaced').click();
      await view.page.evaluate(`document.querySelector('[aria-labelledby="plan"]').scrollIntoView()`);
    },
    isShown: true,
  },
  access: { address: () => inNetwork('/access'), isShown: true },
  'who-can': { address: ({ network }) => `/app/acme/who-can?workspace=${network}`, isShown: true },
  outcomes: { address: () => '/app/acme/outcomes' },
  'policy-set': { address: ({ policySet }) => `/app/acme/policy-sets/${policySet}`, isShown: true },
  tokens: { address: () => '/app/acme/tokens' },
  team: { address: ({ team }) => `/app/acme/teams/${team}` },
  audit: { address: () => '/app/acme/audit', isShown: true },
  jump: {
    address: () => '/app/acme',
    first: async (view) => {
      await view.press('button', 'Search Ctrl K');
      await view.page.keyboard.type('net');
      await view.find('menuitem', 'network-production');
    },
  },
};

async function take(view: ConsolePage, { address, first }: Picture, of: Pictured, shot: Shot): Promise<void> {
  await view.open(address(of));
  await first?.(view);
  await view.page.screenshot({ path: `${shot.path}.webp`, type: 'webp', quality: 45, fullPage: shot.isWhole });
}

interface Shot {
  /** Without the extension. */
  readonly path: string;
  readonly isWhole: boolean;
}

const show = (page: Page, theme: 'light' | 'dark'): Promise<void> =>
  page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: theme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);

async function takeShown(view: ConsolePage, of: Pictured): Promise<void> {
  await view.page.setViewport(wide);
  await show(view.page, 'light');
  for (const [name, picture] of Object.entries(pictures)) {
    if (picture.isShown) await take(view, picture, of, { path: join(images, name), isWhole: false });
  }
}

async function takeAll(view: ConsolePage, of: Pictured, folder: string): Promise<void> {
  for (const screen of [wide, phone]) {
    await view.page.setViewport(screen);
    for (const theme of ['light', 'dark'] as const) {
      await show(view.page, theme);
      for (const [name, picture] of Object.entries(pictures)) {
        await take(view, picture, of, { path: join(folder, `${name}-${theme}-${screen.width}`), isWhole: true });
      }
    }
  }
}

const { all, as } = parseArgs({ options: { all: { type: 'string' }, as: { type: 'string', default: 'ann' } } }).values;
await mkdir(all ?? images, { recursive: true });
const directory = await temporaryDirectory();
const behind = join(directory, 'behind');
const clock = new PastClock(behind, 20 * day);
const service = await ServiceProcess.start({
  DATA_DIR: join(directory, 'data'),
  CLOCK_BEHIND: behind,
  NODE_OPTIONS: `--import ${preload}`,
});
const chrome = await openBrowser();
try {
  const pictured = await pictureOrganization(service, clock);
  const view = new ConsolePage(await chrome.browser.newPage(), service.url);
  await view.signIn('/app', pictured.tokens[as] ?? '');
  await view.find('heading', 'Organizations');
  if (all === undefined) await takeShown(view, pictured);
  else await takeAll(view, pictured, all);
} finally {
  await chrome.close();
  await service.end();
  await rm(directory, { recursive: true, force: true });
}
