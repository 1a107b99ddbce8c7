import type { Membership, User } from '../../domain/index.js';

type Member = Pick<Membership, 'id'> & { readonly user: User };

/** Whom each reference names: by user id, else by membership id, else by user name in any case. */
export function usersByReference(members: readonly Member[], references: readonly string[]): ReadonlyMap<string, User> {
  const keyedBy = (key: (member: Member) => string) => new Map(members.map((member) => [key(member), member.user]));
  const byUser = keyedBy(({ user }) => user.id);
  const byMembership = keyedBy(({ id }) => id);
  const byName = keyedBy(({ user }) => user.username.toLowerCase());
  return new Map(
    references.flatMap((reference) => {
      const user = byUser.get(reference) ?? byMembership.get(reference) ?? byName.get(reference.toLowerCase());
      return user === undefined ? [] : [[reference, user] as const];
    }),
  );
}
