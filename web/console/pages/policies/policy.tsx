import { Link, useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api, putText } from '../../api/client.ts';
import { useMaybeReadEach, useRead, useText } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { DangerZone } from '../../parts/danger-zone.tsx';
import { EntryForm } from '../../parts/entry-form.tsx';
import { Field } from '../../parts/field.tsx';
import type { Params } from '../../parts/params.ts';
import { SettingsCard } from '../../parts/settings-card.tsx';
import { Badge } from '../../parts/status.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';
import { type Policy, PolicyFields, policySettings } from './policy-fields.tsx';

const one = '/policies/{id}';
const list = '/organizations/{organization}/policies';

export function PolicyPage({ params: { organization, id } }: Params<'organization' | 'id'>) {
  const { data: policy } = useRead(one, { path: { id } });
  const { attributes } = policy;
  return (
    <OrganizationPage
      organization={organization}
      section="policies"
      title={attributes.name}
      badges={!attributes.uploaded && <Badge tone="warn">no code</Badge>}
    >
      {() => (
        <>
          <section className="card" aria-labelledby="code">
            <h2 id="code">Code</h2>
            {attributes.uploaded ? <StoredCode policy={policy} /> : <Code policy={policy} code="" />}
          </section>
          <Settings key={attributes['updated-at']} policy={policy} />
          <Sets organization={organization} policy={policy} />
          <DangerZone>
            <RemovePolicy organization={organization} policy={policy} />
          </DangerZone>
        </>
      )}
    </OrganizationPage>
  );
}

const codeAt = (id: string): string => `/api/v2/policies/${encodeURIComponent(id)}/download`;

function StoredCode({ policy }: { readonly policy: Policy }) {
  const { id, attributes } = policy;
  const code = useText(codeAt(id), `${id} ${attributes['updated-at']}`);
  return <Code key={code} policy={policy} code={code} />;
}

function Code({ policy: { id }, code }: { readonly policy: Policy; readonly code: string }) {
  const save = useChange((text: string) => putText(`/api/v2/policies/${encodeURIComponent(id)}/upload`, text), {
    done: 'The code was saved.',
    outdates: [one, list],
  });
  return (
    <EntryForm
      submit="Save code"
      isPending={save.isPending}
      problem={save.problem}
      // Forms send every line break as two characters.
      onSubmit={({ code: text = '' }) => save.run(text.replaceAll('\r\n', '\n'))}
    >
      <div className="mono">
        <Field
          label="Source"
          name="code"
          rows={Math.min(30, Math.max(10, code.split('\n').length))}
          defaultValue={code}
          description="Existing runs keep the earlier code."
          spellCheck="false"
        />
      </div>
    </EntryForm>
  );
}

const Settings = ({ policy }: { readonly policy: Policy }) => (
  <SettingsCard
    save={(values) => {
      const data = { type: 'policies' as const, attributes: policySettings(values) };
      return api.patch(one, { path: { id: policy.id }, body: { data } });
    }}
    done="The policy was changed."
    outdates={[one, list]}
  >
    <PolicyFields policy={policy} />
  </SettingsCard>
);

function Sets({ organization, policy }: { readonly organization: string; readonly policy: Policy }) {
  const { data } = policy.relationships['policy-sets'];
  const sets = useMaybeReadEach(
    '/policy-sets/{id}',
    data.map(({ id }) => ({ path: { id } })),
  );
  return (
    <section className="card" aria-labelledby="sets">
      <h2 id="sets">Policy sets with this policy</h2>
      {data.length === 0 && <p className="quiet">None. Attach it to a policy set to enforce it.</p>}
      <ul>
        {data.map(({ id }, index) => (
          <li key={id}>
            <Link href={addresses.inSection(organization, 'policy-sets', id)}>
              {sets[index]?.data?.data.attributes.name ?? id}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function RemovePolicy({ organization, policy }: { readonly organization: string; readonly policy: Policy }) {
  const [, navigate] = useLocation();
  const remove = useChange(() => api.delete(one, { path: { id: policy.id } }), {
    done: 'The policy was deleted.',
    outdates: [list, '/policy-sets/{id}'],
  });
  return (
    <Confirm
      trigger="Delete policy"
      title={`Delete ${policy.attributes.name}?`}
      confirm="Delete"
      kind="danger"
      isDanger
      onConfirm={async () => {
        await remove.run(undefined);
        navigate(addresses.inOrganization(organization, 'policies'));
      }}
    >
      <p>It is removed from {policy.attributes['policy-set-count']} policy sets. Existing runs still use it.</p>
    </Confirm>
  );
}
