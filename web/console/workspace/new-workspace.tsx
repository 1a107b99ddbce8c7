import { DialogTrigger } from 'react-aria-components';
import { useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { api } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { ModalDialog } from '../parts/confirm.tsx';
import { EntryForm } from '../parts/entry-form.tsx';
import { Field } from '../parts/field.tsx';

export function NewWorkspace({ organization }: { readonly organization: string }) {
  const [, navigate] = useLocation();
  const { run, isPending, problem } = useChange(
    (attributes: { name: string; description: string }) =>
      api.post('/organizations/{organization}/workspaces', {
        path: { organization },
        body: { data: { type: 'workspaces', attributes } },
      }),
    {
      done: ({ data }) => `The workspace ${data.attributes.name} was created.`,
      outdates: ['/organizations/{organization}/workspaces'],
    },
  );
  return (
    <DialogTrigger>
      <Button kind="main">New workspace</Button>
      <ModalDialog title="New workspace">
        {(close) => (
          <EntryForm
            submit="Create workspace"
            isPending={isPending}
            problem={problem}
            onCancel={close}
            onSubmit={async ({ name = '', description = '' }) => {
              await run({ name, description });
              close();
              navigate(addresses.workspace(organization, name));
            }}
          >
            <Field label="Name" name="name" isRequired autoFocus />
            <Field label="Description" name="description" />
          </EntryForm>
        )}
      </ModalDialog>
    </DialogTrigger>
  );
}
