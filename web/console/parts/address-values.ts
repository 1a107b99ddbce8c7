import { useLocation, useSearch } from 'wouter';

export type Values = Readonly<Record<string, string | undefined>>;

/** The page that an address names; the first if it names none. */
export const pageOf = ({ page = '' }: Values): number => Math.max(1, Number.parseInt(page, 10) || 1);

/** The same in a request for one of the long lists, which show 50 rows. */
export const pageQuery = (values: Values) => ({ 'page[size]': 50, 'page[number]': pageOf(values) });

/**
 * The query of the address, as the state of filters and pages: it can be shared and reloaded. `change` replaces values,
 * and goes back to the first page unless it names one; `hrefWith` is the same as a link.
 */
export function useAddressValues(): [
  values: Values,
  change: (values: Values) => void,
  hrefWith: (values: Values) => string,
] {
  const search = useSearch();
  const [location, navigate] = useLocation();
  const hrefWith = (changes: Values): string => {
    const parameters = new URLSearchParams(search);
    for (const [name, value] of Object.entries({ page: undefined, ...changes })) {
      if (value === undefined || value === '') parameters.delete(name);
      else parameters.set(name, value);
    }
    const text = parameters.toString();
    return text === '' ? location : `${location}?${text}`;
  };
  // Typing in a filter is one step of the history, not one per letter.
  const change = (changes: Values): void => navigate(hrefWith(changes), { replace: true });
  return [Object.fromEntries(new URLSearchParams(search)), change, hrefWith];
}
