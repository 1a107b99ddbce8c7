import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { addresses } from '../addresses.ts';

export interface Crumb {
  readonly label: string;
  readonly href: string;
}

interface Props {
  /** The heading, and the first part of the document's title. */
  readonly title: string;
  /** Stands above the heading; it gets the place of the heading if it has that itself. */
  readonly above?: (heading: RefObject<HTMLHeadingElement | null>) => ReactNode;
  /** Whether the heading is the one of `above`. */
  readonly isTitledAbove?: boolean;
  readonly crumbs?: readonly Crumb[];
  /** Buttons next to the heading. */
  readonly actions?: ReactNode;
  /** Status badges next to the heading. */
  readonly badges?: ReactNode;
  readonly children: ReactNode;
}

/** The heading that was last shown: a new one gets the focus, the first of a visit does not. */
let shown: string | undefined;

/** A page's heading with its way back, and its content. */
export function Page({ title, crumbs = [], above, isTitledAbove = false, actions, badges, children }: Props) {
  const Heading = above === undefined ? 'h1' : 'h2';
  const heading = useRef<HTMLHeadingElement>(null);
  const place = [title, ...crumbs.map(({ label }) => label).reverse()].join(' · ');
  useEffect(() => {
    document.title = `${place} · Gatehouse`;
    if (shown !== undefined && shown !== place) heading.current?.focus();
    shown = place;
  }, [place]);
  return (
    <>
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumbs" className="crumbs">
          <ol>
            {crumbs.map(({ label, href }) => (
              <li key={href}>
                <Link href={href}>{label}</Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      {above?.(heading)}
      {!isTitledAbove && (
        <div className="heading">
          <Heading ref={heading} tabIndex={-1} className="page-title">
            {title}
          </Heading>
          {badges}
          {actions !== undefined && <div className="actions">{actions}</div>}
        </div>
      )}
      {children}
    </>
  );
}

export const Loading = () => (
  <p role="status" className="loading">
    Loading…
  </p>
);

export const NotFound = () => (
  <div className="empty">
    <p>There is nothing at this address, or your permissions do not let you see it.</p>
    <p>
      <Link href={addresses.organizations}>Go to your organizations</Link>
    </p>
  </div>
);
