import { useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { Pager } from '../../parts/pager.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { SitePage } from '../../shell/site-page.tsx';

export const FailingJobsPage = () => (
  <SitePage tab="jobs">
    <FailingJobs />
  </SitePage>
);

function FailingJobs() {
  const [values] = useAddressValues();
  const { data, meta } = useRead('/admin/failing-effects', { query: { 'page[number]': pageOf(values) } });
  return (
    <>
      <Table
        caption="Failing jobs"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>No background job fails.</p>}
        columns={[
          { head: 'Job', cell: ({ attributes }) => attributes.kind },
          { head: 'Subject', cell: ({ attributes }) => <code>{attributes.subject}</code> },
          { head: 'Attempts', isNumber: true, cell: ({ attributes }) => attributes.attempts },
          { head: 'Last error', cell: ({ attributes }) => attributes['last-error'] },
          { head: 'Next attempt', cell: ({ attributes }) => <Time at={attributes['next-attempt-at']} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Failing jobs" />
    </>
  );
}
