import type { ReactNode } from 'react';
import { addresses } from '../addresses.ts';
import { NavLinks } from '../parts/nav-links.tsx';
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
      <NavLinks
        label="Site administration"
        links={siteTabs.map(({ path, label }) => ({
          href: addresses.site(path),
          label,
          current: path === tab ? (title === undefined ? 'page' : 'true') : undefined,
        }))}
      />
      {children}
    </Page>
  );
}
