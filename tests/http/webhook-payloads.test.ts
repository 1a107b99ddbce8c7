import { describe, expect, it } from '@jest/globals';
import { RequestError } from '../../src/adapters/http/routing/request-error.js';
import { readDelivery } from '../../src/adapters/http/supporting/version-control/webhook-payloads.js';
import { fc, runs } from '../support/properties.js';
import {
  but,
  bytesOf,
  giteaHeaders,
  giteaPullRequest,
  giteaPush,
  githubHeaders,
  githubPullRequest,
  githubPush,
  githubUrls,
  gitlabHeaders,
  gitlabMergeRequest,
  gitlabProject,
  gitlabPush,
  type Headers,
  hmacBy,
  longSha,
  type Payload,
  type Signer,
  sha,
  signersBy,
  standardBy,
  tip,
  zeros,
} from '../support/webhook-deliveries.js';

const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString('base64')}`;
const now = new Date('2030-01-31T09:00:00Z');

const { hub, bare, gitea, gitlab } = signersBy(secret);
const hmac = (body: Uint8Array, algorithm = 'sha256', by = secret): string => hmacBy(by, body, algorithm);
const seconds = (later = 0): string => String(now.getTime() / 1000 + later);
const standard = (timestamp = seconds(), by: Uint8Array = key): Signer => standardBy(by, timestamp);

const read = (headers: Headers, body: Uint8Array, by = secret) => {
  const lowered = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return readDelivery((name) => lowered.get(name.toLowerCase()), body, by, now);
};

/** One delivery, signed as its forge would. */
const deliver = (sign: Signer, event: Headers, payload: unknown) => {
  const body = bytesOf(payload);
  return read({ ...event, ...sign(body) }, body);
};

const refusalOf = (act: () => unknown): RequestError => {
  try {
    act();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

const pointersOf = (act: () => unknown): readonly unknown[] => {
  const refusal = refusalOf(act);
  expect(refusal.status).toBe(422);
  return refusal.faults.map((fault) => fault.pointer);
};

const github = (event: string, payload: unknown) => deliver(hub, githubHeaders(event), payload);
const fromGitlab = (event: string, payload: unknown) => deliver(gitlab, gitlabHeaders(event), payload);

const plain = {
  isPullRequest: false,
  pullRequestNumber: null,
  pullRequestUrl: null,
  pullRequestTitle: null,
  pullRequestBody: null,
  tag: null,
};

describe('the files of a push', () => {
  const commit = (id: string, added: readonly string[], removed: readonly string[] = []) => ({
    id,
    message: 'A change',
    url: null,
    added,
    modified: ['both.tf'],
    removed,
  });
  const earlier = commit('c0'.repeat(20), ['a.tf']);
  const last = commit(sha, ['b.tf'], ['c.tf']);
  const push = { ...githubPush, created: false, forced: false, commits: [earlier, last] };
  const filesOf = (payload: object) => {
    const { event } = github('push', payload) ?? {};
    return event?.kind === 'push' ? event.changedFiles : undefined;
  };

  it('are those of all its commits', () => {
    const files = ['a.tf', 'both.tf', 'b.tf', 'c.tf'];
    expect(filesOf(push)).toEqual(files);
    expect(filesOf({ ...push, total_commits: 2 })).toEqual(files);
    const { event } = fromGitlab('Push Hook', { ...gitlabPush, before: 'd1'.repeat(20), commits: [last] }) ?? {};
    expect(event).toMatchObject({ changedFiles: ['b.tf', 'both.tf', 'c.tf'] });
  });

  it.each([
    ['has no commits', { commits: [] }],
    ['does not list its last commit', { commits: [earlier] }],
    ['leaves out commits', { total_commits: 3 }],
    ['lists the 20 commits that a forge lists at most', { commits: [...Array(19).fill(earlier), last] }],
    ['has a commit without files', { commits: [earlier, { ...last, removed: undefined }] }],
    ['makes the branch', { created: true }],
    ['replaces commits', { forced: true }],
  ])('are unknown where the delivery %s', (_, given) => {
    expect(filesOf({ ...push, ...given })).toBeNull();
  });

  it('are unknown where GitLab reports a new branch, or counts more commits', () => {
    for (const given of [{ before: '0'.repeat(40) }, { before: 'd1'.repeat(20), total_commits_count: 2 }]) {
      const { event } = fromGitlab('Push Hook', { ...gitlabPush, commits: [last], ...given }) ?? {};
      expect(event).toMatchObject({ changedFiles: null });
    }
  });
});

describe('a push', () => {
  it('of GitHub is read', () => {
    expect(github('push', githubPush)).toEqual({
      id: 'delivery-1',
      event: {
        kind: 'push',
        forge: 'github',
        repositoryUrls: githubUrls,
        defaultBranch: 'main',
        ref: 'refs/heads/feature/second-port',
        changedFiles: null,
        commit: {
          ...plain,
          branch: 'feature/second-port',
          commitSha: sha,
          commitMessage: 'Open the second port',
          commitUrl: tip.url,
          compareUrl: 'https://github.example/harbour/network/compare/feature',
          identifier: 'harbour/network',
          senderUsername: 'ines',
          senderAvatarUrl: 'https://avatars.example/12',
          senderHtmlUrl: 'https://github.example/ines',
        },
      },
    });
  });

  it('of Gitea is read, with SHA-256 commits and no head commit', () => {
    expect(deliver(gitea, giteaHeaders('push'), giteaPush)).toEqual({
      id: 'delivery-2',
      event: {
        kind: 'push',
        forge: 'github',
        repositoryUrls: [
          'https://gitea.example/harbour/dns.git',
          'https://gitea.example/harbour/dns',
          'ssh://git@gitea.example:2222/harbour/dns.git',
        ],
        defaultBranch: 'trunk',
        ref: 'refs/heads/trunk',
        changedFiles: null,
        commit: {
          ...plain,
          branch: 'trunk',
          commitSha: longSha,
          commitMessage: 'Add a zone\n',
          commitUrl: 'https://gitea.example/harbour/dns/commit/b0',
          compareUrl: 'https://gitea.example/harbour/dns/compare/a...b',
          identifier: 'harbour/dns',
          senderUsername: 'jun',
          senderAvatarUrl: 'https://gitea.example/avatars/3',
          senderHtmlUrl: null,
        },
      },
    });
  });

  it('of GitLab is read', () => {
    expect(fromGitlab('Push Hook', gitlabPush)).toEqual({
      id: 'delivery-3',
      event: {
        kind: 'push',
        forge: 'gitlab',
        repositoryUrls: [
          'https://gitlab.example/harbour/safety/vault.git',
          'https://gitlab.example/harbour/safety/vault',
          'git@gitlab.example:harbour/safety/vault.git',
        ],
        defaultBranch: 'main',
        ref: 'refs/heads/main',
        changedFiles: null,
        commit: {
          ...plain,
          branch: 'main',
          commitSha: sha,
          commitMessage: 'Rotate keys',
          commitUrl: `https://gitlab.example/harbour/safety/vault/-/commit/${sha}`,
          compareUrl: null,
          identifier: 'harbour/safety/vault',
          senderUsername: 'kofi',
          senderAvatarUrl: 'https://gitlab.example/kofi.png',
          senderHtmlUrl: null,
        },
      },
    });
  });

  it('is known by the names that Forgejo and Gogs give events', () => {
    for (const name of ['Forgejo', 'Gogs']) {
      const delivery = deliver(
        bare(`X-${name}-Signature`),
        { [`X-${name}-Event`]: 'push', [`X-${name}-Delivery`]: name },
        giteaPush,
      );
      expect(delivery).toMatchObject({ id: name, event: { kind: 'push', commit: { commitSha: longSha } } });
    }
  });

  it('of a system hook is known by its kind', () => {
    expect(fromGitlab('System Hook', gitlabPush)?.event?.kind).toBe('push');
    expect(fromGitlab('System Hook', gitlabMergeRequest)?.event?.kind).toBe('pull-request');
  });

  it('needs no more than says where the commit is', () => {
    const { ref, after } = githubPush;
    const repository = { full_name: 'harbour/network', clone_url: 'https://github.example/harbour/network.git' };
    expect(github('push', { ref, after, repository })?.event).toMatchObject({
      defaultBranch: null,
      repositoryUrls: ['https://github.example/harbour/network.git'],
      commit: { commitMessage: null, commitUrl: null, compareUrl: null, senderUsername: null, senderHtmlUrl: null },
    });
    const { path_with_namespace, git_http_url } = gitlabProject;
    expect(
      fromGitlab('Push Hook', { ref, after, project: { path_with_namespace, git_http_url } })?.event,
    ).toMatchObject({
      defaultBranch: null,
      repositoryUrls: [git_http_url],
      commit: { commitMessage: null, senderUsername: null },
    });
  });

  it.each([
    ['compare', 'javascript:alert(1)', 'compareUrl'],
    ['compare', 7, 'compareUrl'],
    ['sender', 'ines', 'senderUsername'],
    ['sender.login', '', 'senderUsername'],
    ['sender.avatar_url', '/avatars/12', 'senderAvatarUrl'],
    ['sender.html_url', 'https://', 'senderHtmlUrl'],
  ])('takes an unfit %s (%j) as not said', (path, value, member) => {
    expect(github('push', but(githubPush, path, value))?.event?.commit).toHaveProperty(member, null);
  });

  it('takes addresses of up to 2048 characters, and longer ones as not said', () => {
    const long = (length: number) => 'https://github.example/'.padEnd(length, 'a');
    const members = [
      ['head_commit.url', 'commitUrl'],
      ['compare', 'compareUrl'],
      ['sender.avatar_url', 'senderAvatarUrl'],
      ['sender.html_url', 'senderHtmlUrl'],
    ] as const;
    for (const [path, member] of members) {
      const of = (url: string) => github('push', but(githubPush, path, url))?.event?.commit[member];
      expect(of(long(2048))).toBe(long(2048));
      expect(of(long(2049))).toBeNull();
    }
    for (const name of ['clone_url', 'html_url', 'ssh_url', 'git_url']) {
      const of = (url: string) => github('push', but(githubPush, `repository.${name}`, url))?.event?.repositoryUrls;
      expect(of(long(2048))).toContain(long(2048));
      if (name !== 'clone_url') expect(of(long(2049))).toHaveLength(githubUrls.length - 1);
    }
    for (const name of ['web_url', 'git_ssh_url']) {
      const event = fromGitlab('Push Hook', but(gitlabPush, `project.${name}`, long(2049)))?.event;
      expect(event?.repositoryUrls).not.toContain(long(2049));
    }
  });

  it('keeps so much of the texts, and never half a character', () => {
    const ofPush = (path: string, text: string) => github('push', but(githubPush, path, text))?.event?.commit;
    const ofRequest = (path: string, text: string) =>
      github('pull_request', but(githubPullRequest, path, text))?.event?.commit;
    const ofMerge = (path: string, text: string) =>
      fromGitlab('Merge Request Hook', but(gitlabMergeRequest, path, text))?.event?.commit;
    const kept = [
      [65536, (text: string) => ofPush('head_commit.message', text)?.commitMessage],
      [65536, (text: string) => ofRequest('pull_request.body', text)?.pullRequestBody],
      [65536, (text: string) => ofMerge('object_attributes.description', text)?.pullRequestBody],
      [65536, (text: string) => ofMerge('object_attributes.last_commit.message', text)?.commitMessage],
      [1024, (text: string) => ofRequest('pull_request.title', text)?.pullRequestTitle],
      [1024, (text: string) => ofMerge('object_attributes.title', text)?.pullRequestTitle],
      [1024, (text: string) => ofPush('sender.login', text)?.senderUsername],
      [1024, (text: string) => ofMerge('user.username', text)?.senderUsername],
    ] as const;
    for (const [max, of] of kept) {
      expect(of('x'.repeat(max))).toBe('x'.repeat(max));
      expect(of('x'.repeat(max + 1))).toBe('x'.repeat(max));
      expect(of(`${'x'.repeat(max - 1)}😀`)).toBe('x'.repeat(max - 1));
      expect(of(`${'x'.repeat(max - 2)}😀y`)).toBe(`${'x'.repeat(max - 2)}😀`);
    }
  });

  it('takes the message from the commit that became the tip, and no other', () => {
    const others = but(but(githubPush, 'head_commit', { ...tip, id: longSha }), 'commits', [null, 3, { id: longSha }]);
    expect(github('push', others)?.event?.commit).toMatchObject({ commitMessage: null, commitUrl: null });
  });

  it('has no default branch when its name is unfit', () => {
    expect(github('push', but(githubPush, 'repository.default_branch', '--upload-pack=x'))?.event?.defaultBranch).toBe(
      null,
    );
  });
});

