import { Chips } from '../../parts/chips.tsx';
import type { Team } from '../../parts/team-parts.tsx';

/** The organization-level permissions of a team. */
export function AccessChips({ team }: { readonly team: Team }) {
  const access = Object.entries(team.attributes['organization-access']);
  const held = access.filter(([, isHeld]) => isHeld).map(([name]) => name);
  // Only the team of the owners has all of them, and their names would fill the page.
  return held.length === access.length ? 'everything' : <Chips texts={held} none="none" />;
}
