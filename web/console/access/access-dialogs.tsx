import type { ReactNode } from 'react';
import type { Readable } from '../api/client.ts';
import { useChange } from '../parts/change.ts';
import { Confirm } from '../parts/confirm.tsx';
import type { FormValues } from '../parts/entry-form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { TeamSelect, useTeamName } from '../parts/team-parts.tsx';

/** The access of a team to a workspace or a project. */
interface Access {
  readonly relationships: { readonly team: { readonly data: { readonly id: string } } };
}

interface Props {
  readonly organization: string;
  readonly outdates: readonly Readable[];
  readonly send: (values: FormValues) => Promise<unknown>;
  /** The fields of the access. */
  readonly children: ReactNode;
}

/** Gives access to a team that has none here yet; its form gets the id as `team`. */
export const AddAccess = ({
  organization,
  accesses,
  children,
  ...form
}: Props & { readonly accesses: readonly Access[] }) => (
  <p>
    <FormDialog
      {...form}
      trigger="Add team access"
      kind="main"
      title="Add team access"
      submit="Add access"
      done="The team has access."
    >
      <TeamSelect
        organization={organization}
        offers={({ id }) => accesses.every(({ relationships }) => relationships.team.data.id !== id)}
      />
      {children}
    </FormDialog>
  </p>
);

interface ActionsProps extends Props {
  readonly access: Access;
  readonly remove: () => Promise<unknown>;
  /** Says which access the team keeps. */
  readonly remains: string;
}

export function AccessActions({ organization, access, outdates, send, remove, remains, children }: ActionsProps) {
  const { id } = access.relationships.team.data;
  const name = useTeamName(organization, id) ?? id;
  const removal = useChange(remove, { done: `The access of ${name} was removed.`, outdates });
  return (
    <RowMenu of={name}>
      <FormDialog
        trigger="Change"
        triggerName={`Change the access of ${name}`}
        title={`Access of ${name}`}
        submit="Save access"
        done={`The access of ${name} was changed.`}
        outdates={outdates}
        send={send}
      >
        {children}
      </FormDialog>
      <Confirm
        trigger="Remove"
        triggerName={`Remove the access of ${name}`}
        title={`Remove the access of ${name}?`}
        confirm="Remove access"
        isDanger
        onConfirm={() => removal.run(undefined)}
      >
        <p>{remains}</p>
      </Confirm>
    </RowMenu>
  );
}