describe('a pull request', () => {
  it('of GitHub is read', () => {
    expect(github('pull_request', githubPullRequest)).toEqual({
      id: 'delivery-1',
      event: {
        kind: 'pull-request',
        forge: 'github',
        repositoryUrls: githubUrls,
        defaultBranch: 'main',
        ref: 'refs/pull/31/head',
        number: 31,
        baseBranch: 'main',
        fromFork: false,
        commit: {
          branch: 'second-port',
          commitSha: sha,
          commitMessage: null,
          commitUrl: null,
          compareUrl: null,
          identifier: 'harbour/network',
          isPullRequest: true,
          pullRequestNumber: 31,
          pullRequestUrl: 'https://github.example/harbour/network/pull/31',
          pullRequestTitle: 'Second port',
          pullRequestBody: 'Because the first is full.',
          tag: null,
          senderUsername: 'ines',
          senderAvatarUrl: 'https://avatars.example/12',
          senderHtmlUrl: 'https://github.example/ines',
        },
      },
    });
  });

  it('of Gitea is read', () => {
    expect(deliver(gitea, giteaHeaders('pull_request'), giteaPullRequest)).toMatchObject({
      event: {
        kind: 'pull-request',
        forge: 'github',
        ref: 'refs/pull/4/head',
        number: 4,
        baseBranch: 'trunk',
        fromFork: false,
        commit: { branch: 'zone', commitSha: longSha, pullRequestBody: null, identifier: 'harbour/dns' },
      },
    });
  });

  it('of GitLab is read', () => {
    expect(fromGitlab('Merge Request Hook', gitlabMergeRequest)).toMatchObject({
      event: {
        kind: 'pull-request',
        forge: 'gitlab',
        ref: 'refs/merge-requests/8/head',
        number: 8,
        baseBranch: 'main',
        fromFork: false,
        commit: {
          branch: 'keys',
          commitSha: sha,
          commitMessage: 'Rotate keys',
          commitUrl: 'https://gitlab.example/c/1',
          identifier: 'harbour/safety/vault',
          pullRequestNumber: 8,
          pullRequestUrl: 'https://gitlab.example/harbour/safety/vault/-/merge_requests/8',
          pullRequestTitle: 'Keys',
          pullRequestBody: null,
          senderUsername: 'kofi',
          senderAvatarUrl: null,
        },
      },
    });
  });

  it.each(['opened', 'reopened', 'synchronize', 'synchronized'])('is looked at when %s', (action) => {
    expect(github('pull_request', but(githubPullRequest, 'action', action))?.event?.kind).toBe('pull-request');
  });

  it('of GitLab is looked at when opened, reopened, or when commits came', () => {
    const change = (action: string, oldrev?: string) =>
      but(but(gitlabMergeRequest, 'object_attributes.action', action), 'object_attributes.oldrev', oldrev);
    for (const payload of [change('open'), change('reopen'), change('update', 'a4'.repeat(20))]) {
      expect(fromGitlab('Merge Request Hook', payload)?.event?.kind).toBe('pull-request');
    }
  });

  it.each<[string, Payload]>([
    ['another repository', but(githubPullRequest, 'pull_request.head.repo.id', 502)],
    ['a repository that is gone', but(githubPullRequest, 'pull_request.head.repo', null)],
    ['an unnamed repository', but(githubPullRequest, 'pull_request.head.repo')],
    ['a repository without an id', but(githubPullRequest, 'pull_request.head.repo', {})],
    ['neither with an id', but(but(githubPullRequest, 'pull_request.head.repo.id', null), 'repository.id', null)],
    ['a ref readers may push to', but(githubPullRequest, 'pull_request.head.ref', 'refs/pull/31/head')],
  ])('counts as from a fork with its head in %s', (_case, payload) => {
    expect(github('pull_request', payload)?.event).toMatchObject({ fromFork: true, ref: 'refs/pull/31/head' });
  });

  it.each<[string, Payload]>([
    ['another project', but(gitlabMergeRequest, 'object_attributes.source_project_id', 78)],
    ['a project that is gone', but(gitlabMergeRequest, 'object_attributes.source_project_id', null)],
    [
      'no project either side',
      but(
        but(gitlabMergeRequest, 'object_attributes.source_project_id', null),
        'object_attributes.target_project_id',
        null,
      ),
    ],
  ])('of GitLab counts as from a fork with its source in %s', (_case, payload) => {
    expect(fromGitlab('Merge Request Hook', payload)?.event).toMatchObject({ fromFork: true });
  });
});

