import type { ReactNode } from 'react';

/** A link to an address from outside, such as a commit: only the web's own schemes become links. */
export const OutsideLink = ({ href, children }: { readonly href: string | null; readonly children: ReactNode }) =>
  href !== null && /^https?:\/\//i.test(href) ? (
    <a href={href} rel="noreferrer">
      {children}
    </a>
  ) : (
    children
  );
