import { Link, Redirect } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { pageOf, useAddressValues } from './address-values.ts';

/** Links to the pages of a list, by `page` in the address. An address beyond the end leads to the last page. */
export function Pager({ pagination, what }: { readonly pagination: Schemas['Pagination']; readonly what: string }) {
  const [values, , hrefWith] = useAddressValues();
  const { 'total-count': count, 'total-pages': pages, 'next-page': next, 'prev-page': previous } = pagination;
  const page = pageOf(values);
  if (page > Math.max(pages, 1)) return <Redirect to={hrefWith({ page: pages > 1 ? String(pages) : '' })} replace />;
  return (
    <nav aria-label={`Pages of ${what.toLowerCase()}`} className="pager">
      <span>
        {what}: {count}
        {pages > 1 && `, page ${page} of ${pages}`}
      </span>
      {previous !== null && <Link href={hrefWith({ page: String(previous) })}>Previous page</Link>}
      {next !== null && <Link href={hrefWith({ page: String(next) })}>Next page</Link>}
    </nav>
  );
}
