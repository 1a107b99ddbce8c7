/** What the operator decides about what is kept, and for how long. 0 sets no limit, except for `softDeleteDays`. */
export interface Settings {
  /** How long soft-deleted backing data can be restored. */
  readonly softDeleteDays: number;
  /** How long files are kept that nothing needs. */
  readonly archiveAfterDays: number;
  /** How long audit events are kept. */
  readonly auditDays: number;
  /** How many tokens a user may have, expired ones included. */
  readonly maxTokensPerUser: number;
  /** How many bytes an organization may keep. */
  readonly maxOrganizationBytes: number;
}
