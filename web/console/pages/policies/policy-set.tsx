import { Link, useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api, included, type Schemas } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { Attachments } from '../../parts/attachments.tsx';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { DangerZone } from '../../parts/danger-zone.tsx';
import { PolicyField, ProjectField, policyNamed, projectNamed } from '../../parts/name-fields.tsx';
import type { Params } from '../../parts/params.ts';
import { SettingsCard } from '../../parts/settings-card.tsx';
import { Table } from '../../parts/table.tsx';
import { WorkspaceAttachments } from '../../parts/workspace-attachments.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';
import { Parameters } from './parameters.tsx';
import { type PolicySet, PolicySetFields, policySetSettings } from './policy-set-fields.tsx';
import { TryChange } from './try-change.tsx';

const one = '/policy-sets/{id}';
const list = '/organizations/{organization}/policy-sets';
const outdates = [one, list, '/policies/{id}'] as const;

export function PolicySetPage({ params: { organization, id } }: Params<'organization' | 'id'>) {
  const set = useRead(one, {
    path: { id },
    query: { include: ['policies', 'workspaces', 'workspace_exclusions', 'projects', 'project_exclusions'] },
  });
  const { attributes } = set.data;
  return (
    <OrganizationPage
      organization={organization}
      section="policy-sets"
      title={attributes.name}
      actions={() => attributes.kind === 'opa' && <TryChange organization={organization} set={set.data} />}
    >
      {() => (
        <>
          <Policies organization={organization} set={set} />
          {attributes.policies.length > 0 && <Declared set={set.data} />}
          <Parameters setId={id} />
          {attributes['tag-selectors'].length > 0 && <Selectors set={set.data} />}
          {attributes.global ? (
            <p>This set applies to every workspace in the organization except the excluded ones.</p>
          ) : (
            <>
              <Workspaces organization={organization} set={set} relationship="workspaces" />
              <Projects organization={organization} set={set} relationship="projects" />
            </>
          )}
          <Workspaces organization={organization} set={set} relationship="workspace-exclusions" />
          <Projects organization={organization} set={set} relationship="project-exclusions" />
          <Settings key={attributes['updated-at']} set={set.data} />
          <DangerZone>
            <RemoveSet organization={organization} set={set.data} />
          </DangerZone>
        </>
      )}
    </OrganizationPage>
  );
}

/** Clients of the API manage them. */
const Selectors = ({ set }: { readonly set: PolicySet }) => (
  <section className="card" aria-labelledby="selectors">
    <h2 id="selectors">Tags</h2>
    <ul>
      {set.attributes['tag-selectors'].map((one) => {
        const tag = `${one['tag-key']}${one['tag-value'] === null ? '' : `=${one['tag-value']}`}`;
        return <li key={`${tag} ${one['is-exclude']}`}>{one['is-exclude'] ? `Never with ${tag}` : `With ${tag}`}</li>;
      })}
    </ul>
  </section>
);

interface Shown {
  readonly organization: string;
  readonly set: { readonly data: PolicySet; readonly included?: readonly { type: string; id: string }[] };
}

function Policies({ organization, set }: Shown) {
  const { id, relationships } = set.data;
  const items = relationships.policies.data.map((policy) => ({
    id: policy.id,
    name: included<Schemas['client.Policy']>(set, 'policies', policy.id)?.attributes.name ?? policy.id,
  }));
  const path = '/policy-sets/{id}/relationships/policies';
  const bodyOf = (policyId: string) => ({ data: [{ type: 'policies' as const, id: policyId }] });
  return (
    <Attachments
      heading="Policies"
      what="policy"
      items={items}
      cell={(item) => <Link href={addresses.inSection(organization, 'policies', item.id)}>{item.name}</Link>}
      empty="No policy with stored code is attached."
      add={async ({ name = '' }) =>
        api.post(path, { path: { id }, body: bodyOf(await policyNamed(organization, name)) })
      }
      remove={(policyId) => api.delete(path, { path: { id }, body: bodyOf(policyId) })}
      outdates={outdates}
      field={<PolicyField organization={organization} />}
    />
  );
}

