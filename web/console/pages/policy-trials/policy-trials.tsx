import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import type { Schemas } from '../../api/client.ts';
import { useMaybeRead, useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { Creator } from '../../parts/creator.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { StatusBadge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';

type Trial = Schemas['client.PolicyTrial'];

export const PolicyTrialsPage = ({ params: { organization } }: Params<'organization'>) => (
  <OrganizationPage organization={organization} section="policy-trials">
    {() => <Trials organization={organization} />}
  </OrganizationPage>
);

function Trials({ organization }: { readonly organization: string }) {
  const [values] = useAddressValues();
  const path = { organization };
  const { data, meta } = useRead('/organizations/{organization}/policy-trials', {
    path,
    query: { 'page[number]': pageOf(values) },
  });
  const sets = useMaybeRead('/organizations/{organization}/policy-sets', { path, query: { 'page[size]': 100 } });
  const titleOf = ({ relationships }: Trial): string => {
    const id = relationships['policy-set'].data?.id;
    if (id === undefined) return 'Trial without a policy set';
    return `Trial of ${sets.data?.data.find((set) => set.id === id)?.attributes.name ?? id}`;
  };
  return (
    <>
      <Table
        caption="Policy trials"
        rows={data}
        keyOf={({ id }) => id}
        empty={<Empty organization={organization} />}
        columns={[
          {
            head: 'Trial',
            cell: (trial) => (
              <Link
                href={addresses.inSection(organization, 'policy-trials', trial.id)}
                aria-label={`${titleOf(trial)}, ${trial.id}`}
              >
                {titleOf(trial)}
              </Link>
            ),
          },
          { head: 'Status', cell: ({ attributes }) => <StatusBadge of="trial" status={attributes.status} /> },
          { head: 'Policies', isNumber: true, cell: ({ attributes }) => attributes.policies.length },
          {
            head: 'Started by',
            cell: ({ relationships }) => <Creator organization={organization} of={relationships['created-by'].data} />,
          },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          { head: 'ID', cell: ({ id }) => <code>{id}</code> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Policy trials" />
    </>
  );
}

const Empty = ({ organization }: { readonly organization: string }) => (
  <>
    <p>
      A policy trial says what would fail if the code of a policy set changed: agents evaluate the new code against
      plans that exist. Runs do not change.
    </p>
    <p>
      Open a <Link href={addresses.inOrganization(organization, 'policy-sets')}>policy set</Link> and choose{' '}
      <em>Try a change</em>. In a terminal, with a token that manages policies:
    </p>
    <pre className="lines">{`export GATEHOUSE_URL=${location.origin} GATEHOUSE_TOKEN=…
gatehouse policy try ${organization} ./policies --set NAME`}</pre>
  </>
);
