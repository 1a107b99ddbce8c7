import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GuardedCalls, type GuardedCallsOptions } from '../../src/adapters/calls/guarded-calls.js';
import { HttpRunTaskCaller } from '../../src/adapters/calls/http-run-task-caller.js';
import { isPublicAddress } from '../../src/adapters/version-control/public-addresses.js';
import { isAllowedHost } from '../../src/adapters/version-control/repository-url.js';
import type { RunTaskCall } from '../../src/application/index.js';
import { aConfigurationVersion, anOrganization, aRun, aWorkspace, someIngressAttributes } from '../support/builders.js';
import { aTaskResult } from '../support/policy-builders.js';

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

let server: Server;
let port: number;
let received: Received[];
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
  received = [];
  answer = (response) => response.writeHead(200).end();
  server = createServer(async (request, response) => {
    received.push({ request, body: (await buffer(request)).toString() });
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const workspace = aWorkspace(anOrganization({ name: 'acme' }), { name: 'network', workingDirectory: 'envs' });
const run = aRun(workspace, aConfigurationVersion(workspace).state).state;
const result = {
  ...aTaskResult({ enforcementLevel: 'mandatory' }),
  taskStageId: 'ts-1',
  runId: run.id,
  stage: 'post_plan',
} as const;

const aCall = (given: Partial<RunTaskCall> = {}): RunTaskCall => ({
  url: `http://tasks.example:${port}/check?from=us`,
  hmacKey: null,
  token: 'a callback token',
  result,
  run,
  createdBy: 'olga',
  workspace,
  commit: null,
  hasPlan: true,
  ...given,
});

/** A caller for which every name leads to this machine, which is allowed. */
type Given = Partial<GuardedCallsOptions> & { readonly allowedHosts?: readonly string[] };

const caller = ({ allowedHosts = ['tasks.example'], ...given }: Given = {}) =>
  new HttpRunTaskCaller(
    new GuardedCalls({
      isAllowedHost: (url) => isAllowedHost(url, allowedHosts),
      allowedBy: 'RUN_TASK_ALLOWED_HOSTS',
      isPublicAddress,
      lookup: async () => [{ address: '127.0.0.1' }],
      ...given,
    }),
    'https://gatehouse.example',
  );

const notDelivered = (final: boolean, reason: string) => ({
  delivered: false,
  final,
  reason: expect.stringContaining(reason),
});

describe('the call of a run task', () => {
  it('says what clients of this API family say', async () => {
    expect(await caller().call(aCall())).toEqual({ delivered: true });
    const [{ request, body } = { request: undefined, body: '{}' }] = received;
    expect([request?.method, request?.url, request?.headers.host]).toEqual([
      'POST',
      '/check?from=us',
      `tasks.example:${port}`,
    ]);
    expect(request?.headers['x-tfc-task-signature']).toBeUndefined();
    const files = `https://gatehouse.example/v1/task-results/${result.id}`;
    expect(JSON.parse(body)).toEqual({
      payload_version: 1,
      stage: 'post_plan',
      access_token: 'a callback token',
      capabilities: { outcomes: true },
      configuration_version_download_url: `${files}/configuration`,
      configuration_version_id: run.configurationVersionId,
      is_speculative: false,
      organization_name: 'acme',
      plan_json_api_url: `${files}/plan-json`,
      run_app_url: `https://gatehouse.example/app/acme/network/runs/${run.id}`,
      run_created_at: run.createdAt,
      run_created_by: 'olga',
      run_id: run.id,
      run_message: run.options.message,
      task_result_callback_url: `https://gatehouse.example/api/v2/task-results/${result.id}/callback`,
      task_result_enforcement_level: 'mandatory',
      task_result_id: result.id,
      vcs_branch: null,
      vcs_commit_url: null,
      vcs_pull_request_url: null,
      vcs_repo_url: null,
      workspace_app_url: 'https://gatehouse.example/app/acme/network',
      workspace_id: workspace.id,
      workspace_name: 'network',
      workspace_working_directory: 'envs',
    });
  });

  it('names the commit, and no plan where there is none', async () => {
    const commit = someIngressAttributes();
    await caller().call(aCall({ commit, hasPlan: false }));
    const payload = JSON.parse(received[0]?.body ?? '');
    expect(payload).not.toHaveProperty('plan_json_api_url');
    expect(payload).toMatchObject({ vcs_branch: commit.branch, vcs_repo_url: commit.cloneUrl });
  });

  it('is signed with the key of the task', async () => {
    await caller().call(aCall({ hmacKey: 'a key of ours' }));
    const [{ request, body } = { request: undefined, body: '' }] = received;
    const expected = createHmac('sha512', 'a key of ours').update(body).digest('hex');
    expect(request?.headers['x-tfc-task-signature']).toBe(expected);
  });

  it.each([
    [204, { delivered: true }],
    [302, notDelivered(true, 'redirects are not followed')],
    [404, notDelivered(true, 'status 404')],
    [408, notDelivered(false, 'status 408')],
    [429, notDelivered(false, 'status 429')],
    [500, notDelivered(false, 'status 500')],
  ])('that is answered with %d', async (status, expected) => {
    answer = (response) => response.writeHead(status, { Location: `http://127.0.0.1:${port}/elsewhere` }).end('no');
    expect(await caller().call(aCall())).toEqual(expected);
    expect(received).toHaveLength(1);
  });

  it('does not wait for the body of the answer', async () => {
    answer = (response) => response.writeHead(200).write('and');
    expect(await caller().call(aCall())).toEqual({ delivered: true });
  });

  it('does not wait for a server that does not answer', async () => {
    answer = () => {};
    expect(await caller({ seconds: 0.2 }).call(aCall())).toEqual(notDelivered(false, 'did not answer within'));
    const never = () => new Promise<never>(() => {});
    expect(await caller({ seconds: 0.2, lookup: never }).call(aCall())).toEqual(notDelivered(false, 'did not answer'));
  });

  it('ends when the service stops', async () => {
    const stopping = new AbortController();
    answer = () => stopping.abort();
    expect(await caller({ stopped: stopping.signal }).call(aCall())).toMatchObject({ delivered: false, final: false });
  });

  it('is tried again if no server listens, or the name has no address', async () => {
    server.close();
    expect(await caller().call(aCall())).toEqual(notDelivered(false, 'tasks.example could not be reached'));
    const nowhere = caller({ lookup: async () => [] });
    expect(await nowhere.call(aCall())).toEqual(notDelivered(false, 'does not resolve'));
    const broken = caller({ lookup: async () => Promise.reject(new Error('no name server')) });
    expect(await broken.call(aCall())).toEqual(notDelivered(false, 'does not resolve'));
  });
});

describe('the address of a run task', () => {
  const strict = (...addresses: readonly string[]) =>
    caller({ allowedHosts: [], lookup: async () => addresses.map((address) => ({ address })) });

  it.each([
    ['a name with a private address', 'https://tasks.example', ['10.0.0.1']],
    ['a name with a private address among others', 'https://tasks.example', ['93.184.216.34', '127.0.0.1']],
    ['the address of this machine', 'https://127.0.0.1', []],
    ['the address of the metadata of clouds', 'https://169.254.169.254/latest', []],
    ['an IPv6 address of this machine', 'https://[::1]/x', []],
    ['an IPv4 address inside an IPv6 address', 'https://[::ffff:7f00:1]/x', []],
  ])('cannot be %s', async (_, url, addresses) => {
    expect(await strict(...addresses).call(aCall({ url }))).toEqual(notDelivered(true, 'RUN_TASK_ALLOWED_HOSTS'));
    expect(received).toEqual([]);
  });

  it('cannot be without TLS', async () => {
    const answered = await strict('93.184.216.34').call(aCall({ url: 'http://tasks.example/' }));
    expect(answered).toEqual(notDelivered(true, 'must begin with https://'));
  });

  it('is looked up once: the connection is made to the address that was checked', async () => {
    let lookups = 0;
    const lookup = async () => {
      lookups += 1;
      return [{ address: lookups === 1 ? '127.0.0.1' : '192.0.2.1' }];
    };
    expect(await caller({ lookup }).call(aCall())).toEqual({ delivered: true });
    expect(lookups).toBe(1);
  });

  it('may be private if the operator allows the host, with its port', async () => {
    const allowed = (host: string) => caller({ allowedHosts: [host] }).call(aCall());
    expect(await allowed(`tasks.example:${port}`)).toEqual({ delivered: true });
    expect(await allowed(`tasks.example:${port + 1}`)).toMatchObject({ delivered: false, final: true });
    const url = `http://127.0.0.1:${port}/`;
    expect(await caller({ allowedHosts: ['127.0.0.1'] }).call(aCall({ url }))).toEqual({ delivered: true });
  });
});
