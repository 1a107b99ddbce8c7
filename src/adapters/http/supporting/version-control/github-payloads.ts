import { z } from 'zod';
import { parse } from '../../routing/schema.js';
import {
  address,
  addresses,
  branch,
  branchPrefix,
  branchRef,
  commitSha,
  described,
  descriptions,
  identifier,
  leavesNoBranch,
  link,
  messageAndUrl,
  name,
  notOfPullRequest,
  number,
  otherAddress,
  type PullRequestEvent,
  type PushEvent,
  prose,
  requestNumber,
  title,
  unlessUnfit,
  webAddress,
} from './webhook-events.js';

const githubRepository = z.object({
  id: number,
  full_name: identifier,
  default_branch: unlessUnfit(branch),
  clone_url: address,
  ssh_url: otherAddress,
  git_url: otherAddress,
  html_url: otherAddress,
});

const githubSender = unlessUnfit(z.object({ login: name, username: name, avatar_url: link, html_url: link }));

const githubPush = z.object({
  ref: branchRef,
  after: commitSha,
  compare: link,
  compare_url: link,
  head_commit: described,
  commits: descriptions,
  repository: githubRepository,
  sender: githubSender,
});

const githubPullRequest = z.object({
  action: z.string(),
  number: requestNumber,
  pull_request: z.object({
    html_url: webAddress,
    title,
    body: prose,
    head: z.object({ ref: branch, sha: commitSha, repo: unlessUnfit(z.object({ id: number })) }),
    base: z.object({ ref: branch }),
  }),
  repository: githubRepository,
  sender: githubSender,
});

const aboutGithubRepository = (repository: z.infer<typeof githubRepository>) => ({
  forge: 'github' as const,
  defaultBranch: repository.default_branch ?? null,
  repositoryUrls: addresses(repository.clone_url, repository.html_url, repository.ssh_url, repository.git_url),
});

const aboutGithubSender = (sender: z.infer<typeof githubSender>) => ({
  senderUsername: sender?.login ?? sender?.username ?? null,
  senderAvatarUrl: sender?.avatar_url ?? null,
  senderHtmlUrl: sender?.html_url ?? null,
});

export const readGithubPush = (payload: unknown): PushEvent | null => {
  if (leavesNoBranch(payload)) return null;
  const push = parse(githubPush, payload);
  return {
    kind: 'push',
    ...aboutGithubRepository(push.repository),
    ref: `${branchPrefix}${push.ref}`,
    commit: {
      ...notOfPullRequest,
      branch: push.ref,
      commitSha: push.after,
      ...messageAndUrl(push.after, [push.head_commit, ...(push.commits ?? [])]),
      compareUrl: push.compare ?? push.compare_url,
      identifier: push.repository.full_name,
      ...aboutGithubSender(push.sender),
    },
  };
};

const withAction = z.object({ action: z.unknown() }).partial().catch({});

/** GitHub writes `synchronize`, the others `synchronized`. */
const githubActions: readonly unknown[] = ['opened', 'reopened', 'synchronize', 'synchronized'];

export const readGithubPullRequest = (payload: unknown): PullRequestEvent | null => {
  const { action } = withAction.parse(payload);
  if (typeof action === 'string' && !githubActions.includes(action)) return null;
  const { number, pull_request: request, repository, sender } = parse(githubPullRequest, payload);
  const headRepository = request.head.repo?.id ?? null;
  // Gitea lets readers push to a ref of the request's own, and then names the repository itself as the head's.
  const isOnBranch = !request.head.ref.startsWith('refs/');
  return {
    kind: 'pull-request',
    ...aboutGithubRepository(repository),
    ref: `refs/pull/${number}/head`,
    number,
    baseBranch: request.base.ref,
    fromFork: headRepository === null || headRepository !== repository.id || !isOnBranch,
    commit: {
      branch: request.head.ref,
      commitSha: request.head.sha,
      commitMessage: null,
      commitUrl: null,
      compareUrl: null,
      identifier: repository.full_name,
      isPullRequest: true,
      pullRequestNumber: number,
      pullRequestUrl: request.html_url,
      pullRequestTitle: request.title,
      pullRequestBody: request.body,
      tag: null,
      ...aboutGithubSender(sender),
    },
  };
};
