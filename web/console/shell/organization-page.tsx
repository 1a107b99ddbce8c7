import type { ReactNode } from 'react';
import { addresses } from '../addresses.ts';
import type { Schemas } from '../api/client.ts';
import { useOrganizationChanges } from '../api/live.ts';
import { useRead } from '../api/reading.ts';
import { organizationSections } from '../sections.ts';
import { NotFound, Page } from './page.tsx';

export type Organization = Schemas['client.Organization'];

interface Props {
  readonly organization: string;
  /** The `path` of the section, as in `sections.ts`. */
  readonly section: string;
  /** The heading where the page is about one thing of the section; the section is then among the breadcrumbs. */
  readonly title?: string;
  readonly badges?: ReactNode;
  readonly actions?: (organization: Organization) => ReactNode;
  readonly children: (organization: Organization) => ReactNode;
}

/** A page of an organization below one of its sections. */
export function OrganizationPage({ organization, section, title, badges, actions, children }: Props) {
  const { data } = useRead('/organizations/{organization}', { path: { organization } });
  useOrganizationChanges(organization);
  const current = organizationSections.find(({ path }) => path === section);
  const label = current?.label ?? section;
  const { permissions } = data.attributes;
  const isOffered = current?.when === undefined || (permissions !== undefined && current.when(permissions));
  return (
    <Page
      title={title ?? current?.heading ?? label}
      crumbs={[
        ...(section === '' ? [] : [{ label: organization, href: addresses.home(organization) }]),
        ...(title === undefined ? [] : [{ label, href: addresses.inOrganization(organization, section) }]),
      ]}
      badges={badges}
      actions={isOffered ? actions?.(data) : undefined}
    >
      {isOffered ? children(data) : <NotFound />}
    </Page>
  );
}
