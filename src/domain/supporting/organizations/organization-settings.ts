import { invalidAttribute } from '../../shared/domain-error.js';
import { initialLifetimes, type TokenLifetimes } from '../../shared/token-lifetimes.js';

export const authPolicies = ['password', 'two_factor_mandatory'] as const;

/**
 * Settings that clients of this API family send and read back. Those on tokens, sessions and deletions are enforced. The others
 * are stored and shown, and have no effect: values that would promise a restriction are refused.
 */
export interface OrganizationSettings {
  readonly aggregatedCommitStatusEnabled: boolean;
  readonly allowForceDeleteWorkspaces: boolean;
  readonly assessmentsEnforced: boolean;
  readonly collaboratorAuthPolicy: (typeof authPolicies)[number];
  readonly costEstimationEnabled: boolean;
  readonly enforceHyok: boolean;
  /** Whether `tokenLifetimes` limit new tokens. */
  readonly maxTtlEnabled: boolean;
  readonly tokenLifetimes: TokenLifetimes;
  readonly ownersTeamSamlRoleId: string | null;
  readonly registryMonorepoSupportEnabled: boolean;
  readonly sendPassingStatusesForUntriggeredSpeculativePlans: boolean;
  /** The minutes after a sign-in for which the organization accepts a session; null for no limit of its own. */
  readonly sessionRemember: number | null;
  /** The minutes for which a session may be unused; null for no limit. */
  readonly sessionTimeout: number | null;
  readonly speculativePlanManagementEnabled: boolean;
  readonly stacksEnabled: boolean;
  /** Whether members may use user tokens in the organization, and not only sessions. */
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
  tokenLifetimes: initialLifetimes,
  ownersTeamSamlRoleId: null,
  registryMonorepoSupportEnabled: false,
  sendPassingStatusesForUntriggeredSpeculativePlans: false,
  sessionRemember: null,
  sessionTimeout: null,
  speculativePlanManagementEnabled: true,
  stacksEnabled: false,
  userTokensEnabled: true,
};

type Restriction = {
  readonly [Setting in keyof OrganizationSettings]: {
    readonly setting: Setting;
    readonly value: OrganizationSettings[Setting];
    /** The reason, and what to do instead. */
    readonly why: string;
  };
}[keyof OrganizationSettings];

/** The values that promise a restriction which this service cannot enforce. */
const unenforceable: readonly Restriction[] = [
  {
    setting: 'collaboratorAuthPolicy',
    value: 'two_factor_mandatory',
    why: 'Collaborator auth policy cannot be two_factor_mandatory: this service has no second factor. Require it at the identity provider, and set password here',
  },
  {
    setting: 'enforceHyok',
    value: true,
    why: 'Enforce hyok cannot be true: this service does not encrypt with keys of the organization',
  },
  {
    setting: 'assessmentsEnforced',
    value: true,
    why: 'Assessments enforced cannot be true: this service does not assess workspaces',
  },
];

const tokensOnly: Restriction = {
  setting: 'userTokensEnabled',
  value: false,
  why: 'User tokens enabled cannot be false while people cannot sign in with OpenID Connect. The operator must set OIDC_ISSUER first',
};

/** Throws `attribute/invalid` for a value that this service cannot enforce. Only what the request names is checked. */
export function checkEnforceable(given: Partial<OrganizationSettings>, peopleSignIn: boolean): void {
  const refused = [...unenforceable, ...(peopleSignIn ? [] : [tokensOnly])];
  const found = refused.find(({ setting, value }) => given[setting] === value);
  if (found !== undefined) throw invalidAttribute(found.setting, found.why);
}
