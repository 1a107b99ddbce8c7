import { z } from 'zod';
import { parse } from '../../routing/schema.js';
import type { PullRequestEvent, PushEvent } from './webhook-events.js';
import * as given from './webhook-events.js';

const githubRepository = z.object({
  id: given.number,
  full_name: given.identifier,
  default_branch: given.validOrNull(given.branch),
  clone_url: given.address,
  ssh_url: given.otherAddress,
  git_url: given.otherAddress,
  html_url: given.otherAddress,
});

const githubSender = given.validOrNull(
  z.object({ login: given.name, username: given.name, avatar_url: given.link, html_url: given.link }),
);

const githubPush = z.object({
  ref: given.branchRef,
  after: given.commitSha,
  compare: given.link,
  compare_url: given.link,
  head_commit: given.described,
  commits: given.descriptions,
  // Sent by Gitea and its descendants only.
  total_commits: given.number,
  created: given.validOrNull(z.boolean()),
  forced: given.validOrNull(z.boolean()),
  repository: githubRepository,
  sender: githubSender,
});

const githubPullRequest = z.object({
  action: z.string(),
  number: given.requestNumber,
  pull_request: z.object({
    html_url: given.webAddress,
    title: given.title,
    body: given.prose,
    head: z.object({
      ref: given.branch,
      sha: given.commitSha,
      repo: given.validOrNull(z.object({ id: given.number })),
    }),
    base: z.object({ ref: given.branch }),
  }),
  repository: githubRepository,
  sender: githubSender,
});

const aboutGithubRepository = (repository: z.infer<typeof githubRepository>) => ({
  forge: 'github' as const,
  defaultBranch: repository.default_branch ?? null,
  repositoryUrls: given.addresses(repository.clone_url, repository.html_url, repository.ssh_url, repository.git_url),
});

const aboutGithubSender = (sender: z.infer<typeof githubSender>) => ({
  senderUsername: sender?.login ?? sender?.username ?? null,
  senderAvatarUrl: sender?.avatar_url ?? null,
  senderHtmlUrl: sender?.html_url ?? null,
});

export const readGithubPush = (payload: unknown): PushEvent | null => {
  if (given.leavesNoBranch(payload)) return null;
  const push = parse(githubPush, payload);
  return {
    kind: 'push',
    ...aboutGithubRepository(push.repository),
    ref: `${given.branchPrefix}${push.ref}`,
    changedFiles: given.changedFiles({
      ...push,
      total: push.total_commits ?? null,
      partial: push.created === true || push.forced === true,
    }),
    commit: {
      ...given.notOfPullRequest,
      branch: push.ref,
      commitSha: push.after,
      ...given.messageAndUrl(push.after, [push.head_commit, ...(push.commits ?? [])]),
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