describe('a delivery with nothing to do', () => {
  it.each<[string, string, unknown]>([
    ['a ping', 'ping', { zen: 'Calm.', hook_id: 1 }],
    ['a comment', 'issue_comment', { action: 'created' }],
    ['a review', 'pull_request_review', { action: 'submitted' }],
    ['a new tag', 'create', { ref: 'v1', ref_type: 'tag' }],
    ['an unknown event', 'constructor', []],
    ['a tag', 'push', but(githubPush, 'ref', 'refs/tags/v1')],
    ['a note', 'push', but(githubPush, 'ref', 'refs/notes/commits')],
    ['a branch said to be deleted', 'push', but(githubPush, 'deleted', true)],
    ['a deleted branch', 'push', but(githubPush, 'after', zeros)],
    ['a deleted branch of SHA-256', 'push', but(githubPush, 'after', '0'.repeat(64))],
    ['a closed pull request', 'pull_request', but(githubPullRequest, 'action', 'closed')],
    ['an edited pull request', 'pull_request', but(githubPullRequest, 'action', 'edited')],
    ['a label', 'pull_request', { action: 'labeled' }],
  ])('is %s of GitHub', (_case, event, payload) => {
    expect(github(event, payload)).toEqual({ id: 'delivery-1', event: null });
  });

  it.each<[string, string, unknown]>([
    ['a tag', 'Tag Push Hook', { ...gitlabPush, object_kind: 'tag_push', ref: 'refs/tags/v1' }],
    ['a deleted branch', 'Push Hook', { ...gitlabPush, after: zeros, checkout_sha: null }],
    ['a comment', 'Note Hook', { object_kind: 'note' }],
    ['a pipeline', 'Pipeline Hook', []],
    ['a merge', 'Merge Request Hook', but(gitlabMergeRequest, 'object_attributes.action', 'merge')],
    ['a closing', 'Merge Request Hook', but(gitlabMergeRequest, 'object_attributes.action', 'close')],
    ['an edit', 'Merge Request Hook', but(gitlabMergeRequest, 'object_attributes.action', 'update')],
    [
      'an edit with an empty revision',
      'Merge Request Hook',
      { ...gitlabMergeRequest, object_attributes: { action: 'update', oldrev: '' } },
    ],
    ['a test', 'Merge Request Hook', but(gitlabMergeRequest, 'object_attributes.action')],
  ])('is %s of GitLab', (_case, event, payload) => {
    expect(fromGitlab(event, payload)).toEqual({ id: 'delivery-3', event: null });
  });

  it('is one that names no event', () => {
    expect(deliver(hub, {}, githubPush)).toEqual({ id: null, event: null });
  });
});