/** Declared by clients of the API. */
const Declared = ({ set: { attributes } }: { readonly set: PolicySet }) => (
  <section className="card" aria-labelledby="declared">
    <h2 id="declared">Policies stored on the agents</h2>
    <Table
      caption="Policies stored on the agents"
      rows={attributes.policies}
      keyOf={({ name }) => name}
      empty={<p>None.</p>}
      columns={[
        { head: 'Name', cell: ({ name }) => name },
        { head: 'Level', cell: (policy) => policy['enforcement-level'] },
        { head: 'Query', cell: ({ query }) => query !== null && <code>{query}</code> },
        { head: 'Description', cell: ({ description }) => description },
      ]}
    />
  </section>
);

const lists = {
  projects: {
    path: '/policy-sets/{id}/relationships/projects',
    heading: 'Projects',
    empty: 'The set is attached to no project.',
    verbs: ['Attach', 'Detach'],
  },
  'project-exclusions': {
    path: '/policy-sets/{id}/relationships/project-exclusions',
    heading: 'Excluded projects',
    empty: 'No project is excluded.',
    verbs: ['Exclude', 'Include'],
  },
  workspaces: {
    path: '/policy-sets/{id}/relationships/workspaces',
    heading: 'Workspaces',
    empty: 'Not attached to any workspace.',
    verbs: ['Attach', 'Detach'],
  },
  'workspace-exclusions': {
    path: '/policy-sets/{id}/relationships/workspace-exclusions',
    heading: 'Excluded workspaces',
    empty: 'No workspace is excluded.',
    verbs: ['Exclude', 'Include'],
  },
} as const;

function Workspaces({
  organization,
  set,
  relationship,
}: Shown & { readonly relationship: 'workspaces' | 'workspace-exclusions' }) {
  const { id, relationships } = set.data;
  const { path, ...words } = lists[relationship];
  const items = relationships[relationship].data.map((workspace) => ({
    id: workspace.id,
    name: included<Schemas['client.Workspace']>(set, 'workspaces', workspace.id)?.attributes.name ?? workspace.id,
  }));
  const bodyOf = (workspaceId: string) => ({ data: [{ type: 'workspaces' as const, id: workspaceId }] });
  return (
    <WorkspaceAttachments
      {...words}
      organization={organization}
      items={items}
      add={(workspaceId) => api.post(path, { path: { id }, body: bodyOf(workspaceId) })}
      remove={(workspaceId) => api.delete(path, { path: { id }, body: bodyOf(workspaceId) })}
      outdates={outdates}
    />
  );
}

function Projects({
  organization,
  set,
  relationship,
}: Shown & { readonly relationship: 'projects' | 'project-exclusions' }) {
  const { id, relationships } = set.data;
  const { path, ...words } = lists[relationship];
  const items = relationships[relationship].data.map((project) => ({
    id: project.id,
    name: included<Schemas['client.Project']>(set, 'projects', project.id)?.attributes.name ?? project.id,
  }));
  const bodyOf = (projectId: string) => ({ data: [{ type: 'projects' as const, id: projectId }] });
  return (
    <Attachments
      {...words}
      what="project"
      items={items}
      add={async ({ name = '' }) =>
        api.post(path, { path: { id }, body: bodyOf(await projectNamed(organization, name)) })
      }
      remove={(projectId) => api.delete(path, { path: { id }, body: bodyOf(projectId) })}
      outdates={outdates}
      field={<ProjectField organization={organization} />}
    />
  );
}

const Settings = ({ set }: { readonly set: PolicySet }) => (
  <SettingsCard
    save={(values) => {
      const data = { type: 'policy-sets' as const, attributes: policySetSettings(values) };
      return api.patch(one, { path: { id: set.id }, body: { data } });
    }}
    done="The policy set was changed."
    outdates={outdates}
  >
    <PolicySetFields set={set} />
  </SettingsCard>
);

function RemoveSet({ organization, set }: { readonly organization: string; readonly set: PolicySet }) {
  const [, navigate] = useLocation();
  const remove = useChange(() => api.delete(one, { path: { id: set.id } }), {
    done: 'The policy set was deleted.',
    outdates: [list, '/policies/{id}'],
  });
  return (
    <Confirm
      trigger="Delete set"
      title={`Delete ${set.attributes.name}?`}
      confirm="Delete policy set"
      kind="danger"
      isDanger
      onConfirm={async () => {
        await remove.run(undefined);
        navigate(addresses.inOrganization(organization, 'policy-sets'));
      }}
    >
      <p>Its policies are kept. Existing runs still use the set.</p>
    </Confirm>
  );
}
