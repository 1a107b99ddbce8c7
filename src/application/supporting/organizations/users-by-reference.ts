import type { Member, Membership } from '../../../domain/index.js';

type Named = Pick<Membership, 'id'> & { readonly user: Member };

/**
 * The member each reference names: by user id, else by membership id, else by username, case-insensitive, which invited
 * members do not have.
 */
export function usersByReference(
  members: readonly Named[],
  references: readonly string[],
): ReadonlyMap<string, Member> {
  const keyedBy = (key: (member: Named) => string | undefined) =>
    new Map(members.map((member) => [key(member), member.user]));
  const byUser = keyedBy(({ user }) => user.id);
  const byMembership = keyedBy(({ id }) => id);
  const byName = keyedBy(({ user }) => user.username?.toLowerCase());
  return new Map(
    references.flatMap((reference) => {
      const user = byUser.get(reference) ?? byMembership.get(reference) ?? byName.get(reference.toLowerCase());
      return user === undefined ? [] : [[reference, user] as const];
    }),
  );
}
