import { useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { useMaybeRead } from '../api/reading.ts';
import { NavLinks } from '../parts/nav-links.tsx';
import { organizationSections } from '../sections.ts';

/** The sections of an organization that the caller may use. */
export function SectionLinks({ organization }: { readonly organization: string }) {
  const [location] = useLocation();
  const { data } = useMaybeRead('/organizations/{organization}', { path: { organization } });
  const permissions = data?.data.attributes.permissions;
  const offered = organizationSections.filter(
    ({ when }) => when === undefined || (permissions !== undefined && when(permissions)),
  );
  return (
    <NavLinks
      label="Organization"
      className="sections"
      links={offered.map(({ path, label }) => {
        const href = addresses.inOrganization(organization, path);
        const isCurrent = location === href || location.startsWith(`${href}/`);
        return { href, label, current: isCurrent ? 'page' : undefined };
      })}
    />
  );
}
