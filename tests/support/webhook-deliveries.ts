import { createHmac } from 'node:crypto';

/** Webhook deliveries of the forges: the payloads, headers and signatures that a receiver depends on. */

export type Headers = Readonly<Record<string, string>>;
export type Signer = (body: Uint8Array) => Headers;
export type Payload = Record<string, unknown>;

export const sha = '4f1c'.repeat(10);
export const longSha = 'b0a9'.repeat(16);
export const zeros = '0'.repeat(40);

export const bytesOf = (payload: unknown): Uint8Array => Buffer.from(JSON.stringify(payload));

export const hmacBy = (secret: string, body: Uint8Array, algorithm = 'sha256'): string =>
  createHmac(algorithm, secret).update(body).digest('hex');

/** How each forge authenticates with the secret. */
export const signersBy = (secret: string) => {
  const hub: Signer = (body) => ({ 'X-Hub-Signature-256': `sha256=${hmacBy(secret, body)}` });
  const bare =
    (header: string): Signer =>
    (body) => ({ [header]: hmacBy(secret, body) });
  const gitea: Signer = (body) => ({
    ...hub(body),
    'X-Hub-Signature': `sha1=${hmacBy(secret, body, 'sha1')}`,
    'X-Gitea-Signature': hmacBy(secret, body),
    'X-Gogs-Signature': hmacBy(secret, body),
  });
  const gitlab: Signer = () => ({ 'X-Gitlab-Token': secret });
  return { hub, bare, gitea, gitlab };
};

/** Standard Webhooks, as GitLab signs with a token of its own form. */
export const standardBy =
  (key: Uint8Array, timestamp: string, id = 'message-1'): Signer =>
  (body) => ({
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  });

export const githubHeaders = (event: string, id = 'delivery-1'): Headers => ({
  'X-GitHub-Event': event,
  'X-GitHub-Delivery': id,
});
export const giteaHeaders = (event: string, id = 'delivery-2'): Headers => ({
  'X-Gitea-Event': event,
  'X-Gitea-Delivery': id,
});
export const gitlabHeaders = (event: string, id = 'delivery-3'): Headers => ({
  'X-Gitlab-Event': event,
  'X-Gitlab-Event-UUID': id,
});

/** A copy with the member at this path changed, or removed if there is no value. */
export const but = (payload: Payload, path: string, ...values: readonly unknown[]): Payload => {
  const copy = structuredClone(payload);
  const names = path.split('.');
  const last = names.pop() ?? '';
  const holder = names.reduce<Payload>((inner, name) => inner[name] as Payload, copy);
  if (values.length === 0) delete holder[last];
  else holder[last] = values[0];
  return copy;
};

export const githubRepository = {
  id: 501,
  name: 'network',
  full_name: 'harbour/network',
  private: true,
  html_url: 'https://github.example/harbour/network',
  clone_url: 'https://github.example/harbour/network.git',
  ssh_url: 'git@github.example:harbour/network.git',
  git_url: 'git://github.example/harbour/network.git',
  default_branch: 'main',
};
export const githubSender = {
  login: 'ines',
  id: 12,
  avatar_url: 'https://avatars.example/12',
  html_url: 'https://github.example/ines',
};
export const githubUrls = [
  'https://github.example/harbour/network.git',
  'https://github.example/harbour/network',
  'git@github.example:harbour/network.git',
  'git://github.example/harbour/network.git',
];
export const tip = {
  id: sha,
  message: 'Open the second port',
  url: `https://github.example/harbour/network/commit/${sha}`,
};

