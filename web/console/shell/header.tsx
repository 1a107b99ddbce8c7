import { Link, useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { useMaybeRead } from '../api/reading.ts';
import { session, useIsSignedIn } from '../api/session.ts';
import { MenuButton } from '../parts/menu-button.tsx';
import { Icon } from './icons.tsx';
import { Jump } from './jump.tsx';
import { OrganizationSwitcher, useOrganizationName } from './organization-switcher.tsx';
import { Drawer } from './sidebar.tsx';
import { ThemeMenu } from './theme-menu.tsx';

const AccountMenu = () => {
  const [, navigate] = useLocation();
  const { data } = useMaybeRead('/account/details', {});
  return (
    <MenuButton
      label={data?.data.attributes.username ?? 'Account'}
      name="Account"
      icon={<Icon name="account" />}
      items={[
        { label: 'Your tokens and sessions', onAction: () => navigate(addresses.userTokens) },
        ...(data?.data.attributes['is-site-admin']
          ? [{ label: 'Site administration', onAction: () => navigate(addresses.site('users')) }]
          : []),
        { label: 'Sign out', onAction: () => void session.signOut() },
      ]}
    />
  );
};

/** The version of the service that sent the page. */
const version = document.querySelector<HTMLMetaElement>('meta[name="gatehouse-version"]')?.content;

export function Header() {
  const isSignedIn = useIsSignedIn();
  const organization = useOrganizationName();
  return (
    <header className="bar">
      <div className="bar-inside">
        {isSignedIn && organization !== undefined && <Drawer organization={organization} />}
        <Link href={addresses.organizations} className="brand">
          <img src="/assets/icon.svg" alt="" width="28" height="28" /> Gatehouse{' '}
          <span className="version">{version}</span>
        </Link>
        {isSignedIn && <OrganizationSwitcher />}
        <nav aria-label="Service" className="bar-links">
          {isSignedIn && <Jump organization={organization} />}
          <ThemeMenu />
          <a href="/docs">
            <Icon name="reference" /> <span className="wide">API reference</span>
          </a>
        </nav>
        {isSignedIn && <AccountMenu />}
      </div>
    </header>
  );
}
