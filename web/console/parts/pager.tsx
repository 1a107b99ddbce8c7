import { Link } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { useAddressValues } from './address-values.ts';

/** Links to the pages of a list, by `page` in the address. */
export function Pager({ pagination, what }: { readonly pagination: Schemas['Pagination']; readonly what: string }) {
  const [values, , hrefWith] = useAddressValues();
  const { 'total-count': count, 'total-pages': pages, 'next-page': next, 'prev-page': previous } = pagination;
  return (
    <nav aria-label={`Pages of ${what.toLowerCase()}`} className="pager">
      <span>
        {what}: {count}
        {pages > 1 && `, page ${values.page ?? '1'} of ${pages}`}
      </span>
      {previous !== null && <Link href={hrefWith({ page: String(previous) })}>Previous page</Link>}
      {next !== null && <Link href={hrefWith({ page: String(next) })}>Next page</Link>}
    </nav>
  );
}