export const githubPush: Payload = {
  ref: 'refs/heads/feature/second-port',
  before: zeros,
  after: sha,
  created: true,
  deleted: false,
  compare: 'https://github.example/harbour/network/compare/feature',
  commits: [{ id: 'c0'.repeat(20), message: 'An earlier one', url: 'https://github.example/earlier' }, tip],
  head_commit: tip,
  repository: githubRepository,
  pusher: { name: 'ines', email: 'ines@example.org' },
  sender: githubSender,
};
export const githubPullRequest: Payload = {
  action: 'opened',
  number: 31,
  pull_request: {
    number: 31,
    state: 'open',
    html_url: 'https://github.example/harbour/network/pull/31',
    url: 'https://api.github.example/repos/harbour/network/pulls/31',
    title: 'Second port',
    body: 'Because the first is full.',
    head: { ref: 'second-port', sha, repo: { id: 501, full_name: 'harbour/network' } },
    base: { ref: 'main', sha: 'd1'.repeat(20), repo: { id: 501, full_name: 'harbour/network' } },
  },
  repository: githubRepository,
  sender: githubSender,
};

export const giteaRepository = {
  id: 9,
  full_name: 'harbour/dns',
  html_url: 'https://gitea.example/harbour/dns',
  clone_url: 'https://gitea.example/harbour/dns.git',
  ssh_url: 'ssh://git@gitea.example:2222/harbour/dns.git',
  default_branch: 'trunk',
};
export const giteaUser = { id: 3, login: 'jun', username: 'jun', avatar_url: 'https://gitea.example/avatars/3' };
export const giteaPush: Payload = {
  ref: 'refs/heads/trunk',
  before: 'e2'.repeat(32),
  after: longSha,
  compare_url: 'https://gitea.example/harbour/dns/compare/a...b',
  commits: [{ id: longSha, message: 'Add a zone\n', url: 'https://gitea.example/harbour/dns/commit/b0' }],
  head_commit: null,
  repository: giteaRepository,
  pusher: giteaUser,
  sender: giteaUser,
};
export const giteaPullRequest: Payload = {
  action: 'synchronized',
  number: 4,
  pull_request: {
    number: 4,
    html_url: 'https://gitea.example/harbour/dns/pulls/4',
    title: 'Zone',
    body: '',
    head: { label: 'zone', ref: 'zone', sha: longSha, repo_id: 9, repo: giteaRepository },
    base: { label: 'trunk', ref: 'trunk', sha: longSha, repo_id: 9, repo: giteaRepository },
  },
  repository: giteaRepository,
  sender: giteaUser,
};

export const gitlabProject = {
  id: 77,
  name: 'vault',
  path_with_namespace: 'harbour/safety/vault',
  default_branch: 'main',
  web_url: 'https://gitlab.example/harbour/safety/vault',
  git_http_url: 'https://gitlab.example/harbour/safety/vault.git',
  git_ssh_url: 'git@gitlab.example:harbour/safety/vault.git',
};
export const gitlabPush: Payload = {
  object_kind: 'push',
  event_name: 'push',
  before: 'f3'.repeat(20),
  after: sha,
  checkout_sha: sha,
  ref: 'refs/heads/main',
  user_username: 'kofi',
  user_avatar: 'https://gitlab.example/kofi.png',
  project_id: 77,
  project: gitlabProject,
  commits: [{ id: sha, message: 'Rotate keys', url: `https://gitlab.example/harbour/safety/vault/-/commit/${sha}` }],
  total_commits_count: 1,
};
export const gitlabMergeRequest: Payload = {
  object_kind: 'merge_request',
  event_type: 'merge_request',
  user: { id: 5, name: 'Kofi', username: 'kofi', avatar_url: '/uploads/kofi.png' },
  project: gitlabProject,
  object_attributes: {
    id: 90_001,
    iid: 8,
    action: 'open',
    state: 'opened',
    title: 'Keys',
    description: null,
    url: 'https://gitlab.example/harbour/safety/vault/-/merge_requests/8',
    source_branch: 'keys',
    target_branch: 'main',
    source_project_id: 77,
    target_project_id: 77,
    last_commit: { id: sha, message: 'Rotate keys', url: 'https://gitlab.example/c/1' },
  },
};
