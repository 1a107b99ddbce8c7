import { useRead } from '../../api/reading.ts';
import { useAddressValues } from '../../parts/address-values.ts';
import { useSettled } from '../../parts/settled.ts';
import type { Params } from '../../routes.ts';
import { OrganizationPage } from '../../shell/organization-page.tsx';
import { AuditFilters, AuditTable, auditQuery } from './audit-events.tsx';

export const AuditPage = ({ params: { organization } }: Params<'organization'>) => (
  <OrganizationPage organization={organization} section="audit">
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
