/** The commit a version was fetched from. A field is null if the version-control service did not report it. */
export interface IngressAttributes {
  readonly id: string;
  readonly branch: string;
  readonly cloneUrl: string;
  readonly commitMessage: string | null;
  readonly commitSha: string;
  readonly commitUrl: string | null;
  readonly compareUrl: string | null;
  readonly identifier: string;
  readonly isPullRequest: boolean;
  readonly onDefaultBranch: boolean;
  readonly pullRequestNumber: number | null;
  readonly pullRequestUrl: string | null;
  readonly pullRequestTitle: string | null;
  readonly pullRequestBody: string | null;
  readonly tag: string | null;
  readonly senderUsername: string | null;
  readonly senderAvatarUrl: string | null;
  readonly senderHtmlUrl: string | null;
}
