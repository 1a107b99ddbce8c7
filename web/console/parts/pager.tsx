import { Link, Redirect } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { pageOf, useAddressValues } from './address-values.ts';

interface PagerProps {
  readonly pagination: Schemas['Pagination'] | Schemas['UncountedPagination'];
  readonly what: string;
}

/**
 * Links to the pages of a list, by `page` in the address. An address beyond the end leads to the last page, if the list
 * is one that the service counts.
 */
export function Pager({ pagination, what }: PagerProps) {
  const [values, , hrefWith] = useAddressValues();
  const { 'next-page': next, 'prev-page': previous } = pagination;
  const page = pageOf(values);
  const pages = 'total-pages' in pagination ? pagination['total-pages'] : undefined;
  if (pages !== undefined && page > pages) {
    return <Redirect to={hrefWith({ page: pages > 1 ? String(pages) : '' })} replace />;
  }
  if (pages === undefined && previous === null && next === null) return null;
  return (
    <nav aria-label={`Pages of ${what.toLowerCase()}`} className="pager">
      <span>
        {'total-count' in pagination ? `${what}: ${pagination['total-count']}` : `${what}, page ${page}`}
        {pages !== undefined && pages > 1 && `, page ${page} of ${pages}`}
      </span>
      {previous !== null && <Link href={hrefWith({ page: String(previous) })}>Previous page</Link>}
      {next !== null && <Link href={hrefWith({ page: String(next) })}>Next page</Link>}
    </nav>
  );
}
