import type { Team } from '../../parts/team-parts.tsx';

/** The organization-level permissions of a team. */
export function AccessChips({ team }: { readonly team: Team }) {
  const held = Object.entries(team.attributes['organization-access']).filter(([, isHeld]) => isHeld);
  if (held.length === 0) return <span className="quiet">none</span>;
  // Only the team of the owners has all of them, and their names would fill the page.
  if (held.length === Object.keys(team.attributes['organization-access']).length) return 'everything';
  return (
    <span className="chips">
      {held.map(([name]) => (
        <span key={name} className="chip">
          {name}
        </span>
      ))}
    </span>
  );
}
