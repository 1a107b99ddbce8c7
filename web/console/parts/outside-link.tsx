import type { ReactNode } from 'react';
import { isWebAddress } from './web-address.ts';

/** A link to an address from outside, such as a commit: only the web's own schemes become links. */
export const OutsideLink = ({ href, children }: { readonly href: string | null; readonly children: ReactNode }) =>
  href !== null && isWebAddress(href) ? (
    <a href={href} rel="noreferrer">
      {children}
    </a>
  ) : (
    children
  );
