import type { Knex } from 'knex';
import type { Entry } from '../../../../../domain/authorization/entry.js';
import type { Organization, OrganizationSettings } from '../../../../../domain/index.js';
import { initialSettings } from '../../../../../domain/supporting/organizations/organization-settings.js';

/** The settings that standing or workspaces read have columns of their own. */
interface SettingsRow {
  readonly settings: string;
  readonly user_tokens_enabled: boolean | number;
  readonly session_timeout: number | null;
  readonly session_remember: number | null;
  readonly force_delete_by_owners: boolean | number;
}

export const settingsColumns = [
  'settings',
  'user_tokens_enabled',
  'session_timeout',
  'session_remember',
  'force_delete_by_owners',
] as const satisfies readonly (keyof SettingsRow)[];

export const settingsFrom = (row: SettingsRow): OrganizationSettings => ({
  ...initialSettings,
  ...JSON.parse(row.settings),
  userTokensEnabled: Boolean(row.user_tokens_enabled),
  sessionTimeout: row.session_timeout,
  sessionRemember: row.session_remember,
  allowForceDeleteWorkspaces: !row.force_delete_by_owners,
});

export const settingsToRow = ({
  settings: { userTokensEnabled, sessionTimeout, sessionRemember, allowForceDeleteWorkspaces, ...others },
}: Organization): SettingsRow => ({
  settings: JSON.stringify(others),
  user_tokens_enabled: userTokensEnabled,
  session_timeout: sessionTimeout,
  session_remember: sessionRemember,
  force_delete_by_owners: !allowForceDeleteWorkspaces,
});

/** Settings are compared in minutes: the longest has more seconds than an integer of Postgres can hold. */
const minutesFor = (seconds: number): number => Math.ceil(seconds / 60);

/** Restricts organizations `o` to those that accept what the caller enters with, by the rules of `barOf`. */
export const entered = (organizations: Knex.QueryBuilder, { withToken, idle, age }: Entry): Knex.QueryBuilder =>
  organizations
    .whereRaw(withToken ? 'o.user_tokens_enabled = TRUE' : 'TRUE')
    .whereRaw('(o.session_timeout is null or o.session_timeout >= ?)', [minutesFor(idle)])
    .whereRaw('(o.session_remember is null or o.session_remember >= ?)', [minutesFor(age)]);
