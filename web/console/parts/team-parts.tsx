import { useState } from 'react';
import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import type { Schemas } from '../api/client.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Picker } from './picker.tsx';

export type Team = Schemas['client.Team'];

const teams = '/organizations/{organization}/teams';

/** The name of a team that a response names by its id; undefined while it is loading or if the caller cannot see the team. */
export function useTeamName(organization: string, id: string): string | undefined {
  const list = useMaybeRead(teams, { path: { organization }, query: { 'page[size]': 100 } });
  const listed = list.data?.data.find((team) => team.id === id);
  const isCut = (list.data?.meta.pagination['next-page'] ?? null) !== null;
  const one = useMaybeRead('/teams/{id}', { path: { id } }, { enabled: listed === undefined && isCut });
  return (listed ?? one.data?.data)?.attributes.name;
}

/** A link to a team, or its id if the caller cannot see it. */
export function TeamLink({ organization, id }: { readonly organization: string; readonly id: string }) {
  const name = useTeamName(organization, id);
  return name === undefined ? (
    <code>{id}</code>
  ) : (
    <Link href={addresses.inSection(organization, 'teams', id)}>{name}</Link>
  );
}

interface SelectProps {
  readonly organization: string;
  /** Which teams are offered. */
  readonly offers?: (team: Team) => boolean;
}

/** A field for a team; its form gets the id as `team`. */
export function TeamSelect({ organization, offers = () => true }: SelectProps) {
  const [search, setSearch] = useState('');
  const { data } = useMaybeRead(teams, { path: { organization }, query: { q: search, 'page[size]': 50 } });
  return (
    <Picker
      label="Team"
      name="team"
      isRequired
      onSearch={setSearch}
      isCut={(data?.meta.pagination['next-page'] ?? null) !== null}
      choices={data?.data.filter(offers).map(({ id, attributes }) => ({ value: id, label: attributes.name }))}
    />
  );
}
