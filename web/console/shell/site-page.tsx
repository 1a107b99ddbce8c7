import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { siteTabs } from '../sections.ts';
import { Page } from './page.tsx';

interface Props {
  readonly tab: (typeof siteTabs)[number]['path'];
  /** The heading where the page is about one thing below the tab; the tab is then among the breadcrumbs. */
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page for site administrators. The service answers its reads with 404 to all others. */
export function SitePage({ tab, title, actions, children }: Props) {
  const label = siteTabs.find(({ path }) => path === tab)?.label ?? tab;
  return (
    <Page
      title={title ?? label}
      crumbs={[
        { label: 'Organizations', href: addresses.organizations },
        ...(title === undefined ? [] : [{ label, href: addresses.site(tab) }]),
      ]}
      actions={actions}
    >
      <nav aria-label="Site administration" className="tabs">
        {siteTabs.map(({ path, label }) => (
          <Link
            key={path}
            href={addresses.site(path)}
            aria-current={path === tab ? (title === undefined ? 'page' : 'true') : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}
