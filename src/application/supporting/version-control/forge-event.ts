import type { IngressAttributes, LinkedRepository } from '../../../domain/index.js';

/** The relevant part of a forge's report. */
export interface ForgeEvent {
  readonly forge: string;
  /** The URLs by which the forge knows the repository. */
  readonly repositoryUrls: readonly string[];
  readonly defaultBranch: string | null;
  /** The ref the commit can be fetched from. */
  readonly ref: string;
  readonly commit: Omit<IngressAttributes, 'id' | 'cloneUrl' | 'onDefaultBranch'>;
  /** Undefined for a push. */
  readonly baseBranch?: string;
  readonly fromFork?: boolean;
  /** The files that a push changed; null if unknown, undefined for a pull request. */
  readonly changedFiles?: readonly string[] | null;
}

export interface ForgeDelivery {
  /** The forge's id of the report; null if it has none. */
  readonly id: string | null;
  /** Null if the report is not relevant. */
  readonly event: ForgeEvent | null;
}

/**
 * Whether the event concerns the linked repository and branch. A forge may know a repository by another host name than the
 * service does, so only the path is compared. Any user can create commits in a fork, so those never count.
 */
export function reaches(repository: LinkedRepository, event: ForgeEvent): boolean {
  const ours = pathOf(repository.cloneUrl);
  const branch = event.baseBranch ?? event.commit.branch;
  return (
    event.fromFork !== true &&
    branch === (repository.branch ?? event.defaultBranch) &&
    event.repositoryUrls.some((url) => pathOf(url) === ours)
  );
}

const pathOf = (url: string): string =>
  withoutLastSlashes(url.replace(/^[a-z+]+:\/\/[^/]*/i, ''))
    .replace(/\.git$/, '')
    .toLowerCase();

/** Not a regular expression, which would backtrack at each of many slashes. */
function withoutLastSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
