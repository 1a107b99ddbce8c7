import { api, type Schemas } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { EntryForm } from '../../parts/entry-form.tsx';
import { MemberSelect, nameOfMember } from '../../parts/member-parts.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { Table } from '../../parts/table.tsx';
import type { Team } from '../../parts/team-parts.tsx';

type Member = Schemas['client.Member'];

interface Props {
  readonly organization: string;
  readonly team: Team;
  readonly members: readonly Member[];
}

const reads = [
  '/teams/{id}',
  '/organizations/{organization}/teams',
  '/organizations/{organization}/organization-memberships',
] as const;
const path = '/teams/{id}/relationships/users';
const naming = (teamId: string, userId: string) => ({
  path: { id: teamId },
  body: { data: [{ type: 'users' as const, id: userId }] },
});

export function TeamMembers({ organization, team: { id, attributes }, members }: Props) {
  const mayChange = attributes.permissions['can-update-membership'];
  const add = useChange((userId: string) => api.post(path, naming(id, userId)), {
    done: 'The person is a member of the team.',
    outdates: reads,
  });
  const remove = useChange((userId: string) => api.delete(path, naming(id, userId)), {
    done: 'The person was removed from the team.',
    outdates: reads,
  });
  const removal = (member: Member) => (
    <RowMenu of={nameOfMember(member.attributes)}>
      <Confirm
        trigger="Remove"
        triggerName={`Remove ${nameOfMember(member.attributes)}`}
        title={`Remove ${nameOfMember(member.attributes)} from ${attributes.name}?`}
        confirm="Remove from team"
        isDanger
        onConfirm={() => remove.run(member.id)}
      >
        <p>They lose the team's permissions immediately.</p>
      </Confirm>
    </RowMenu>
  );
  return (
    <section className="card" aria-labelledby="members">
      <h2 id="members">Members</h2>
      <Table
        caption="Members of the team"
        rows={members}
        keyOf={(member) => member.id}
        empty={<p>The team has no members.</p>}
        columns={[
          { head: 'Person', cell: (member) => nameOfMember(member.attributes) },
          { head: 'E-mail', cell: (member) => member.attributes.email },
          ...(mayChange ? [{ head: 'Actions', cell: removal }] : []),
        ]}
      />
      {mayChange && (
        <EntryForm
          // The person who was added is no longer offered.
          key={members.length}
          submit="Add to team"
          isPending={add.isPending}
          problem={add.problem}
          onSubmit={({ user = '' }) => add.run(user)}
        >
          <MemberSelect
            organization={organization}
            offers={({ relationships }) => members.every((member) => member.id !== relationships.user.data.id)}
          />
        </EntryForm>
      )}
    </section>
  );
}
