import { useMaybeRead } from '../api/reading.ts';
import { nameOfMember } from './member-parts.tsx';
import { TeamLink } from './team-parts.tsx';

interface Props {
  /** Undefined outside an organization, where only the person's own id has a name. */
  readonly organization: string | undefined;
  readonly of: { readonly id: string; readonly type: string } | null;
}

/** The user, team or organization that created something, by name where the caller may know it. */
export function Creator({ organization, of }: Props) {
  if (of === null) return <span className="quiet">not known</span>;
  if (of.type === 'organizations') return <>the organization token</>;
  if (of.type === 'teams' && organization !== undefined) return <TeamLink organization={organization} id={of.id} />;
  return <Person organization={organization} id={of.id} />;
}

function Person({ organization, id }: { readonly organization: string | undefined; readonly id: string }) {
  const own = useMaybeRead('/account/details', {}).data?.data.id;
  const { data } = useMaybeRead(
    '/organizations/{organization}/organization-memberships',
    { path: { organization: organization ?? '' }, query: { 'page[size]': 100 } },
    { enabled: organization !== undefined && own !== undefined && own !== id },
  );
  if (own === id) return <>you</>;
  const member = data?.data.find(({ relationships }) => relationships.user.data.id === id);
  return member === undefined ? <code>{id}</code> : nameOfMember(member.attributes);
}
