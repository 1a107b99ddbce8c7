/** Takes docs/images/policy-outcomes.png from the built service: `npm run screenshot`. Needs chromium on PATH, or in CHROMIUM. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { archiveOf } from '../tests/support/archives.js';
import { openBrowser } from '../tests/support/browser.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../tests/support/process.js';
import { ServiceSteps } from '../tests/support/service-steps.js';

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));

/** The organization acme, with a run in the workspace network whose policies disagree. */
async function provision(service: ServiceProcess): Promise<void> {
  const steps = new ServiceSteps(service);
  const network = await service.provision('acme', 'network');
  for (const name of ['billing', 'identity', 'search']) await steps.workspace(name);
  const set = (name: string, policies: Readonly<Record<string, string>>) =>
    steps.ask('POST', '/organizations/acme/policy-sets', {
      data: {
        type: 'policy-sets',
        attributes: {
          name,
          global: true,
          overridable: true,
          policies: Object.entries(policies).map(([policy, level]) => ({
            name: policy,
            query: `data.${policy.replaceAll('-', '_')}.deny`,
            'enforcement-level': level,
          })),
        },
      },
    });
  await set('baseline', { 'cost-centre': 'advisory', 'no-public-bucket': 'mandatory', tags: 'mandatory' });
  await set('naming', { 'resource-prefix': 'mandatory' });
  const agent = steps.agent(await steps.agentToken());
  await steps.uploaded(network, await archiveOf({ 'main.tf': 'terraform {}\n' }), { 'auto-queue-runs': false });
  await steps.run(network, undefined, { message: 'Widen the subnets' });
  const job = await agent.claimed();
  await job.planned();
  await job.judgeAll((policy) => (policy === 'cost-centre' || policy === 'no-public-bucket' ? 'failed' : 'passed'));
}

const directory = await temporaryDirectory();
const service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data') });
const chrome = await openBrowser();
try {
  await provision(service);
  const page = await chrome.browser.newPage();
  await page.setViewport({ width: 900, height: 900 });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.goto(service.url, { waitUntil: 'networkidle0' });
  await page.type('#token', adminToken);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#tab-policies', { visible: true });
  await page.click('#tab-policies');
  await page.type('#workspace-name', 'network');
  await page.keyboard.press('Enter');
  await (await page.waitForSelector('#panel-policies td button'))?.click();
  await page.waitForSelector('.outcomes td');
  await page.evaluate('document.activeElement.blur()');
  await mkdir(folder, { recursive: true });
  const section = await page.waitForSelector('section.look');
  await section?.screenshot({ path: join(folder, 'policy-outcomes.png') as `${string}.png` });
} finally {
  await chrome.close();
  await service.end();
  await rm(directory, { recursive: true, force: true });
}
