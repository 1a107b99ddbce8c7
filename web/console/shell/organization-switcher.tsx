import { useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { useMaybeRead } from '../api/reading.ts';
import { MenuButton } from '../parts/menu-button.tsx';

/** The organization of the current address. */
export function useOrganizationName(): string | undefined {
  const [location] = useLocation();
  const [, name] = /^\/app\/([^/]+)/.exec(location) ?? [];
  return name === undefined || name === 'settings' ? undefined : decodeURIComponent(name);
}

/** The first hundred organizations; the page with all of them has a search. */
export function OrganizationSwitcher() {
  const [, navigate] = useLocation();
  const current = useOrganizationName();
  const { data } = useMaybeRead('/organizations', { query: { 'page[size]': 100 } });
  const names = (data?.data ?? []).map(({ attributes }) => attributes.name);
  return (
    <MenuButton
      label={current ?? 'Organizations'}
      name="Organization"
      items={[
        ...names.map((name) => ({ label: name, onAction: () => navigate(addresses.workspaces(name)) })),
        { label: 'All organizations', onAction: () => navigate(addresses.organizations) },
      ]}
    />
  );
}
