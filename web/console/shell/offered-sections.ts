import { useMaybeRead } from '../api/reading.ts';
import { organizationSections } from '../sections.ts';

/** The sections of an organization that the caller may use; without an organization, none. */
export function useOfferedSections(organization: string | undefined): typeof organizationSections {
  const { data } = useMaybeRead(
    '/organizations/{organization}',
    { path: { organization: organization ?? '' } },
    { enabled: organization !== undefined },
  );
  if (organization === undefined) return [];
  const permissions = data?.data.attributes.permissions;
  return organizationSections.filter(
    ({ when }) => when === undefined || (permissions !== undefined && when(permissions)),
  );
}
