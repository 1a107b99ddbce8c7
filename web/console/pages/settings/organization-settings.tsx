import { useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api } from '../../api/client.ts';
import { outdated } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { DangerZone } from '../../parts/danger-zone.tsx';
import { EntryForm, type FormValues } from '../../parts/entry-form.tsx';
import { Field } from '../../parts/field.tsx';
import type { Params } from '../../parts/params.ts';
import { type Organization, OrganizationPage } from '../../shell/organization-page.tsx';
import { ExecutionFields, savedSentence } from './execution-fields.tsx';

const one = '/organizations/{organization}';

export const OrganizationSettingsPage = ({ params: { organization } }: Params<'organization'>) => (
  <OrganizationPage organization={organization} section="settings">
    {(shown) => (
      <>
        <Settings key={JSON.stringify(shown)} organization={shown} />
        {shown.attributes.permissions?.['can-destroy'] && <Deletion name={organization} />}
      </>
    )}
  </OrganizationPage>
);

/** Only what differs. */
function changeOf({ attributes, relationships }: Organization, values: FormValues) {
  const { name = '', email = '' } = values;
  const mode = values['default-execution-mode'] as Organization['attributes']['default-execution-mode'];
  const pool = values['default-agent-pool'] ?? '';
  return {
    type: 'organizations' as const,
    attributes: {
      ...(name !== attributes.name && { name }),
      ...(email !== attributes.email && { email }),
      ...(mode !== attributes['default-execution-mode'] && { 'default-execution-mode': mode }),
    },
    ...(pool !== (relationships['default-agent-pool'].data?.id ?? '') && {
      relationships: {
        'default-agent-pool': { data: pool === '' ? null : { type: 'agent-pools' as const, id: pool } },
      },
    }),
  };
}

function Settings({ organization }: { readonly organization: Organization }) {
  const [, navigate] = useLocation();
  const { attributes, relationships } = organization;
  const save = useChange(
    (data: ReturnType<typeof changeOf>) => api.patch(one, { path: { organization: attributes.name }, body: { data } }),
    { done: ({ data }) => savedSentence(data.relationships), outdates: ['/organizations'] },
  );
  const submit = async (values: FormValues): Promise<void> => {
    const { name } = (await save.run(changeOf(organization, values))).data.attributes;
    // The address contains the name.
    if (name !== attributes.name) navigate(addresses.inOrganization(name, 'settings'), { replace: true });
    else await outdated(one);
  };
  return (
    <section className="card" aria-labelledby="general">
      <h2 id="general">General</h2>
      <EntryForm submit="Save settings" isPending={save.isPending} problem={save.problem} onSubmit={submit}>
        <Field label="Name" name="name" isRequired defaultValue={attributes.name} />
        <Field label="E-mail address" name="email" type="email" isRequired defaultValue={attributes.email} />
        <ExecutionFields
          organization={attributes.name}
          mode={{
            name: 'default-execution-mode',
            value: attributes['default-execution-mode'],
            choices: [
              { value: 'remote', label: 'Remote: agents of this site' },
              { value: 'agent', label: 'Agent: agents of a pool' },
              { value: 'local', label: 'Local: only states are kept here' },
            ],
          }}
          pool={{
            name: 'default-agent-pool',
            value: relationships['default-agent-pool'].data?.id ?? '',
            none: 'Choose a pool',
          }}
          mayList={attributes.permissions?.['can-update-agent-pools'] === true}
        />
        <p className="quiet">The default for workspaces that do not set an execution mode.</p>
      </EntryForm>
    </section>
  );
}

function Deletion({ name }: { readonly name: string }) {
  const [, navigate] = useLocation();
  const remove = useChange(() => api.delete(one, { path: { organization: name } }), {
    done: `The organization ${name} was deleted.`,
    outdates: ['/organizations'],
  });
  return (
    <DangerZone>
      <Confirm
        trigger="Delete organization"
        title={`Delete ${name}?`}
        confirm="Delete"
        kind="danger"
        isDanger
        typed={name}
        onConfirm={async () => {
          await remove.run(undefined);
          navigate(addresses.organizations);
        }}
      >
        <p>Its workspaces, states, teams and policies are deleted with it.</p>
      </Confirm>
    </DangerZone>
  );
}
