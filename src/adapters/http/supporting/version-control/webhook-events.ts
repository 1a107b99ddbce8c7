import { z } from 'zod';
import type { IngressAttributes } from '../../../../domain/index.js';

/** The forge whose format a payload has; Gitea, Forgejo and Gogs use GitHub's. */
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
  /** Null if the payload does not list them all. */
  readonly changedFiles: readonly string[] | null;
}

/** A pull or merge request has a new commit to look at; `commit.branch` is its head branch. */
export interface PullRequestEvent extends RepositoryEvent {
  readonly kind: 'pull-request';
  readonly number: number;
  readonly baseBranch: string;
  /** True unless the payload proves that the author of the push may write to the repository itself. */
  readonly fromFork: boolean;
}

/** The parts of a forge's delivery that the service acts on. */
export interface Delivery {
  /** The forge's own id of the delivery. Unlike the body, most forges do not sign it. */
  readonly id: string | null;
  /** Null when there is nothing to do. */
  readonly event: PushEvent | PullRequestEvent | null;
}

export const branchPrefix = 'refs/heads/';

/** The names git itself forbids, and a leading dash, which a command would read as an option. */
const unfitForBranch = /[\p{Cc}\p{Cs} ~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$|(?:^|\/)\.|\.lock(?:\/|$)|^@$/u;

const isBranchName = (name: string): boolean => name !== '' && name.length <= 1024 && !unfitForBranch.test(name);

/** Addresses are compared, stored and shown; no forge has longer ones. */
const longestAddress = 2048;
/** The limit of a commit's message, and of a pull request's text. */
const longestProse = 65536;
const longestTitle = 1024;

const isWebAddress = (text: string): boolean =>
  text.length <= longestAddress && /^https?:\/\//i.test(text) && URL.canParse(text);

/** Never cuts a surrogate pair in half. */
const cutTo =
  (longest: number) =>
  (text: string): string =>
    text.slice(0, longest).replace(/[\ud800-\udbff]$/, '');

export const branch = z.string().refine(isBranchName, { error: 'must be a valid branch name' });

export const branchRef = z
  .string()
  .refine((ref) => ref.startsWith(branchPrefix) && isBranchName(ref.slice(branchPrefix.length)), {
    error: `must be ${branchPrefix} and a valid branch name`,
  })
  .transform((ref) => ref.slice(branchPrefix.length));

export const commitSha = z
  .string()
  .toLowerCase()
  .regex(/^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/, { error: 'must be a commit of 40 or 64 hexadecimal digits' });

export const identifier = z
  .string()
  .max(longestTitle)
  .regex(/^[^\s\p{Cc}/]+(?:\/[^\s\p{Cc}/]+)+$/u, { error: 'must be an owner and a name, separated by a slash' });

export const requestNumber = z
  .number()
  .refine((value) => Number.isSafeInteger(value) && value > 0, { error: 'must be a positive whole number' });

export const webAddress = z
  .string()
  .refine(isWebAddress, { error: `must be an http or https URL of at most ${longestAddress} characters` });

/** A clone URL of any kind. */
export const address = z.string().min(1).max(longestAddress);
export const title = z.string().transform(cutTo(longestTitle));

/** A member that no event depends on: an invalid value counts as missing. */
export const validOrNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(null);

const text = (longest: number) => validOrNull(z.string()).transform((given) => cutTo(longest)(given ?? '') || null);
export const prose = text(longestProse);
export const name = text(longestTitle);
export const otherAddress = validOrNull(address).transform((given) => given ?? null);
/** Null for a value that is not a web address: some forges send paths, and responses must not pass on other schemes. */
export const link = validOrNull(webAddress).transform((given) => given ?? null);
export const number = validOrNull(z.number());

const files = validOrNull(z.array(z.string()));
export const described = validOrNull(
  z.object({ id: name, message: prose, url: link, added: files, modified: files, removed: files }),
);
export const descriptions = validOrNull(z.array(described));

type Described = z.infer<typeof described>;

/** Pushes list their commits; only the one that became the tip matters. */
export const messageAndUrl = (sha: string, candidates: readonly Described[]) => {
  const tip = candidates.find((candidate) => candidate?.id === sha);
  return { commitMessage: tip?.message ?? null, commitUrl: tip?.url ?? null };
};

/** The fewest commits that a forge leaves out of a push without saying how many there were. */
const commitsAtOnce = 20;

interface Pushed {
  readonly after: string;
  readonly commits?: readonly Described[] | null | undefined;
  /** Null where the forge does not count them. */
  readonly total: number | null;
  /** Whether the commits are not all that the branch changed by. */
  readonly partial: boolean;
}

/** The files that a push added, modified or removed; null unless the payload is known to list them all. */
export function changedFiles({ after, commits, total, partial }: Pushed): readonly string[] | null {
  if (partial || !commits || commits.length === 0 || commits.length !== (total ?? commits.length)) return null;
  if (total === null && commits.length >= commitsAtOnce) return null;
  if (!commits.some((commit) => commit?.id === after)) return null;
  const lists = commits.flatMap((commit) => [commit?.added, commit?.modified, commit?.removed]);
  return lists.some((list) => !list) ? null : [...new Set(lists.flatMap((list) => list ?? []))];
}

export const addresses = (...given: readonly (string | null)[]): readonly string[] => [
  ...new Set(given.filter((address) => address !== null)),
];

export const notOfPullRequest = {
  isPullRequest: false,
  pullRequestNumber: null,
  pullRequestUrl: null,
  pullRequestTitle: null,
  pullRequestBody: null,
  tag: null,
} as const;

const updateOfRef = z.object({ ref: z.unknown(), after: z.unknown(), deleted: z.unknown() }).partial().catch({});

/** Tags, notes and the like, and deleted branches. */
export const leavesNoBranch = (payload: unknown): boolean => {
  const { ref, after, deleted } = updateOfRef.parse(payload);
  const isElsewhere = typeof ref === 'string' && ref.startsWith('refs/') && !ref.startsWith(branchPrefix);
  return isElsewhere || deleted === true || (typeof after === 'string' && /^0+$/.test(after));
};
