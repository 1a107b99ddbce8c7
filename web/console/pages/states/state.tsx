import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api } from '../../api/client.ts';
import { useMaybeRead, useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { DisabledButton } from '../../parts/button.tsx';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { StatusBadge } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { OutputTable } from '../../state/outputs.tsx';
import { Resources } from '../../state/resources.tsx';
import type { Workspace } from '../../workspace/workspace.ts';
import { WorkspacePage } from '../../workspace/workspace-page.tsx';
import { Origin } from './state-origin.tsx';
import { type StateVersion, titleOf } from './state-version.ts';

type Names = Params<'organization' | 'workspace' | 'id'>;

export function StatePage({ params: { organization, workspace: name, id } }: Names) {
  const { data: version } = useRead('/state-versions/{id}', { path: { id } });
  const { attributes, relationships } = version;
  return (
    <WorkspacePage
      organization={organization}
      name={name}
      tab="states"
      title={titleOf(version)}
      badges={<StatusBadge of="state" status={attributes.status} />}
      actions={(workspace) => <RollBack workspace={workspace} version={version} />}
    >
      {(workspace) => (
        <>
          <section className="card" aria-labelledby="about">
            <h2 id="about">About</h2>
            <Facts
              facts={[
                ['ID', <code key="id">{id}</code>],
                ['Created', <Time key="at" at={attributes['created-at']} />],
                ['Created by', <Origin key="by" organization={organization} name={name} of={relationships} />],
                ['Lineage', <code key="lineage">{attributes.lineage}</code>],
                ['MD5', <code key="md5">{attributes.md5}</code>],
                ['Terraform', attributes['terraform-version']],
                ['Resources', attributes['resource-count']],
                ['Bytes', attributes.size],
                ['Content', <Downloads key="content" version={version} />],
                ['Compare', <ToCurrent key="compare" organization={organization} workspace={workspace} id={id} />],
              ]}
            />
          </section>
          {workspace.attributes.permissions['can-read-state-outputs'] && attributes['resources-processed'] && (
            <Outputs id={id} />
          )}
          <section className="card" aria-labelledby="resources">
            <h2 id="resources">Resources</h2>
            <Resources state={version} />
          </section>
        </>
      )}
    </WorkspacePage>
  );
}

/** Links with a signed address, which need no token. */
const Downloads = ({ version: { attributes } }: { readonly version: StateVersion }) => {
  const { 'hosted-state-download-url': state, 'hosted-json-state-download-url': json } = attributes;
  if (state === null) return <span className="quiet">not stored</span>;
  return (
    <>
      <a href={state} download>
        Download
      </a>
      {json !== null && (
        <>
          {' '}
          <a href={json} download>
            Download as JSON
          </a>
        </>
      )}
    </>
  );
};

interface ToCurrentProps {
  readonly organization: string;
  readonly workspace: Workspace;
  readonly id: string;
}

function ToCurrent({ organization, workspace, id }: ToCurrentProps) {
  const current = workspace.relationships['current-state-version'].data?.id;
  if (current === undefined || current === id) return 'this is the current state';
  return (
    <Link href={addresses.stateDiff(organization, workspace.attributes.name, id, current)}>with the current state</Link>
  );
}

function obstacleOf(
  { attributes: { locked, permissions }, relationships }: Workspace,
  version: StateVersion,
  isOwnLock: boolean,
): string | undefined {
  if (relationships['current-state-version'].data?.id === version.id) return 'This state is the current one.';
  if (version.attributes.status !== 'finalized') return 'The content of this state is not stored.';
  if (locked && !isOwnLock) return 'The workspace is locked. Only the holder of the lock can roll back.';
  return locked || permissions['can-lock'] ? undefined : 'A rollback locks the workspace, which you may not do.';
}

/** The service lets only the holder of the lock write a state. */
function RollBack({ workspace, version }: { readonly workspace: Workspace; readonly version: StateVersion }) {
  const { locked, permissions } = workspace.attributes;
  const path = { id: workspace.id };
  const account = useMaybeRead('/account/details', {}, { enabled: locked }).data?.data;
  const holder = workspace.relationships['locked-by']?.data?.id;
  const isOwnLock = locked && account !== undefined && account.id === holder;
  const rollBack = useChange(
    async () => {
      if (!isOwnLock) {
        const reason = `Roll back to ${titleOf(version).toLowerCase()}`;
        await api.post('/workspaces/{id}/actions/lock', { path, body: { reason } });
      }
      try {
        return await api.patch('/workspaces/{workspaceId}/state-versions', {
          path: { workspaceId: workspace.id },
          body: {
            data: {
              type: 'state-versions',
              relationships: { 'rollback-state-version': { data: { type: 'state-versions', id: version.id } } },
            },
          },
        });
      } finally {
        if (!isOwnLock) await api.post('/workspaces/{id}/actions/unlock', { path });
      }
    },
    {
      done: 'The state was rolled back.',
      outdates: ['/organizations/{organization}/workspaces/{name}', '/state-versions', '/state-versions/{id}'],
    },
  );
  if (!permissions['can-create-state-versions']) return null;
  const obstacle = obstacleOf(workspace, version, isOwnLock);
  if (obstacle !== undefined) return <DisabledButton because={obstacle}>Roll back</DisabledButton>;
  return (
    <Confirm
      trigger="Roll back"
      title={`Roll back to ${titleOf(version).toLowerCase()}?`}
      confirm="Roll back state"
      isDanger
      onConfirm={() => rollBack.run(undefined)}
    >
      <p>
        A new state with this content becomes current. Resources are not changed.
        {!isOwnLock && ' The workspace is locked meanwhile.'}
      </p>
    </Confirm>
  );
}

function Outputs({ id }: { readonly id: string }) {
  const [values] = useAddressValues();
  const { data, meta } = useRead('/state-versions/{id}/outputs', {
    path: { id },
    query: { 'page[number]': pageOf(values) },
  });
  return (
    <section className="card" aria-labelledby="outputs">
      <h2 id="outputs">Outputs</h2>
      <OutputTable outputs={data} />
      <Pager pagination={meta.pagination} what="Outputs" />
    </section>
  );
}
