/** The repository and the commit to fetch. */
export interface CommitRequest {
  readonly cloneUrl: string;
  /** A credential's name, never the credential itself; null for a public repository. */
  readonly credential: string | null;
  /** A full ref as the remote names it (`refs/heads/main`, `refs/pull/7/head`), or null for the remote's default branch. */
  readonly ref: string | null;
  /** The exact commit; null for the ref's current one. */
  readonly commitSha: string | null;
  /** The directory to pack, such as `a/b`, which becomes the root of the archive; absent or empty for the whole commit. */
  readonly directory?: string;
}

/** The properties of a commit, read from the repository itself. */
export interface FetchedCommit {
  readonly sha: string;
  readonly message: string;
  /** The remote's default branch; undefined if it names none, or if the ref and the commit were both requested. */
  readonly defaultBranch: string | undefined;
}

/** Fetches one commit's files, or a directory of them, as a `.tar.gz`, from repositories that may be malicious. */
export interface CommitFetcher {
  /**
   * Passes the archive to `receive` while it is packed; resolves with the result of `receive`. Leaves no files behind.
   * Throws `repository/fetch-failed`, with a sentence that names the fix, for every fault outside this machine; errors
   * of `receive` are passed on.
   */
  fetch<Result>(
    request: CommitRequest,
    receive: (commit: FetchedCommit, archive: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result>;
}
