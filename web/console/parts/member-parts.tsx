import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Picker } from './picker.tsx';

export type Membership = Schemas['client.OrganizationMembership'];

/** The username, or the e-mail address of a person who was invited. */
export const nameOfMember = ({ username, email }: { readonly username: string | null; readonly email: string }) =>
  username ?? email;

interface SelectProps {
  readonly organization: string;
  /** Which members are offered. */
  readonly offers?: (membership: Membership) => boolean;
}

/** A field for a member of the organization; its form gets the id of the user as `user`. */
export function MemberSelect({ organization, offers = () => true }: SelectProps) {
  const [search, setSearch] = useState('');
  const { data } = useMaybeRead('/organizations/{organization}/organization-memberships', {
    path: { organization },
    query: { q: search, 'page[size]': 50 },
  });
  return (
    <Picker
      label="Person"
      name="user"
      isRequired
      onSearch={setSearch}
      isCut={(data?.meta.pagination['next-page'] ?? null) !== null}
      choices={data?.data.filter(offers).map(({ attributes, relationships }) => ({
        value: relationships.user.data.id,
        label: nameOfMember(attributes),
      }))}
    />
  );
}
