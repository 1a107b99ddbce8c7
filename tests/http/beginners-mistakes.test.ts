import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import supertest, { type Response, type Test } from 'supertest';
import { type Caller, doc, newName, prefix, refusal, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';

const api = await startApi();
await api.organization('acme');
const workspaceId = await api.workspace('acme', 'web');
const teamId = await api.team('acme', 'writers');
const outsiders = await (async () => {
  await api.organization('umbrella');
  return { workspaceId: await api.workspace('umbrella', 'secret'), teamId: await api.team('umbrella', 'hidden') };
})();
const version = async (): Promise<string> => (await api.version(workspaceId)).uploadUrl;

const [admin, anonymous] = [api.admin.at(prefix), api.anonymous.at(prefix)];
const workspaces = '/organizations/acme/workspaces';
const to = (type: string, id: string) => ({ data: { type, id } });
const access = (workspace: string, team: string) =>
  doc('team-workspaces', { access: 'read' }, { workspace: to('workspaces', workspace), team: to('teams', team) });
const sends = (text: string | Buffer, type = 'application/vnd.api+json'): Test =>
  supertest(api.app)
    .post(prefix + workspaces)
    .set({ Authorization: `Bearer ${admin.secret}`, 'Content-Type': type })
    .serialize((body: unknown) => body as string)
    .send(text);
const authorizes = (header: string): Test => anonymous.get('/account/details').set('Authorization', header);
/** The URL of a version whose first upload was not an archive. */
const erroredUrl = async (): Promise<string> => {
  const url = await version();
  await api.upload(url, Buffer.from('nothing')).expect(422);
  return url;
};
const expiredUrl = async (): Promise<string> => {
  const url = await version();
  api.clock.advance(25 * 3600 + 1);
  return url;
};
const zip = Buffer.from('504b03040a0000000000', 'hex');

const badUrl =
  'the upload URL has expired or was altered, or may no longer be used; create a new configuration version to get another';
const noTeam = 'Team does not exist, or you cannot see it: check its id';
const noWorkspace = 'Workspace does not exist, or you cannot see it: check its id';
const notAWorkspace =
  'this is not the id of a workspace, which begins with ws-; to find it by name, use GET /organizations/:organization_name/workspaces/:name';
const badToken = 'the token is unknown, was revoked or has expired; use another';
const badHeader = 'the Authorization header must be "Bearer TOKEN", with your token';

interface Mistake {
  readonly mistake: string;
  readonly request: () => PromiseLike<Response>;
  readonly status: number;
  readonly title: string;
  readonly pointer?: string;
  /** May be a matcher. */
  readonly sentence: unknown;
}

const unauthorized = { status: 401, title: 'unauthorized' };
const badRequest = { status: 400, title: 'bad request' };
const notFound = { status: 404, title: 'not found' };
const invalid = { status: 422, title: 'invalid attribute' };
const badArchive = { status: 422, title: 'invalid archive' };

/** The mistakes of the first hour, and the responses to them. */
const mistakes: readonly Mistake[] = [
  {
    mistake: 'no token',
    request: () => anonymous.get('/account/details'),
    ...unauthorized,
    sentence: 'no token was sent; send the header "Authorization: Bearer TOKEN"',
  },
  {
    mistake: 'another scheme',
    request: () => authorizes('Basic YWRtaW46c2VjcmV0'),
    ...unauthorized,
    sentence: badHeader,
  },
  { mistake: 'a token alone', request: () => authorizes('abc.def'), ...unauthorized, sentence: badHeader },
  { mistake: 'an empty token', request: () => authorizes('Bearer '), ...unauthorized, sentence: badHeader },
  { mistake: 'an unknown token', request: () => authorizes('Bearer abc'), ...unauthorized, sentence: badToken },
  {
    mistake: 'the token of a person as that of an agent',
    request: () => admin.at('').post('/agent/v1/claims', {}),
    ...unauthorized,
    sentence: 'the token is unknown or was revoked, or is not that of an agent pool',
  },
  {
    mistake: 'a form, as curl -d sends it',
    request: () => sends('{}', 'application/x-www-form-urlencoded'),
    status: 415,
    title: 'unsupported media type',
    sentence: 'the body must be JSON with the header "Content-Type: application/vnd.api+json"',
  },
  {
    mistake: 'a comma at the end',
    request: () => sends('{\n  "data": {\n    "type": "workspaces",\n  }\n}'),
    ...badRequest,
    sentence: 'the body is not valid JSON: unexpected character at line 4, column 3',
  },
  {
    mistake: 'single quotes, behind letters of several bytes',
    request: () => sends(`{"ä😀": "ü", 'data': {}}`),
    ...badRequest,
    sentence: 'the body is not valid JSON: unexpected character at line 1, column 14',
  },
  {
    mistake: 'a missing bracket',
    request: () => sends('{"data": {}'),
    ...badRequest,
    sentence: 'the body is not valid JSON: it ends before it is complete',
  },
  {
    mistake: 'another encoding',
    request: () => sends(Buffer.from('{"data": "\u00e4"}', 'latin1')),
    ...badRequest,
    sentence: 'the body is not valid JSON: it is not UTF-8',
  },
  {
    mistake: 'a NUL in a text',
    request: () => admin.post(workspaces, doc('workspaces', { name: 'a\0b' })),
    ...badRequest,
    pointer: '/data/attributes/name',
    sentence: 'text must not contain a NUL character (\\u0000)',
  },
  {
    mistake: 'attributes without data',
    request: () => admin.post(workspaces, { name: 'web' }),
    ...invalid,
    pointer: '/data',
    sentence: 'Data is required',
  },
  {
    mistake: 'a missing name',
    request: () => admin.post(workspaces, doc('workspaces')),
    ...invalid,
    pointer: '/data/attributes/name',
    sentence: 'Name is required',
  },
  {
    mistake: 'a mistyped attribute',
    request: () => admin.post(workspaces, doc('workspaces', { name: newName(), auto_apply: true })),
    ...invalid,
    pointer: '/data/attributes/auto_apply',
    sentence: 'auto_apply is not an attribute: use auto-apply',
  },
  {
    mistake: 'a name in a path that takes an id',
    request: () => admin.get('/workspaces/web/runs'),
    ...notFound,
    sentence: notAWorkspace,
  },
  {
    mistake: 'a name in a body that takes an id',
    request: () => admin.post('/team-workspaces', access('web', teamId)),
    ...invalid,
    pointer: '/data/relationships/workspace/data/id',
    sentence: notAWorkspace,
  },
  ...['team-1234567890abcdef', outsiders.teamId].map((id) => ({
    mistake: `an unknown team in a body: ${id}`,
    request: () => admin.post('/team-workspaces', access(workspaceId, id)),
    ...notFound,
    pointer: '/data/relationships/team',
    sentence: noTeam,
  })),
  {
    mistake: 'an unknown workspace in a body',
    request: () => admin.post('/runs', doc('runs', {}, { workspace: to('workspaces', 'ws-1234567890abcdef') })),
    ...notFound,
    pointer: '/data/relationships/workspace',
    sentence: noWorkspace,
  },
  {
    mistake: 'an altered upload URL',
    request: async () => api.upload(`${await version()}x`, await archiveOf({ 'main.tf': '' })),
    ...notFound,
    sentence: badUrl,
  },
  {
    mistake: 'an expired upload URL',
    request: async () => api.upload(await expiredUrl(), await archiveOf({ 'main.tf': '' })),
    ...notFound,
    sentence: badUrl,
  },
  {
    mistake: 'a zip',
    request: async () => api.upload(await version(), zip),
    ...badArchive,
    sentence:
      'the archive is a zip file: pack the files as .tar.gz, as tar -czf does; upload a correct archive to a new configuration version',
  },
  {
    mistake: 'an upload without a file',
    request: async () => api.upload(await version(), Buffer.alloc(0)),
    ...badArchive,
    sentence:
      'the archive is empty: send a .tar.gz file as the body of the request; upload a correct archive to a new configuration version',
  },
  {
    mistake: 'a gzip file that is not a tar',
    request: async () => api.upload(await version(), gzipSync('resource {}')),
    ...badArchive,
    sentence: expect.stringContaining('; upload a correct archive to a new configuration version'),
  },
  {
    mistake: 'a second upload, to a version that is errored',
    request: async () => api.upload(await erroredUrl(), await archiveOf({ 'main.tf': '' })),
    status: 409,
    title: 'transition not allowed',
    sentence:
      'configuration could not be uploaded because its status is errored; upload to a new configuration version',
  },
];

describe("a beginner's mistake is answered with what to do", () => {
  it.each(mistakes)('$mistake', async ({ request, status, title, pointer, sentence }) => {
    const { body } = await request();
    expect(body).toEqual(refusal(status, title, sentence, pointer === undefined ? undefined : { pointer }));
  });
});

describe('a hidden resource in a body', () => {
  it('has the same response as a missing one', async () => {
    const member = await api.holderOf('acme');
    const texts = async (caller: Caller, path: string, bodies: readonly object[]) =>
      Promise.all(bodies.map(async (body) => (await caller.post(path, body).expect(404)).text));
    const run = (id: string) => doc('runs', {}, { workspace: to('workspaces', id) });
    for (const [path, bodies] of [
      ['/team-workspaces', [access(workspaceId, outsiders.teamId), access('ws-1234567890abcdef', outsiders.teamId)]],
      ['/team-workspaces', [access(outsiders.workspaceId, teamId), access('ws-1234567890abcdef', teamId)]],
      ['/runs', [run(workspaceId), run('ws-1234567890abcdef')]],
    ] as const) {
      const [hidden, missing] = await texts(member, path, bodies);
      expect(hidden).toBe(missing);
    }
  });
});
