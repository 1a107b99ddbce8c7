import { useRead } from '../../api/reading.ts';
import { useAddressValues, type Values } from '../../parts/address-values.ts';
import { FilterField } from '../../parts/filters.tsx';
import { useSettled } from '../../parts/settled.ts';
import { SitePage } from '../../shell/site-page.tsx';
import { AuditFilters, AuditTable, auditFilters, auditQuery } from './audit-events.tsx';
import { ExportEvents } from './export-events.tsx';

const siteFilters = (values: Values) => ({
  ...auditFilters(values),
  'filter[organization]': values.organization ?? '',
});

export function SiteAuditPage() {
  const [values, change] = useAddressValues();
  return (
    <SitePage
      tab="audit"
      actions={<ExportEvents path="/admin/audit-events" filters={siteFilters} name="audit-events-site" />}
    >
      <p>Events outside organizations, and what remains of an organization that was deleted.</p>
      <AuditFilters>
        <FilterField
          label="Deleted organization ID"
          value={values.organization}
          onChange={(organization) => change({ organization })}
        />
      </AuditFilters>
      <Events />
    </SitePage>
  );
}

function Events() {
  const [values] = useAddressValues();
  const query = { ...auditQuery(values), ...siteFilters(values) };
  return <AuditTable events={useRead('/admin/audit-events', useSettled({ query }))} />;
}
