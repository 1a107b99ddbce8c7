export const authPolicies = ['password', 'two_factor_mandatory'] as const;

/**
 * Settings that clients of this API family send and read back. They are stored and shown, and have no effect here: this
 * service has no such feature, or decides otherwise.
 */
export interface OrganizationSettings {
  readonly aggregatedCommitStatusEnabled: boolean;
  readonly allowForceDeleteWorkspaces: boolean;
  readonly assessmentsEnforced: boolean;
  readonly collaboratorAuthPolicy: (typeof authPolicies)[number];
  readonly costEstimationEnabled: boolean;
  readonly enforceHyok: boolean;
  readonly maxTtlEnabled: boolean;
  readonly ownersTeamSamlRoleId: string | null;
  readonly registryMonorepoSupportEnabled: boolean;
  readonly sendPassingStatusesForUntriggeredSpeculativePlans: boolean;
  /** In minutes; null for the default. */
  readonly sessionRemember: number | null;
  /** In minutes; null for the default. */
  readonly sessionTimeout: number | null;
  readonly speculativePlanManagementEnabled: boolean;
  readonly stacksEnabled: boolean;
  readonly userTokensEnabled: boolean;
}

export const initialSettings: OrganizationSettings = {
  aggregatedCommitStatusEnabled: true,
  allowForceDeleteWorkspaces: false,
  assessmentsEnforced: false,
  collaboratorAuthPolicy: 'password',
  costEstimationEnabled: false,
  enforceHyok: false,
  maxTtlEnabled: false,
  ownersTeamSamlRoleId: null,
  registryMonorepoSupportEnabled: false,
  sendPassingStatusesForUntriggeredSpeculativePlans: false,
  sessionRemember: null,
  sessionTimeout: null,
  speculativePlanManagementEnabled: true,
  stacksEnabled: false,
  userTokensEnabled: true,
};
