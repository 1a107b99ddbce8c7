/** Takes the pictures in docs/images from the built service: `npm run screenshot`. Needs chromium on PATH, or in CHROMIUM. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { archiveOf } from '../tests/support/archives.js';
import { openBrowser } from '../tests/support/browser.js';
import { ConsolePage } from '../tests/support/console.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../tests/support/process.js';
import { ServiceSteps } from '../tests/support/service-steps.js';

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));

/** The organization acme, with a run in the workspace network whose policies disagree. */
async function provision(service: ServiceProcess): Promise<string> {
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
  await people(steps, network);
  return (await steps.ask('GET', `/workspaces/${network}/runs`))[0].id;
}

/** Teams with access to the workspace, and what its runs receive. */
async function people(steps: ServiceSteps, workspace: string): Promise<void> {
  const grants = { engineers: 'write', auditors: 'read', releases: 'admin' };
  for (const [name, access] of Object.entries(grants)) {
    const team = await steps.ask('POST', '/organizations/acme/teams', {
      data: { type: 'teams', attributes: { name, visibility: 'organization' } },
    });
    const relationships = {
      team: { data: { type: 'teams', id: team.id } },
      workspace: { data: { type: 'workspaces', id: workspace } },
    };
    await steps.ask('POST', '/team-workspaces', {
      data: { type: 'team-workspaces', attributes: { access }, relationships },
    });
  }
  const values = { region: 'eu-north-1', subnet_count: '3', database_password: 'example' };
  for (const [key, value] of Object.entries(values)) {
    const attributes = { key, value, category: 'terraform', sensitive: key === 'database_password' };
    await steps.ask('POST', `/workspaces/${workspace}/vars`, { data: { type: 'vars', attributes } });
  }
}

/** The pages of the console, by the names of their pictures. */
const consolePages = (run: string): Readonly<Record<string, string>> => ({
  home: '/app/acme',
  workspaces: '/app/acme/workspaces',
  overview: '/app/acme/workspaces/network',
  run: `/app/acme/workspaces/network/runs/${run}`,
  'configuration-versions': '/app/acme/workspaces/network/configuration-versions',
  variables: '/app/acme/workspaces/network/variables',
  access: '/app/acme/workspaces/network/access',
  rights: '/app/acme/workspaces/network/access/rights',
  teams: '/app/acme/teams',
  'policy-sets': '/app/acme/policy-sets',
  audit: '/app/acme/audit',
});

const directory = await temporaryDirectory();
const service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data') });
const chrome = await openBrowser();
try {
  const run = await provision(service);
  const page = await chrome.browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await new ConsolePage(page, service.url).signIn('/app', adminToken);
  await mkdir(join(folder, 'console'), { recursive: true });
  for (const [name, address] of Object.entries(consolePages(run))) {
    await page.goto(service.url + address, { waitUntil: 'networkidle2' });
    const path = join(folder, 'console', `${name}.webp`) as `${string}.webp`;
    await page.screenshot({ path, type: 'webp', quality: 60 });
  }
} finally {
  await chrome.close();
  await service.end();
  await rm(directory, { recursive: true, force: true });
}
