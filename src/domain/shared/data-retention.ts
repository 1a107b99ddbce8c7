import type { DataRetentionId } from './id.js';

/** How long a workspace keeps the files of versions and states that are not current. */
export interface DataRetention {
  readonly id: DataRetentionId;
  /** Null to keep them as long as the workspace. */
  readonly days: number | null;
}

/** The longest period, in days. */
export const longestRetention = 36_500;

interface Retaining {
  readonly retention: DataRetention | null;
  readonly organizationRetention: DataRetention | null;
}

/**
 * The policy of the workspace, else that of its organization. Null to follow the setting of the service, which concerns
 * versions only.
 */
export const retentionOf = ({ retention, organizationRetention }: Retaining): DataRetention | null =>
  retention ?? organizationRetention;