describe('the id of a delivery', () => {
  it('is the signed one where GitLab sends both', () => {
    expect(deliver(standard(), gitlabHeaders('Push Hook'), gitlabPush)?.id).toBe('message-1');
  });

  it.each(['', 'x'.repeat(256)])('is none when it is unfit for one', (id) => {
    expect(deliver(hub, { 'X-GitHub-Delivery': id }, {})?.id).toBeNull();
  });

  it('may be as long as one is kept', () => {
    const id = 'x'.repeat(255);
    expect(deliver(hub, { 'X-GitHub-Delivery': id }, {})?.id).toBe(id);
  });
});

describe('a well-signed delivery that is malformed', () => {
  it.each<[string, Uint8Array]>([
    ['nothing', Buffer.alloc(0)],
    ['no JSON', Buffer.from('{"ref":')],
    ['a form', Buffer.from(`payload=${encodeURIComponent(JSON.stringify(githubPush))}`)],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['text with a NUL', bytesOf({ title: 'a\0b' })],
    ['nested without end', Buffer.from('['.repeat(300_000))],
    ['nested too deep', Buffer.from('['.repeat(300_000) + ']'.repeat(300_000))],
  ])('is refused with a 400 when its body is %s', (_case, body) => {
    for (const event of ['push', 'ping']) {
      expect(refusalOf(() => read({ ...githubHeaders(event), ...hub(body) }, body)).status).toBe(400);
    }
  });

  it.each([[null], ['text'], [7], [[]]])('is refused with a 422 when its body is %j', (payload) => {
    expect(refusalOf(() => github('push', payload)).status).toBe(422);
    expect(refusalOf(() => github('pull_request', payload)).status).toBe(422);
    expect(refusalOf(() => fromGitlab('Push Hook', payload)).status).toBe(422);
    expect(refusalOf(() => fromGitlab('Merge Request Hook', payload)).status).toBe(422);
  });

  const required: readonly [string, (payload: unknown) => unknown, Payload, readonly string[]][] = [
    [
      'push of GitHub',
      (payload) => github('push', payload),
      githubPush,
      ['ref', 'after', 'repository', 'repository.full_name', 'repository.clone_url'],
    ],
    [
      'pull request of GitHub',
      (payload) => github('pull_request', payload),
      githubPullRequest,
      [
        'action',
        'number',
        'pull_request',
        'pull_request.html_url',
        'pull_request.title',
        'pull_request.head',
        'pull_request.head.ref',
        'pull_request.head.sha',
        'pull_request.base',
        'pull_request.base.ref',
        'repository',
        'repository.full_name',
        'repository.clone_url',
      ],
    ],
    [
      'push of GitLab',
      (payload) => fromGitlab('Push Hook', payload),
      gitlabPush,
      ['ref', 'after', 'project', 'project.path_with_namespace', 'project.git_http_url'],
    ],
    [
      'merge request of GitLab',
      (payload) => fromGitlab('Merge Request Hook', payload),
      gitlabMergeRequest,
      [
        'object_attributes',
        'object_attributes.iid',
        'object_attributes.url',
        'object_attributes.title',
        'object_attributes.source_branch',
        'object_attributes.target_branch',
        'object_attributes.last_commit',
        'object_attributes.last_commit.id',
        'project',
        'project.path_with_namespace',
        'project.git_http_url',
      ],
    ],
  ];
  const cases = required.flatMap(([what, send, payload, paths]) =>
    paths.map((path) => [what, path, send, payload] as const),
  );

  it.each(cases)('is refused, for a %s, where %s is missing, null or invalid', (_what, path, send, payload) => {
    const pointer = `/${path.replaceAll('.', '/')}`;
    expect(pointersOf(() => send(but(payload, path)))).toEqual([pointer]);
    expect(pointersOf(() => send(but(payload, path, null)))).toEqual([pointer]);
    expect(pointersOf(() => send(but(payload, path, false)))).toEqual([pointer]);
  });

  it('is refused where required addresses and identifiers are too long', () => {
    const long = 'https://github.example/'.padEnd(2049, 'a');
    const url = (path: string, payload: Payload) => but(payload, path, long);
    const github422 = (event: string, payload: Payload) => pointersOf(() => github(event, payload));
    expect(github422('push', url('repository.clone_url', githubPush))).toEqual(['/repository/clone_url']);
    expect(github422('push', but(githubPush, 'repository.full_name', `a/${'b'.repeat(1023)}`))).toEqual([
      '/repository/full_name',
    ]);
    expect(github422('pull_request', url('pull_request.html_url', githubPullRequest))).toEqual([
      '/pull_request/html_url',
    ]);
    expect(pointersOf(() => fromGitlab('Push Hook', url('project.git_http_url', gitlabPush)))).toEqual([
      '/project/git_http_url',
    ]);
  });

  it('is refused with all faults at once', () => {
    expect(pointersOf(() => github('push', { repository: { full_name: 'alone' } }))).toEqual([
      '/ref',
      '/after',
      '/repository/full_name',
      '/repository/clone_url',
    ]);
  });

  it.each([
    '',
    '-upload-pack',
    'a..b',
    'a b',
    'a\nb',
    'a\u007fb',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{1}',
    '@',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a.',
    '\ud800',
    'a'.repeat(1025),
  ])('is refused for the branch %j', (name) => {
    expect(pointersOf(() => github('push', but(githubPush, 'ref', `refs/heads/${name}`)))).toEqual(['/ref']);
    expect(pointersOf(() => github('pull_request', but(githubPullRequest, 'pull_request.base.ref', name)))).toEqual([
      '/pull_request/base/ref',
    ]);
    expect(
      pointersOf(() =>
        fromGitlab('Merge Request Hook', but(gitlabMergeRequest, 'object_attributes.source_branch', name)),
      ),
    ).toEqual(['/object_attributes/source_branch']);
  });

  it.each(['main', 'Köln/größe', 'a-b', 'dependabot/npm/@types/node-1.2.3', 'a.locked', 'x#1', 'a'.repeat(1024)])(
    'is not what the branch %j makes it',
    (name) => {
      expect(github('push', but(githubPush, 'ref', `refs/heads/${name}`))?.event?.commit.branch).toBe(name);
    },
  );

  it.each(['', 'main', 'a'.repeat(39), 'a'.repeat(41), 'g'.repeat(40), `${sha}\n`])(
    'is refused for the commit %j',
    (commit) => {
      expect(pointersOf(() => github('push', but(githubPush, 'after', commit)))).toEqual(['/after']);
      expect(pointersOf(() => github('pull_request', but(githubPullRequest, 'pull_request.head.sha', commit)))).toEqual(
        ['/pull_request/head/sha'],
      );
    },
  );

  it('is refused for a short name where a full ref belongs', () => {
    expect(pointersOf(() => github('push', but(githubPush, 'ref', 'main')))).toEqual(['/ref']);
  });

  it.each([0, -1, 1.5, 1e300, '31'])('is refused for the number %j', (number) => {
    expect(pointersOf(() => github('pull_request', but(githubPullRequest, 'number', number)))).toEqual(['/number']);
  });

  it.each(['network', 'a//b', '/a', 'a/', 'a /b', 'a\u0007/b'])('is refused for the repository %j', (name) => {
    expect(pointersOf(() => github('push', but(githubPush, 'repository.full_name', name)))).toEqual([
      '/repository/full_name',
    ]);
  });

  it('is refused for a pull request at no address for browsers', () => {
    const payload = but(githubPullRequest, 'pull_request.html_url', 'javascript:alert(1)');
    expect(pointersOf(() => github('pull_request', payload))).toEqual(['/pull_request/html_url']);
  });
});

