import { useRead } from '../../api/reading.ts';
import { useAddressValues } from '../../parts/address-values.ts';
import type { Params } from '../../parts/params.ts';
import { useSettled } from '../../parts/settled.ts';
import { OrganizationPage } from '../../shell/organization-page.tsx';
import { AuditFilters, AuditTable, auditFilters, auditQuery } from './audit-events.tsx';
import { ExportEvents } from './export-events.tsx';

export const AuditPage = ({ params: { organization } }: Params<'organization'>) => (
  <OrganizationPage
    organization={organization}
    section="audit"
    actions={() => (
      <ExportEvents
        path={`/organizations/${encodeURIComponent(organization)}/audit-events`}
        filters={auditFilters}
        name={`audit-events-${organization}`}
      />
    )}
  >
    {() => (
      <>
        <AuditFilters />
        <Events organization={organization} />
      </>
    )}
  </OrganizationPage>
);

function Events({ organization }: { readonly organization: string }) {
  const [values] = useAddressValues();
  const events = useRead(
    '/organizations/{organization}/audit-events',
    useSettled({ path: { organization }, query: auditQuery(values) }),
  );
  return <AuditTable events={events} />;
}
