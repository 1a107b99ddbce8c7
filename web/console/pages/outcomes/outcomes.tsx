import { keepPreviousData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import type { QueryOf, Schemas } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { pageOf, useAddressValues, type Values } from '../../parts/address-values.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { type Organization, OrganizationPage } from '../../shell/organization-page.tsx';
import { Loading } from '../../shell/page.tsx';
import { everyDay, failedShare, firstOfDays, outcomes, type Sums, totalOf } from './counts.ts';
import { DayPlot, dayIn, labelOf, Patterns, RowBar } from './plot.tsx';

const path = '/organizations/{organization}/policy-outcome-counts';
type Query = QueryOf<typeof path>;
type Count = Schemas['client.PolicyOutcomeCount'];

const usual = '30';
const periods = ['7', usual, '90'].map((value) => ({ value, label: `${value} days` }));
const kinds = [
  { value: '', label: 'That can be applied' },
  { value: 'all', label: 'All, also plan only' },
];
const groups = [
  { value: '', label: 'Policy' },
  { value: 'set', label: 'Policy set' },
];

/** The workspaces that are shown. */
const worst = 10;

export const OutcomesPage = ({ params: { organization: name } }: Params<'organization'>) => (
  <OrganizationPage organization={name} section="outcomes">
    {(organization) => (
      <>
        <Filters />
        <Outcomes name={name} organization={organization} />
      </>
    )}
  </OrganizationPage>
);

function Filters() {
  const [values, change] = useAddressValues();
  return (
    <search className="filters" aria-label="Policy outcomes">
      <SelectField
        label="Period"
        value={periodOf(values)}
        choices={periods}
        onChange={(days) => change({ days: days === usual ? '' : days })}
      />
      <SelectField label="Runs" value={values.runs ?? ''} choices={kinds} onChange={(runs) => change({ runs })} />
      <SelectField label="Count by" value={values.by ?? ''} choices={groups} onChange={(by) => change({ by })} />
    </search>
  );
}

const periodOf = ({ days }: Values): string => periods.find(({ value }) => value === days)?.value ?? usual;

interface Props {
  readonly name: string;
  readonly organization: Organization;
}

function Outcomes({ name, organization }: Props) {
  const [values] = useAddressValues();
  const days = periodOf(values);
  const isBySet = values.by === 'set';
  // The service knows the usual first day, whatever the clock of this browser says.
  const from = days === usual ? '' : firstOfDays(Number(days), Date.now());
  const query: Query = { 'filter[from]': from, 'filter[speculative]': values.runs === 'all' ? 'true' : 'false' };
  const counted = (more: Query) => ({ path: { organization: name }, query: { ...query, ...more } });
  const kept = { placeholderData: keepPreviousData };
  const byDay = useMaybeRead(path, counted({ group: 'day', 'page[size]': 100 }), kept);
  const listed = { 'page[number]': pageOf(values) };
  // A read for each, so that what is kept of one never stands under the heading of the other.
  const byPolicy = useMaybeRead(path, counted({ group: 'policy', ...listed }), { ...kept, enabled: !isBySet });
  const bySet = useMaybeRead(path, counted({ group: 'policy-set', ...listed }), { ...kept, enabled: isBySet });
  const chosen = isBySet ? bySet : byPolicy;
  const byWorkspace = useMaybeRead(path, counted({ group: 'workspace', 'page[size]': worst }), kept);
  const reads = [byDay, chosen, byWorkspace];
  const failed = reads.find(({ error }) => error !== null);
  if (failed !== undefined) {
    return <Missing problem={failed.error} retry={() => reads.map((read) => read.refetch())} />;
  }
  if (byDay.data === undefined || byWorkspace.data === undefined) return <Loading />;
  const { data, meta } = byDay.data;
  const mayManage = organization.attributes.permissions?.['can-update-sentinel'] === true;
  if (data.length === 0) return <Empty name={name} days={days} mayManage={mayManage} />;
  const found = byWorkspace.data.meta.pagination['total-count'];
  return (
    <>
      <Patterns />
      <section aria-labelledby="by-policy">
        <h2 id="by-policy">{isBySet ? 'Policy sets' : 'Policies'}</h2>
        {chosen.data === undefined ? (
          <Loading />
        ) : (
          <>
            <Counts
              caption={isBySet ? 'Policy sets' : 'Policies'}
              counts={chosen.data.data}
              names={[...(isBySet ? [] : [policyName]), { head: 'Policy set', cell: setName(name, mayManage) }]}
            />
            <Pager pagination={chosen.data.meta.pagination} what={isBySet ? 'Policy sets' : 'Policies'} />
          </>
        )}
      </section>
      <section className="card" aria-labelledby="by-day">
        <h2 id="by-day">By day</h2>
        <ByDay meta={meta} counts={data} />
      </section>
      <section aria-labelledby="by-workspace">
        <h2 id="by-workspace">Workspaces</h2>
        <Counts
          caption="Workspaces"
          counts={byWorkspace.data.data}
          names={[{ head: 'Workspace', cell: workspaceName(name) }]}
          more={[{ head: 'Runs', cell: runsLink(name) }]}
        />
        {found > worst && (
          <p className="quiet">
            The {worst} of {found} workspaces in which policies failed most often are shown.
          </p>
        )}
      </section>
    </>
  );
}

const policyName: Column<Count> = {
  head: 'Policy',
  cell: ({ attributes }) => attributes['policy-name'] ?? <span className="quiet">The whole set</span>,
};

const setName =
  (organization: string, mayManage: boolean) =>
  ({ attributes: { 'policy-set-name': set } }: Count): ReactNode =>
    mayManage ? (
      <Link
        href={`${addresses.inOrganization(organization, 'policy-sets')}?${new URLSearchParams({ name: set ?? '' })}`}
      >
        {set}
      </Link>
    ) : (
      set
    );

const workspaceName =
  (organization: string) =>
  ({ attributes: { 'workspace-name': name } }: Count): ReactNode => (
    <Link href={addresses.workspace(organization, name ?? '')}>{name}</Link>
  );

const runsLink =
  (organization: string) =>
  ({ attributes: { 'workspace-name': name } }: Count): ReactNode => (
    <Link
      href={`${addresses.inOrganization(organization, 'runs')}?${new URLSearchParams({ workspaces: name ?? '' })}`}
      aria-label={`Runs of ${name}`}
    >
      Runs
    </Link>
  );

const numbers = <Row,>(sumsOf: (row: Row) => Sums): readonly Column<Row>[] =>
  outcomes.map((outcome) => ({ head: labelOf(outcome), isNumber: true, cell: (row) => sumsOf(row)[outcome] }));

interface DaysProps {
  readonly meta: { readonly from: string; readonly until: string };
  readonly counts: readonly Count[];
}

function ByDay({ meta: { from, until }, counts }: DaysProps) {
  const counted = counts.map(({ attributes }) => ({ day: attributes.day ?? '', sums: attributes }));
  const days = everyDay(from, until, counted);
  return (
    <>
      <DayPlot days={days} />
      <details>
        <summary>Numbers of each day</summary>
        <p className="quiet">A run counts on the day of its creation, in UTC. Days without policies are left out.</p>
        <Table
          caption="Days"
          rows={days.filter(({ sums }) => totalOf(sums) > 0).toReversed()}
          keyOf={({ day }) => day}
          empty={null}
          columns={[{ head: 'Day', cell: ({ day }) => dayIn(day) }, ...numbers(({ sums }: { sums: Sums }) => sums)]}
        />
      </details>
    </>
  );
}

interface CountsProps {
  readonly caption: string;
  readonly counts: readonly Count[];
  readonly names: readonly Column<Count>[];
  readonly more?: readonly Column<Count>[];
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent' });

/** The numbers of each row, and their shares as a bar. */
function Counts({ caption, counts, names, more = [] }: CountsProps) {
  return (
    <Table
      caption={caption}
      rows={counts}
      keyOf={({ id }) => id}
      empty={<p>None.</p>}
      columns={[
        ...names,
        ...numbers(({ attributes }: Count) => attributes),
        {
          head: 'Share of failures',
          isNumber: true,
          cell: ({ attributes }) => percent.format(failedShare(attributes)),
        },
        { head: 'Distribution', cell: ({ attributes }) => <RowBar sums={attributes} /> },
        ...more,
      ]}
    />
  );
}

/** After an upgrade the service adds up the outcomes of existing runs, and refuses until then; its sentence says so. */
function Missing({ problem, retry }: { readonly problem: unknown; readonly retry: () => unknown }) {
  const refusal = problem instanceof Problem && problem.status === 503 ? problem.errors[0]?.detail : undefined;
  return (
    <div className="empty">
      {refusal === undefined ? <ProblemView problem={problem} /> : <p role="status">The service answers: {refusal}.</p>}
      <Button onPress={() => void retry()}>Try again</Button>
    </div>
  );
}

interface EmptyProps {
  readonly name: string;
  readonly days: string;
  readonly mayManage: boolean;
}

const Empty = ({ name, days, mayManage }: EmptyProps) => (
  <div className="empty">
    <p>
      No policy was evaluated in the last {days} days, in workspaces that you can read. A policy set checks the plan of
      each run in its workspaces; how often its policies pass, fail and are overridden is counted here.
    </p>
    {mayManage && (
      <>
        <p>
          <Link className="button button-main" href={addresses.inOrganization(name, 'policy-sets')}>
            Create a policy set
          </Link>
        </p>
        <p>Terraform does the same with these lines:</p>
        <pre className="lines">{setBlock(name)}</pre>
      </>
    )}
  </div>
);

const setBlock = (organization: string): string => `resource "tfe_policy_set" "baseline" {
  name         = "baseline"
  organization = "${organization}"
  kind         = "opa"
  global       = true
  policy_ids   = [tfe_policy.owners.id]
}

resource "tfe_policy" "owners" {
  name         = "owners"
  organization = "${organization}"
  kind         = "opa"
  query        = "data.owners.deny"
  enforce_mode = "mandatory"
  policy       = file("owners.rego")
}`;