describe('a signature', () => {
  const body = bytesOf(githubPush);
  const tampered = bytesOf(but(githubPush, 'after', 'a5'.repeat(20)));
  const event = githubHeaders('push');

  const overBodies: readonly [string, Signer][] = [
    ['of GitHub', hub],
    ['of Gitea', bare('X-Gitea-Signature')],
    ['of Forgejo', bare('X-Forgejo-Signature')],
    ['of Gogs', bare('X-Gogs-Signature')],
    ['of GitLab, signed', standard()],
    ['of Gitea with all it sends', gitea],
  ];

  it.each(overBodies)('%s fits the body it was made for and no other', (_case, sign) => {
    expect(read({ ...event, ...sign(body) }, body)?.event?.kind).toBe('push');
    expect(read({ ...event, ...sign(body) }, tampered)).toBeUndefined();
    expect(read({ ...event, ...sign(body) }, Buffer.concat([body, Buffer.from('\n')]))).toBeUndefined();
  });

  it.each([...overBodies, ['of GitLab, by token', gitlab] as const])('%s fits no other secret', (_case, sign) => {
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    expect(read({ ...event, ...sign(body) }, body, other)).toBeUndefined();
    expect(read({ ...event, ...sign(body) }, body, '')).toBeUndefined();
  });

  it('made with an empty secret proves nothing', () => {
    const empty: Headers = { 'X-Hub-Signature-256': `sha256=${hmac(body, 'sha256', '')}`, 'X-Gitlab-Token': '' };
    expect(read({ ...event, ...empty }, body, '')).toBeUndefined();
  });

  it('is looked at before the body is', () => {
    expect(read(event, Buffer.from('{'))).toBeUndefined();
    expect(read({ ...event, 'X-Hub-Signature-256': 'sha256=00' }, Buffer.from('{'))).toBeUndefined();
  });

  it('is required', () => {
    expect(read(event, body)).toBeUndefined();
  });

  it.each<[string, Headers]>([
    ['SHA-1 alone', { 'X-Hub-Signature': `sha1=${hmac(body, 'sha1')}` }],
    ['SHA-1 under the name of SHA-256', { 'X-Hub-Signature-256': `sha1=${hmac(body, 'sha1')}` }],
    ['no algorithm', { 'X-Hub-Signature-256': hmac(body) }],
    ['an algorithm where none belongs', { 'X-Gitea-Signature': `sha256=${hmac(body)}` }],
    ['nothing', { 'X-Hub-Signature-256': '' }],
    ['nothing, of Gitea', { 'X-Gitea-Signature': '' }],
    ['the prefix alone', { 'X-Hub-Signature-256': 'sha256=' }],
    ['half of it', { 'X-Hub-Signature-256': `sha256=${hmac(body).slice(0, 32)}` }],
    ['more than it', { 'X-Hub-Signature-256': `sha256=${hmac(body)}00` }],
    ['two of it', { 'X-Hub-Signature-256': `sha256=${hmac(body)}, sha256=${hmac(body)}` }],
    ['no token', { 'X-Gitlab-Token': '' }],
    ['a longer token', { 'X-Gitlab-Token': `${secret}x` }],
    ['a token in other letters', { 'X-Gitlab-Token': secret.toLowerCase() }],
  ])('does not fit when it is %s', (_case, headers) => {
    expect(read({ ...event, ...headers }, body)).toBeUndefined();
  });

  it('that fits does not make up for one that does not', () => {
    const wrong: Headers = {
      'X-Hub-Signature-256': 'sha256=00',
      'X-Gitea-Signature': '',
      'X-Forgejo-Signature': '00',
      'X-Gogs-Signature': '00',
      'X-Gitlab-Token': 'guess',
      'webhook-signature': 'v1,AAAA',
    };
    const right = { ...gitea(body), ...gitlab(body), ...bare('X-Forgejo-Signature')(body), ...standard()(body) };
    expect(read({ ...event, ...right }, body)).toBeDefined();
    for (const [header, value] of Object.entries(wrong)) {
      expect(read({ ...event, ...right, [header]: value }, body)).toBeUndefined();
    }
  });

  it('of SHA-1 is not looked at', () => {
    expect(read({ ...event, ...hub(body), 'X-Hub-Signature': 'sha1=00' }, body)).toBeDefined();
  });

  it.each([-300, 300])('of Standard Webhooks fits %d seconds away', (later) => {
    expect(read({ ...event, ...standard(seconds(later))(body) }, body)).toBeDefined();
  });

  it.each([seconds(-301), seconds(301), '', 'now', '1e9', '-1', `${seconds()}.0`, '9'.repeat(20)])(
    'of Standard Webhooks does not fit at %j',
    (timestamp) => {
      expect(read({ ...event, ...standard(timestamp)(body) }, body)).toBeUndefined();
    },
  );

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('of Standard Webhooks needs %s', (missing) => {
    const { [missing]: _, ...rest } = standard()(body);
    expect(read({ ...event, ...rest }, body)).toBeUndefined();
  });

  it('of Standard Webhooks covers the id and the timestamp', () => {
    const headers = standard()(body);
    expect(read({ ...event, ...headers, 'webhook-id': 'message-2' }, body)).toBeUndefined();
    expect(read({ ...event, ...headers, 'webhook-timestamp': seconds(1) }, body)).toBeUndefined();
  });

  it('of Standard Webhooks may be one of several, of which only the first version is known', () => {
    const headers = standard()(body);
    const fitting = headers['webhook-signature'] ?? '';
    const among = (value: string) => read({ ...event, ...headers, 'webhook-signature': value }, body);
    expect(among(`v1,AAAA ${fitting}`)).toBeDefined();
    expect(among(fitting.replace('v1', 'v1a'))).toBeUndefined();
    expect(among(fitting.slice(3))).toBeUndefined();
  });

  it('of Standard Webhooks needs a secret with a key inside', () => {
    for (const other of ['gatehouse', `whsec_${Buffer.alloc(24, 7).toString('base64')}`, key.toString('base64')]) {
      const headers = standard(seconds(), Buffer.from(other))(body);
      expect(read({ ...event, ...headers }, body, other)).toBeUndefined();
    }
  });
});

