import { api } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { EntryForm } from '../../parts/entry-form.tsx';
import { Field } from '../../parts/field.tsx';
import type { Team } from '../../parts/team-parts.tsx';

interface Props {
  readonly organization: string;
  readonly team: Team;
}

/** The group at the identity provider whose people become members. Only owners map it, also to the owners team. */
export function TeamGroup({ organization, team: { id, attributes } }: Props) {
  const account = useMaybeRead('/account/details', {});
  // Owners learn of the groups from a refusal.
  const given = useMaybeRead(
    '/admin/organizations/{organization}',
    { path: { organization } },
    { enabled: account.data?.data.attributes['is-site-admin'] === true },
  ).data?.data.attributes['sso-groups'];
  const save = useChange(
    (group: string) =>
      api.patch('/teams/{id}', {
        path: { id },
        body: { data: { type: 'teams', attributes: { 'sso-team-id': group === '' ? null : group } } },
      }),
    { done: 'The group was saved.', outdates: ['/teams/{id}', '/organizations/{organization}/teams'] },
  );
  return (
    <section className="card" aria-labelledby="group">
      <h2 id="group">Group at the identity provider</h2>
      <p>
        People of the group become members of the team when they sign in, and leave it when they have left the group.
        People who were added here stay.
      </p>
      <EntryForm
        submit="Save group"
        isMain={false}
        isPending={save.isPending}
        problem={save.problem}
        onSubmit={(values) => save.run((values['sso-team-id'] ?? '').trim())}
      >
        <Field
          label="Group"
          name="sso-team-id"
          defaultValue={attributes['sso-team-id'] ?? ''}
          description={
            given === undefined || given.length === 0
              ? 'As the identity provider sends it. Empty for none.'
              : `As the identity provider sends it. Empty for none. ${organization} may map: ${given.join(', ')}`
          }
        />
      </EntryForm>
    </section>
  );
}
