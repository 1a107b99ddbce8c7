import { Chips } from '../parts/chips.tsx';
import type { Team } from '../parts/team-parts.tsx';
import { organizationPermissions, permissionsInOrder } from './words.ts';

/** The organization-level permissions of a team. */
export function AccessChips({ team }: { readonly team: Team }) {
  const access = team.attributes['organization-access'];
  const held = permissionsInOrder.filter((permission) => access[permission]);
  // Only the team of the owners has all of them, and their names would fill the page.
  if (held.length === permissionsInOrder.length) return 'everything';
  return <Chips texts={held.map((permission) => organizationPermissions[permission][0])} none="none" />;
}
