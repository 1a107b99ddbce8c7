import { z } from 'zod';
import type { IngressAttributes } from '../../../domain/index.js';
import { checkJson, isTooDeep, tooDeep } from '../json-api/read-body.js';
import { badRequest } from '../json-api/request-error.js';
import { parse } from '../json-api/schema.js';
import { type HeaderLookup, isSigned } from './webhook-signatures.js';

/** Whose words a payload uses; Gitea, Forgejo and Gogs use GitHub's. */
export type Forge = 'github' | 'gitlab';

/** Ingress attributes, but for what only the workspace can say. */
export type DeliveredCommit = Omit<IngressAttributes, 'id' | 'cloneUrl' | 'onDefaultBranch'>;

interface RepositoryEvent {
  readonly forge: Forge;
  /** Every address the payload gives for the repository the event is about: for clones of all kinds, and browsers. */
  readonly repositoryUrls: readonly string[];
  readonly defaultBranch: string | null;
  /** The full ref that has the commit in `repositoryUrls`, also when the commit comes from a fork. */
  readonly ref: string;
  readonly commit: DeliveredCommit;
}

/** A branch has a new tip. */
export interface PushEvent extends RepositoryEvent {
  readonly kind: 'push';
}

/** A pull or merge request has a new commit to look at; `commit.branch` is its head branch. */
export interface PullRequestEvent extends RepositoryEvent {
  readonly kind: 'pull-request';
  readonly number: number;
  readonly baseBranch: string;
  /** True unless the payload proves that whoever pushed may write to the repository itself. */
  readonly fromFork: boolean;
}

/** What a forge told us, as far as we act on it. */
export interface Delivery {
  /** The forge's own id of the delivery. Unlike the body, most forges do not sign it. */
  readonly id: string | null;
  /** Null when there is nothing to do. */
  readonly event: PushEvent | PullRequestEvent | null;
}

const branchPrefix = 'refs/heads/';

