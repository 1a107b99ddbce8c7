import { z } from 'zod';
import { parse } from '../../routing/schema.js';
import type { PullRequestEvent, PushEvent } from './webhook-events.js';
import * as given from './webhook-events.js';

const gitlabProject = z.object({
  path_with_namespace: given.identifier,
  default_branch: given.validOrNull(given.branch),
  git_http_url: given.address,
  git_ssh_url: given.otherAddress,
  web_url: given.otherAddress,
});

const gitlabPush = z.object({
  ref: given.branchRef,
  before: given.name,
  after: given.commitSha,
  commits: given.descriptions,
  total_commits_count: given.number,
  user_username: given.name,
  user_avatar: given.link,
  project: gitlabProject,
});

const gitlabMergeRequest = z.object({
  object_attributes: z.object({
    iid: given.requestNumber,
    url: given.webAddress,
    title: given.title,
    description: given.prose,
    source_branch: given.branch,
    target_branch: given.branch,
    source_project_id: given.number,
    target_project_id: given.number,
    last_commit: z.object({ id: given.commitSha, message: given.prose, url: given.link }),
  }),
  project: gitlabProject,
  user: given.validOrNull(z.object({ username: given.name, avatar_url: given.link })),
});

const aboutGitlabProject = (project: z.infer<typeof gitlabProject>) => ({
  forge: 'gitlab' as const,
  defaultBranch: project.default_branch ?? null,
  repositoryUrls: given.addresses(project.git_http_url, project.web_url, project.git_ssh_url),
});

export const readGitlabPush = (payload: unknown): PushEvent | null => {
  if (given.leavesNoBranch(payload)) return null;
  const push = parse(gitlabPush, payload);
  return {
    kind: 'push',
    ...aboutGitlabProject(push.project),
    ref: `${given.branchPrefix}${push.ref}`,
    changedFiles: given.changedFiles({
      ...push,
      total: push.total_commits_count ?? null,
      partial: /^0*$/.test(push.before ?? ''),
    }),
    commit: {
      ...given.notOfPullRequest,
      branch: push.ref,
      commitSha: push.after,
      ...given.messageAndUrl(push.after, push.commits ?? []),
      compareUrl: null,
      identifier: push.project.path_with_namespace,
      senderUsername: push.user_username,
      senderAvatarUrl: push.user_avatar,
      senderHtmlUrl: null,
    },
  };
};

const mergeRequestChange = z.object({
  object_attributes: z.object({ action: z.unknown(), oldrev: z.unknown() }).partial(),
});

/** Edits of words and labels are updates too; only those that bring commits have an `oldrev`. */
const bringsNoCommits = (payload: unknown): boolean => {
  const change = mergeRequestChange.safeParse(payload);
  if (!change.success) return false;
  const { action, oldrev } = change.data.object_attributes;
  // The deliveries GitLab makes up for its test button have no action.
  return action === 'update' ? typeof oldrev !== 'string' || oldrev === '' : action !== 'open' && action !== 'reopen';
};

export const readGitlabMergeRequest = (payload: unknown): PullRequestEvent | null => {
  if (bringsNoCommits(payload)) return null;
  const { object_attributes: request, project, user } = parse(gitlabMergeRequest, payload);
  const sourceProject = request.source_project_id ?? null;
  return {
    kind: 'pull-request',
    ...aboutGitlabProject(project),
    ref: `refs/merge-requests/${request.iid}/head`,
    number: request.iid,
    baseBranch: request.target_branch,
    fromFork: sourceProject === null || sourceProject !== request.target_project_id,
    commit: {
      branch: request.source_branch,
      commitSha: request.last_commit.id,
      commitMessage: request.last_commit.message,
      commitUrl: request.last_commit.url,
      compareUrl: null,
      identifier: project.path_with_namespace,
      isPullRequest: true,
      pullRequestNumber: request.iid,
      pullRequestUrl: request.url,
      pullRequestTitle: request.title,
      pullRequestBody: request.description,
      tag: null,
      senderUsername: user?.username ?? null,
      senderAvatarUrl: user?.avatar_url ?? null,
      senderHtmlUrl: null,
    },
  };
};
