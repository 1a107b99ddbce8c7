import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GuardedCalls } from '../../src/adapters/calls/guarded-calls.js';
import { HttpNotifier } from '../../src/adapters/calls/http-notifier.js';
import type { Notification } from '../../src/application/index.js';
import { notificationLimits } from '../../src/domain/index.js';
import { aConfigurationVersion, anOrganization, aRun, aWorkspace, noon } from '../support/builders.js';

let server: Server;
let port: number;
let received: { readonly request: IncomingMessage; readonly body: string }[];
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

const workspace = aWorkspace(anOrganization({ name: 'acme' }), { name: 'network' });
const { state } = aRun(workspace, aConfigurationVersion(workspace).state);
const run = { ...state, options: { ...state.options, message: 'See [this](https://evil.example) <!channel> & go' } };
const news = {
  event: { runId: run.id, trigger: 'run:errored', status: 'canceled', at: noon },
  run,
  workspace,
  createdBy: 'olga',
  updatedBy: 'max',
} as const;
const page = `https://gatehouse.example/app/acme/network/runs/${run.id}`;

const deliver = async (given: Partial<Notification> = {}) => {
  const notifier = new HttpNotifier(
    new GuardedCalls({
      isAllowedHost: ({ hostname }) => hostname === 'hooks.example',
      allowedBy: 'NOTIFICATION_ALLOWED_HOSTS',
      isPublicAddress: () => false,
      bodySeconds: 0.2,
      lookup: async () => [{ address: '127.0.0.1' }],
    }),
    'https://gatehouse.example',
  );
  const url = `http://hooks.example:${port}/1`;
  const configuration = { id: 'nc-1', name: 'Our channel' };
  return notifier.deliver({ url, destinationType: 'generic', token: null, configuration, news, ...given });
};

const sent = () => JSON.parse(received[0]?.body ?? '');

describe('a notification', () => {
  it('says what clients of this API family say', async () => {
    await deliver();
    expect(received[0]?.request.headers['x-tfe-notification-signature']).toBeUndefined();
    expect(sent()).toEqual({
      payload_version: 1,
      notification_configuration_id: 'nc-1',
      run_url: page,
      run_id: run.id,
      run_message: run.options.message,
      run_created_at: run.createdAt,
      run_created_by: 'olga',
      workspace_id: workspace.id,
      workspace_name: 'network',
      organization_name: 'acme',
      notifications: [
        {
          message: 'Run Canceled',
          trigger: 'run:errored',
          run_status: 'canceled',
          run_updated_at: noon,
          run_updated_by: 'max',
        },
      ],
    });
  });

  it('is signed with the token', async () => {
    await deliver({ token: 'a token of ours' });
    const [{ request, body } = { request: undefined, body: '' }] = received;
    const expected = createHmac('sha512', 'a token of ours').update(body).digest('hex');
    expect(request?.headers['x-tfe-notification-signature']).toBe(expected);
  });

  it('names what a run was created for, and not how far it is', async () => {
    const event = { ...news.event, trigger: 'run:created', status: 'planned_and_finished' } as const;
    await deliver({ news: { ...news, event } });
    expect(sent().notifications[0].message).toBe('Run Created');
  });

  it('to Slack has no mentions, and hides no link', async () => {
    await deliver({ destinationType: 'slack' });
    const lines = [
      `*<${page}|Run Canceled>*`,
      '*Workspace*: acme/network',
      '*Message*: See [this](https://evil.example) &lt;!channel&gt; &amp; go',
      '*Created by*: olga',
      '*Status*: canceled',
    ];
    expect(sent()).toEqual({ text: lines.join('\n') });
  });

  it('to Microsoft Teams is a card, and hides no link', async () => {
    await deliver({ destinationType: 'microsoft-teams', news: { ...news, createdBy: null } });
    const [{ contentType, content }] = sent().attachments;
    expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(content.body[0].text).toBe('Run Canceled');
    expect(content.body[1].facts).toEqual([
      { title: 'Workspace', value: 'acme/network' },
      { title: 'Message', value: 'See (this)(https://evil.example) <!channel> & go' },
      { title: 'Status', value: 'canceled' },
    ]);
    expect(content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open the run', url: page }]);
  });

  it.each(['slack', 'microsoft-teams'] as const)('that verifies %s has no run', async (destinationType) => {
    await deliver({ destinationType, news: null });
    expect(received[0]?.body).toContain('Verification of Our channel');
    expect(received[0]?.body).not.toContain('/runs/');
  });
});

describe('the answer of a receiver', () => {
  it('is kept in part', async () => {
    answer = (response) => {
      response.writeHead(202).end(`\0é${'x'.repeat(100_000)}`);
    };
    const { delivered, answer: read } = await deliver();
    expect(delivered).toBe(true);
    expect(read?.status).toBe(202);
    expect(read?.body).toBe(`é${'x'.repeat(notificationLimits.body - 1)}`);
  });

  it('is good without the end of its body', async () => {
    answer = (response) => response.writeHead(200).write('and');
    expect(await deliver()).toMatchObject({ delivered: true, answer: { status: 200, body: 'and' } });
  });

  it.each([
    [302, true, 'redirects are not followed'],
    [410, true, 'status 410'],
    [429, false, 'status 429'],
    [503, false, 'status 503'],
  ])('may be %d', async (status, final, reason) => {
    answer = (response) => response.writeHead(status, { Location: `http://127.0.0.1:${port}/elsewhere` }).end('no');
    expect(await deliver()).toMatchObject({
      delivered: false,
      final,
      reason: expect.stringContaining(reason),
      answer: { status, body: 'no' },
    });
    expect(received).toHaveLength(1);
  });

  it('may be none, of which the reason has no more of the URL than the host', async () => {
    expect(await deliver({ url: 'https://other.example/secret?of=ours' })).toEqual({
      delivered: false,
      final: true,
      reason: 'other.example has a private address; add it to NOTIFICATION_ALLOWED_HOSTS to allow it',
      answer: null,
    });
  });
});
