import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { executeJob } from '../../src/agent/run/execute-job.js';
import { type Job, jobSchema } from '../../src/agent/service/job.js';
import { ServiceClient } from '../../src/agent/service/service-client.js';
import { loadSettings } from '../../src/agent/settings.js';
import { inTemporaryDirectory } from '../support/process.js';

const apply: Job = jobSchema.parse({
  lease: { token: 'token-of-the-lease', 'expires-at': '2030-01-01T00:00:00Z' },
  phase: 'apply',
  run: {
    id: 'run-1',
    message: null,
    'plan-only': false,
    'is-destroy': false,
    refresh: true,
    'refresh-only': false,
    'allow-config-generation': false,
    'target-addrs': null,
    'replace-addrs': null,
    variables: [],
  },
  workspace: { id: 'ws-1', name: 'w', organization: 'o', 'working-directory': null, 'terraform-version': null },
  configuration: { id: 'cv-1', url: '/agent/v1/none' },
  'policy-evaluations': [],
});

it('an apply with the maximum number of sensitive values keeps its lease by heartbeats while they are prepared', async () => {
  const events: string[] = [];
  const service = createServer((request, response) => {
    request.resume();
    events.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"cancel":false}');
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  // All are 4 MiB; the last value is read once the others are prepared.
  const value = Array.from({ length: 1024 }, (_, n) => `${n * 7919} of a line`.padEnd(300, `${n}`))
    .join('\n')
    .slice(0, 256 * 1024);
  const variables = Array.from({ length: 16 }, (_, n) => ({
    key: `v${n}`,
    get value() {
      if (n === 15) events.push('the last value is read');
      return `${n}${value}`.slice(0, 256 * 1024);
    },
    category: 'env' as const,
    hcl: false,
    sensitive: true,
  }));
  try {
    await inTemporaryDirectory(async (directory) => {
      const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
      const never = new AbortController().signal;
      const settings = loadSettings({
        GATEHOUSE_URL: url,
        AGENT_TOKEN: 'token-of-the-agent',
        AGENT_WORK_DIR: directory,
        TERRAFORM_PATH: '/nowhere/terraform',
      });
      await executeJob(
        { ...apply, workspace: { ...apply.workspace, variables } },
        {
          client: new ServiceClient(url, 'token-of-the-agent', () => undefined),
          settings,
          token: 'token-of-the-agent',
          environment: {},
          stopping: never,
          killing: never,
          print: () => undefined,
        },
      );
    });
    expect(events[0]).toMatch(/^POST .*\/heartbeat$/);
    expect(events).toContain('the last value is read');
    expect(events.at(-1)).toMatch(/^POST .*\/apply$/);
  } finally {
    service.close().closeAllConnections();
  }
});

it.each([
  ['~> 1.11.0', '1.11.4', undefined],
  ['>= 1.5, < 2', '1.11.4', undefined],
  ['1.9.0', '1.11.4', 'Warning: the workspace requires version 1.9.0, but the agent runs 1.11.4.'],
  ['~> 1.10.0', '1.11.4', 'The workspace requires Terraform ~> 1.10.0, but the agent has 1.11.4'],
  ['1.5, < 2', '1.11.4', 'The workspace requires Terraform 1.5, < 2, but the agent has 1.11.4'],
])('for the version %s, an agent that has %s says %j', async (asked, has, said) => {
  const logs: string[] = [];
  const reports: string[] = [];
  const service = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    if (request.url?.includes('/log')) logs.push(body);
    if (request.url?.endsWith('/apply')) reports.push(body);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ cancel: false, size: logs.join('').length, status: 'errored' }));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  try {
    await inTemporaryDirectory(async (directory) => {
      const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
      const program = join(directory, 'terraform');
      await writeFile(program, `#!/bin/sh\necho 'Terraform v${has}'\necho 'on linux_amd64'\n`, { mode: 0o755 });
      const never = new AbortController().signal;
      const settings = loadSettings({
        GATEHOUSE_URL: url,
        AGENT_TOKEN: 'token-of-the-agent',
        AGENT_WORK_DIR: directory,
        TERRAFORM_PATH: program,
      });
      const client = new ServiceClient(url, 'token-of-the-agent', () => undefined);
      const given = { client, settings, token: 'token-of-the-agent', environment: {}, stopping: never, killing: never };
      const workspace = { ...apply.workspace, 'terraform-version': asked };
      await executeJob({ ...apply, workspace }, { ...given, print: () => undefined });
    });
    const log = logs.join('');
    if (said === undefined) expect(log).not.toMatch(/requires/);
    else expect(log).toContain(said);
    // A run that is not refused fails later, since it has no plan.
    expect(reports.join('')).toContain(
      said?.startsWith('The workspace') ? said : 'The saved plan of the run is missing',
    );
  } finally {
    service.close().closeAllConnections();
  }
});