/** What git itself forbids, and a dash in front, which a command would take for an option. */
const unfitForBranch = /[\p{Cc}\p{Cs} ~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$|(?:^|\/)\.|\.lock(?:\/|$)|^@$/u;

const isBranchName = (name: string): boolean => name !== '' && name.length <= 1024 && !unfitForBranch.test(name);

/** Addresses are compared, stored and shown; no forge has longer ones. */
const longestAddress = 2048;
/** Of a commit's message, and of what a pull request says. */
const longestProse = 65536;
const longestTitle = 1024;

const isWebAddress = (text: string): boolean =>
  text.length <= longestAddress && /^https?:\/\//i.test(text) && URL.canParse(text);

/** Never with half of a character that takes two places. */
const cutTo =
  (longest: number) =>
  (text: string): string =>
    text.length <= longest ? text : text.slice(0, longest).replace(/[\ud800-\udbff]$/, '');

const branch = z.string().refine(isBranchName, { error: 'must be a valid branch name' });

const branchRef = z
  .string()
  .refine((ref) => ref.startsWith(branchPrefix) && isBranchName(ref.slice(branchPrefix.length)), {
    error: `must be ${branchPrefix} and a valid branch name`,
  })
  .transform((ref) => ref.slice(branchPrefix.length));

const commitSha = z
  .string()
  .toLowerCase()
  .regex(/^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/, { error: 'must be a commit of 40 or 64 hexadecimal digits' });

const identifier = z
  .string()
  .max(longestTitle)
  .regex(/^[^\s\p{Cc}/]+(?:\/[^\s\p{Cc}/]+)+$/u, { error: 'must be an owner and a name with a slash between' });

const requestNumber = z
  .number()
  .refine((value) => Number.isSafeInteger(value) && value > 0, { error: 'must be a positive whole number' });

const webAddress = z
  .string()
  .refine(isWebAddress, { error: `must be an http or https URL of at most ${longestAddress} characters` });

/** An address for clones, of whatever kind. */
const address = z.string().min(1).max(longestAddress);
const title = z.string().transform(cutTo(longestTitle));

/** A member no event depends on: whatever is wrong with it, it counts as not said. */
const unlessUnfit = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(null);

const text = (longest: number) => unlessUnfit(z.string()).transform((given) => cutTo(longest)(given ?? '') || null);
const prose = text(longestProse);
const name = text(longestTitle);
const otherAddress = unlessUnfit(address).transform((given) => given ?? null);
/** Null for what is no address for browsers: some forges send paths, and answers must not carry other schemes on. */
const link = unlessUnfit(webAddress).transform((given) => given ?? null);
const number = unlessUnfit(z.number());

const described = unlessUnfit(z.object({ id: name, message: prose, url: link }));
const descriptions = unlessUnfit(z.array(described));

type Described = z.infer<typeof described>;

/** Pushes list their commits; only the one that became the tip matters. */
const messageAndUrl = (sha: string, candidates: readonly Described[]) => {
  const tip = candidates.find((candidate) => candidate?.id === sha);
  return { commitMessage: tip?.message ?? null, commitUrl: tip?.url ?? null };
};

const addresses = (...given: readonly (string | null)[]): readonly string[] => [
  ...new Set(given.filter((address) => address !== null)),
];

const notOfPullRequest = {
  isPullRequest: false,
  pullRequestNumber: null,
  pullRequestUrl: null,
  pullRequestTitle: null,
  pullRequestBody: null,
  tag: null,
} as const;

const updateOfRef = z.object({ ref: z.unknown(), after: z.unknown(), deleted: z.unknown() }).partial().catch({});

/** Tags, notes and the like, and branches that are gone. */
const leavesNoBranch = (payload: unknown): boolean => {
  const { ref, after, deleted } = updateOfRef.parse(payload);
  const isElsewhere = typeof ref === 'string' && ref.startsWith('refs/') && !ref.startsWith(branchPrefix);
  return isElsewhere || deleted === true || (typeof after === 'string' && /^0+$/.test(after));
};

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

const readGithubPush = (payload: unknown): PushEvent | null => {
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

const readGithubPullRequest = (payload: unknown): PullRequestEvent | null => {
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

const readGitlabPush = (payload: unknown): PushEvent | null => {
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

const readGitlabMergeRequest = (payload: unknown): PullRequestEvent | null => {
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

const withKind = z.object({ object_kind: z.unknown() }).partial().catch({});

const firstOf = (headers: HeaderLookup, names: readonly string[]): string | undefined =>
  names.map((name) => headers(name)).find((value) => value !== undefined);

const eventOf = (headers: HeaderLookup, payload: unknown): Delivery['event'] => {
  const gitlabEvent = headers('x-gitlab-event');
  if (gitlabEvent !== undefined) {
    const kind = withKind.parse(payload).object_kind;
    if (gitlabEvent === 'Push Hook' || kind === 'push') return readGitlabPush(payload);
    if (gitlabEvent === 'Merge Request Hook' || kind === 'merge_request') return readGitlabMergeRequest(payload);
    return null;
  }
  switch (firstOf(headers, ['x-github-event', 'x-gitea-event', 'x-forgejo-event', 'x-gogs-event'])) {
    case 'push':
      return readGithubPush(payload);
    case 'pull_request':
      return readGithubPullRequest(payload);
    default:
      return null;
  }
};

const idHeaders = [
  'x-github-delivery',
  'x-gitea-delivery',
  'x-forgejo-delivery',
  'x-gogs-delivery',
  // Signed, which the other id of GitLab is not.
  'webhook-id',
  'x-gitlab-event-uuid',
];

/** Ids are kept in an index, and those of forges are UUIDs. */
const longestId = 255;

const deliveryIdOf = (headers: HeaderLookup): string | null => {
  const id = firstOf(headers, idHeaders) ?? '';
  return id === '' || id.length > longestId ? null : id;
};

const jsonOf = (body: Uint8Array): unknown => {
  if (isTooDeep(body)) throw tooDeep;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // Forms are what GitHub sends unless told otherwise.
    throw badRequest('the body is not valid JSON; webhooks must send application/json');
  }
  checkJson(value);
  return value;
};

/**
 * Undefined when the sender has not shown to know the secret; nothing of the body is looked at before. Throws a 400 for
 * what is not JSON, and a 422 with one pointer per fault when an event lacks what it needs.
 */
export function readDelivery(headers: HeaderLookup, body: Uint8Array, secret: string, now: Date): Delivery | undefined {
  if (!isSigned({ headers, body, secret, now })) return undefined;
  const event = eventOf(headers, jsonOf(body));
  return { id: deliveryIdOf(headers), event };
}
