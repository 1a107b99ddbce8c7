import type { ReactNode } from 'react';

/** The last card of a page: what deletes stands apart from what people use every day. */
export const DangerZone = ({ children }: { readonly children: ReactNode }) => (
  <section className="card danger-zone" aria-labelledby="danger-zone">
    <h2 id="danger-zone">Danger zone</h2>
    {children}
  </section>
);
