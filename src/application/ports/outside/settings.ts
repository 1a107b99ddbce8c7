/** The operator's limits on storage and retention. 0 sets no limit, except for `softDeleteDays`. */
export interface Settings {
  /** The days for which soft-deleted backing data can be restored. */
  readonly softDeleteDays: number;
  /** The days for which unused files are kept. */
  readonly archiveAfterDays: number;
  /** The days for which audit events are kept. */
  readonly auditDays: number;
  /** The maximum number of tokens per user, expired ones included. */
  readonly maxTokensPerUser: number;
  /** The maximum number of bytes an organization may keep. */
  readonly maxOrganizationBytes: number;
  /** The hours after which a person must sign in again. */
  readonly sessionHours: number;
  /** Whether a person without a user gets one at sign-in. */
  readonly createsUsersAtSignIn: boolean;
}
