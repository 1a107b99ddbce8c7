import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { included, type Schemas } from '../api/client.ts';
import { useRead } from '../api/reading.ts';
import { pageQuery, useAddressValues } from '../parts/address-values.ts';
import { OutsideLink } from '../parts/outside-link.tsx';
import { Pager } from '../parts/pager.tsx';
import type { Params } from '../parts/params.ts';
import { useSettled } from '../parts/settled.ts';
import { Badge, StatusBadge } from '../parts/status.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import type { Workspace } from '../workspace/workspace.ts';
import { WorkspacePage } from '../workspace/workspace-page.tsx';
import { VersionActions } from './configuration-versions/actions.tsx';

type Version = Schemas['client.ConfigurationVersion'];
type Names = Params<'organization' | 'workspace'>;

export const ConfigurationVersionsPage = ({ params: { organization, workspace: name } }: Names) => (
  <WorkspacePage organization={organization} name={name} tab="configuration-versions">
    {(workspace) => <Versions organization={organization} workspace={workspace} />}
  </WorkspacePage>
);

/** The stamp of the latest status, if there is one. */
const changedAt = ({ attributes }: Version): string | undefined =>
  Object.values(attributes['status-timestamps']).sort().at(-1);

const kindsOf = ({ attributes }: Version): string =>
  [attributes.speculative && 'speculative', attributes.provisional && 'provisional'].filter(Boolean).join(', ');

function Versions({ organization, workspace }: { readonly organization: string; readonly workspace: Workspace }) {
  const [values] = useAddressValues();
  const options = useSettled({
    path: { workspaceId: workspace.id },
    query: { include: ['ingress_attributes' as const, 'run' as const], ...pageQuery(values) },
  });
  const list = useRead('/workspaces/{workspaceId}/configuration-versions', options);
  const current = workspace.relationships['current-configuration-version'].data?.id;
  const runOf = ({ relationships }: Version) =>
    included<Schemas['client.Run']>(list, 'runs', relationships.run?.data?.id);
  const commitOf = ({ relationships }: Version) =>
    included<Schemas['client.IngressAttributes']>(
      list,
      'ingress-attributes',
      relationships['ingress-attributes'].data?.id,
    );
  return (
    <>
      <Table
        caption="Configuration versions"
        rows={list.data}
        keyOf={({ id }) => id}
        empty={<p>No configuration was uploaded yet.</p>}
        columns={[
          {
            head: 'Version',
            cell: (version) => (
              <>
                <code>{version.id}</code> {version.id === current && <Badge tone="good">current</Badge>}
                <span className="quiet"> {kindsOf(version)}</span>
              </>
            ),
          },
          {
            head: 'Status',
            cell: ({ attributes }) => (
              <>
                <StatusBadge of="version" status={attributes.status} />
                {attributes['error-message'] !== null && <p>{attributes['error-message']}</p>}
              </>
            ),
          },
          {
            head: 'Source',
            cell: (version) => <Source version={version} commit={commitOf(version)} />,
          },
          {
            head: 'Run',
            cell: (version) => {
              const run = runOf(version);
              return run === undefined ? (
                <span className="quiet">none</span>
              ) : (
                <Link href={addresses.run(organization, workspace.attributes.name, run.id)}>
                  {run.attributes.message || run.id}
                </Link>
              );
            },
          },
          { head: 'Changed', cell: (version) => <Time at={changedAt(version)} /> },
          {
            head: 'Actions',
            cell: (version) => (
              <VersionActions version={version} workspace={workspace} isCurrent={version.id === current} />
            ),
          },
        ]}
      />
      <Pager pagination={list.meta.pagination} what="Configuration versions" />
    </>
  );
}

/** The programs that create versions; others name themselves. */
const sources: Readonly<Record<string, string>> = { 'tfe-api': 'API', terraform: 'terraform' };

interface SourceProps {
  readonly version: Version;
  readonly commit: Schemas['client.IngressAttributes'] | undefined;
}

function Source({ version, commit }: SourceProps) {
  if (commit === undefined) return sources[version.attributes.source] ?? version.attributes.source;
  const { attributes } = commit;
  const firstLine = attributes['commit-message']?.split('\n', 1)[0];
  return (
    <>
      <OutsideLink href={attributes['commit-url']}>
        <code>{attributes['commit-sha'].slice(0, 8)}</code>
      </OutsideLink>{' '}
      {firstLine}
      <span className="quiet">
        {' '}
        {attributes.branch}
        {attributes['sender-username'] !== null && ` by ${attributes['sender-username']}`}
        {attributes['pull-request-number'] !== null && `, pull request ${attributes['pull-request-number']}`}
      </span>
    </>
  );
}
