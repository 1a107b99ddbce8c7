/** Which commit of which repository is asked for. */
export interface CommitRequest {
  readonly cloneUrl: string;
  /** A credential's name, never the credential itself; null for a repository anybody may read. */
  readonly credential: string | null;
  /** A full ref as the remote names it (`refs/heads/main`, `refs/pull/7/head`), or null for the remote's default branch. */
  readonly ref: string | null;
  /** Exactly this commit; null for the one the ref stands at. */
  readonly commitSha: string | null;
}

/** What the repository itself says of a commit. */
export interface FetchedCommit {
  readonly sha: string;
  readonly message: string;
  /** The branch the remote's default stands for when no ref was asked for; undefined otherwise. */
  readonly defaultBranch: string | undefined;
}

/** Fetches one commit's files as a `.tar.gz`, from repositories that may be hostile. */
export interface CommitFetcher {
  /**
   * Hands the archive to `receive` while it is packed; resolves with what `receive` does. Leaves nothing behind on
   * disk. Throws `repository/fetch-failed`, with a sentence that says what to mend, for everything that is not a fault
   * of this machine; what `receive` throws is passed on.
   */
  fetch<Result>(
    request: CommitRequest,
    receive: (commit: FetchedCommit, archive: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result>;
}
