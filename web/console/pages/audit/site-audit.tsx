import { useRead } from '../../api/reading.ts';
import { useAddressValues } from '../../parts/address-values.ts';
import { FilterField } from '../../parts/filters.tsx';
import { useSettled } from '../../parts/settled.ts';
import { SitePage } from '../../shell/site-page.tsx';
import { AuditFilters, AuditTable, auditQuery } from './audit-events.tsx';

export function SiteAuditPage() {
  const [values, change] = useAddressValues();
  return (
    <SitePage tab="audit">
      <p>Events outside organizations, and what remains of an organization that was deleted.</p>
      <AuditFilters>
        <FilterField
          label="ID of a deleted organization"
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
  const query = { ...auditQuery(values), 'filter[organization]': values.organization ?? '' };
  return <AuditTable events={useRead('/admin/audit-events', useSettled({ query }))} />;
}
