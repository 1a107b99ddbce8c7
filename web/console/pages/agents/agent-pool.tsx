import { Link, useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { AgentTokens } from '../../agents/agent-tokens.tsx';
import { contactInterval } from '../../agents/contact.ts';
import { api, included, type Schemas } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { useMaybeRead, useMaybeReadEach, useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { Attachments } from '../../parts/attachments.tsx';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { DangerZone } from '../../parts/danger-zone.tsx';
import { CheckField, Field } from '../../parts/field.tsx';
import { ProjectField, projectNamed } from '../../parts/name-fields.tsx';
import type { Params } from '../../parts/params.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { SettingsCard } from '../../parts/settings-card.tsx';
import { WorkspaceAttachments } from '../../parts/workspace-attachments.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';
import { Loading } from '../../shell/page.tsx';

type Pool = Schemas['client.AgentPool'];

const one = '/agent-pools/{id}';
const list = '/organizations/{organization}/agent-pools';
const tokensPath = '/agent-pools/{poolId}/authentication-tokens';

export function AgentPoolPage({ params: { organization, id } }: Params<'organization' | 'id'>) {
  const [values] = useAddressValues();
  const pool = useRead(one, { path: { id }, query: { include: ['workspaces'] } });
  // The service refuses the list to those who may not change the pool, and no other response says who may.
  const { data: tokens, error } = useMaybeRead(
    tokensPath,
    { path: { poolId: id }, query: { 'page[number]': pageOf(values) } },
    { refetchInterval: contactInterval },
  );
  const users = pool.data.relationships.workspaces?.data ?? [];
  return (
    <OrganizationPage organization={organization} section="agent-pools" title={pool.data.attributes.name}>
      {() => (
        <>
          {tokens === undefined && error === null && <Loading />}
          {tokens === undefined && error instanceof Problem && <Refused problem={error} />}
          {tokens !== undefined && (
            <AgentTokens
              organization={organization}
              tokens={tokens}
              issue={(description) =>
                api.post(tokensPath, {
                  path: { poolId: id },
                  body: { data: { type: 'authentication-tokens', attributes: { description } } },
                })
              }
              outdates={[tokensPath]}
            />
          )}
          <section className="card" aria-labelledby="users">
            <h2 id="users">Workspaces that use this pool</h2>
            {users.length === 0 && <p className="quiet">None that you can see.</p>}
            <ul>
              {users.map((workspace) => (
                <li key={workspace.id}>
                  <WorkspaceLink
                    organization={organization}
                    workspace={included<Schemas['client.Workspace']>(pool, 'workspaces', workspace.id)}
                  />
                </li>
              ))}
            </ul>
          </section>
          {tokens !== undefined && (
            <>
              {!pool.data.attributes['organization-scoped'] && (
                <>
                  <Scope organization={organization} pool={pool.data} relationship="allowed-workspaces" />
                  <AllowedProjects organization={organization} pool={pool.data} />
                </>
              )}
              <Scope organization={organization} pool={pool.data} relationship="excluded-workspaces" />
              <Settings key={JSON.stringify(pool.data.attributes)} pool={pool.data} />
            </>
          )}
          {tokens !== undefined && (
            <DangerZone>
              <RemovePool organization={organization} pool={pool.data} />
            </DangerZone>
          )}
        </>
      )}
    </OrganizationPage>
  );
}

const Refused = ({ problem }: { readonly problem: Problem }) =>
  problem.status === 404 ? (
    <p className="notice">
      You cannot change this pool or see its tokens: workspaces that you do not administer use it.
    </p>
  ) : (
    <ProblemView problem={problem} />
  );

interface WorkspaceLinkProps {
  readonly organization: string;
  readonly workspace: Schemas['client.Workspace'] | undefined;
}

const WorkspaceLink = ({ organization, workspace }: WorkspaceLinkProps) =>
  workspace !== undefined && (
    <Link href={addresses.workspace(organization, workspace.attributes.name)}>{workspace.attributes.name}</Link>
  );

const scopes = {
  'allowed-workspaces': {
    heading: 'Allowed workspaces',
    empty: 'No single workspace is allowed.',
    verbs: ['Allow', 'Remove'],
  },
  'excluded-workspaces': {
    heading: 'Excluded workspaces',
    empty: 'No workspace is excluded.',
    verbs: ['Exclude', 'Include'],
  },
} as const;

interface ScopeProps {
  readonly organization: string;
  readonly pool: Pool;
  readonly relationship: keyof typeof scopes;
}

/** The service takes the whole list. */
function Scope({ organization, pool, relationship }: ScopeProps) {
  const ids = pool.relationships[relationship].data.map(({ id }) => id);
  const workspaces = useMaybeReadEach(
    '/workspaces/{id}',
    ids.map((id) => ({ path: { id } })),
  );
  const items = ids.map((id, index) => ({ id, name: workspaces[index]?.data?.data.attributes.name ?? id }));
  const change = (next: readonly string[]) =>
    api.patch(one, {
      path: { id: pool.id },
      body: {
        data: {
          type: 'agent-pools',
          relationships: { [relationship]: { data: next.map((id) => ({ type: 'workspaces' as const, id })) } },
        },
      },
    });
  return (
    <WorkspaceAttachments
      {...scopes[relationship]}
      organization={organization}
      items={items}
      add={(id) => change([...ids, id])}
      remove={(id) => change(ids.filter((other) => other !== id))}
      outdates={[one, list]}
    />
  );
}

/** The service takes the whole list. */
function AllowedProjects({ organization, pool }: Pick<ScopeProps, 'organization' | 'pool'>) {
  const ids = pool.relationships['allowed-projects'].data.map(({ id }) => id);
  const projects = useMaybeReadEach(
    '/projects/{id}',
    ids.map((id) => ({ path: { id } })),
  );
  const items = ids.map((id, index) => ({ id, name: projects[index]?.data?.data.attributes.name ?? id }));
  const change = (next: readonly string[]) => {
    const data = next.map((id) => ({ type: 'projects' as const, id }));
    const relationships = { 'allowed-projects': { data } };
    return api.patch(one, { path: { id: pool.id }, body: { data: { type: 'agent-pools', relationships } } });
  };
  return (
    <Attachments
      heading="Allowed projects"
      what="project"
      items={items}
      empty="No project is allowed."
      verbs={['Allow', 'Remove']}
      add={async ({ name = '' }) => change([...ids, await projectNamed(organization, name)])}
      remove={(id) => change(ids.filter((other) => other !== id))}
      outdates={[one, list]}
      field={<ProjectField organization={organization} />}
    />
  );
}

const Settings = ({ pool: { id, attributes } }: { readonly pool: Pool }) => (
  <SettingsCard
    save={({ name = '', ...values }) => {
      const settings = { name, 'organization-scoped': values['organization-scoped'] === 'on' };
      return api.patch(one, { path: { id }, body: { data: { type: 'agent-pools', attributes: settings } } });
    }}
    done="The agent pool was changed."
    outdates={[one, list]}
  >
    <Field label="Name" name="name" isRequired defaultValue={attributes.name} />
    <CheckField
      label="Available to every workspace in the organization"
      name="organization-scoped"
      isChecked={attributes['organization-scoped']}
    />
  </SettingsCard>
);

function RemovePool({ organization, pool }: { readonly organization: string; readonly pool: Pool }) {
  const [, navigate] = useLocation();
  const remove = useChange(() => api.delete(one, { path: { id: pool.id } }), {
    done: 'The agent pool was deleted.',
    outdates: [list],
  });
  return (
    <Confirm
      trigger="Delete pool"
      title={`Delete ${pool.attributes.name}?`}
      confirm="Delete agent pool"
      kind="danger"
      isDanger
      onConfirm={async () => {
        await remove.run(undefined);
        navigate(addresses.inOrganization(organization, 'agent-pools'));
      }}
    >
      <p>Its tokens are revoked.</p>
    </Confirm>
  );
}