describe('whatever is sent', () => {
  const events: readonly Headers[] = [
    githubHeaders('push'),
    githubHeaders('pull_request'),
    gitlabHeaders('Push Hook'),
    gitlabHeaders('Merge Request Hook'),
    gitlabHeaders('System Hook'),
    {},
  ];
  const attempt = (event: Headers, body: Uint8Array): void => {
    try {
      read({ ...event, ...hub(body) }, body);
    } catch (error) {
      expect(error).toBeInstanceOf(RequestError);
    }
  };

  it('only ever throws a request error: bytes', () => {
    fc.assert(fc.property(fc.constantFrom(...events), fc.uint8Array({ maxLength: 200 }), attempt));
  });

  it('only ever throws a request error: JSON', () => {
    fc.assert(fc.property(fc.constantFrom(...events), fc.json(), (event, json) => attempt(event, Buffer.from(json))));
  });

  it('only ever throws a request error: payloads with any one member replaced', () => {
    const pathsOf = (value: unknown, before: string): readonly string[] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).flatMap(([name, inner]) => {
            const path = before === '' ? name : `${before}.${name}`;
            return [path, ...pathsOf(inner, path)];
          })
        : [];
    const members = [
      githubPush,
      githubPullRequest,
      giteaPush,
      giteaPullRequest,
      gitlabPush,
      gitlabMergeRequest,
    ].flatMap((payload) => pathsOf(payload, '').map((path) => ({ payload, path })));
    fc.assert(
      fc.property(
        fc.constantFrom(...events),
        fc.constantFrom(...members),
        fc.jsonValue(),
        (event, { payload, path }, value) => attempt(event, bytesOf(but(payload, path, value))),
      ),
      { numRuns: runs(500) },
    );
  });

  it('without a signature is never looked at', () => {
    fc.assert(
      fc.property(fc.constantFrom(...events), fc.uint8Array({ maxLength: 200 }), (event, body) => {
        expect(read(event, body)).toBeUndefined();
      }),
    );
  });
});
