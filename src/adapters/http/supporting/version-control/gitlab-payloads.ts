import { z } from 'zod';
import { parse } from '../../routing/schema.js';
import {
  address,
  addresses,
  branch,
  branchPrefix,
  branchRef,
  commitSha,
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

const gitlabProject = z.object({
  path_with_namespace: identifier,
  default_branch: unlessUnfit(branch),
  git_http_url: address,
  git_ssh_url: otherAddress,
  web_url: otherAddress,
});

const gitlabPush = z.object({
  ref: branchRef,
  after: commitSha,
  commits: descriptions,
  user_username: name,
  user_avatar: link,
  project: gitlabProject,
});

const gitlabMergeRequest = z.object({
  object_attributes: z.object({
    iid: requestNumber,
    url: webAddress,
    title,
    description: prose,
    source_branch: branch,
    target_branch: branch,
    source_project_id: number,
    target_project_id: number,
    last_commit: z.object({ id: commitSha, message: prose, url: link }),
  }),
  project: gitlabProject,
  user: unlessUnfit(z.object({ username: name, avatar_url: link })),
});

const aboutGitlabProject = (project: z.infer<typeof gitlabProject>) => ({
  forge: 'gitlab' as const,
  defaultBranch: project.default_branch ?? null,
  repositoryUrls: addresses(project.git_http_url, project.web_url, project.git_ssh_url),
});

export const readGitlabPush = (payload: unknown): PushEvent | null => {
  if (leavesNoBranch(payload)) return null;
  const push = parse(gitlabPush, payload);
  return {
    kind: 'push',
    ...aboutGitlabProject(push.project),
    ref: `${branchPrefix}${push.ref}`,
    commit: {
      ...notOfPullRequest,
      branch: push.ref,
      commitSha: push.after,
      ...messageAndUrl(push.after, push.commits ?? []),
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
