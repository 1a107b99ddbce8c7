import { useState } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { Link, useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Button } from '../parts/button.tsx';
import { FilterField } from '../parts/filters.tsx';

/** The organization of the current address. */
export function useOrganizationName(): string | undefined {
  const [location] = useLocation();
  const [, name] = /^\/app\/([^/]+)/.exec(location) ?? [];
  return name === undefined || name === 'settings' ? undefined : decodeURIComponent(name);
}

/** Leads to another organization, with a search among all of them. */
export function OrganizationSwitcher() {
  const current = useOrganizationName();
  const label = current ?? 'Organizations';
  return (
    <DialogTrigger>
      <Button kind="menu" aria-label={`Organization: ${label}`}>
        <span className="cut">{label}</span> <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover">
        <Dialog className="switcher" aria-label="Organizations">
          {({ close }) => <Organizations close={close} />}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

function Organizations({ close }: { readonly close: () => void }) {
  const [search, setSearch] = useState('');
  const { data } = useMaybeRead('/organizations', { query: { 'q[name]': search, 'page[size]': 20 } });
  return (
    <>
      <FilterField label="Search organizations" value={search} onChange={setSearch} />
      <ul>
        {data?.data.map(({ attributes: { name } }) => (
          <li key={name}>
            <Link href={addresses.home(name)} onClick={close}>
              {name}
            </Link>
          </li>
        ))}
        <li>
          <Link href={addresses.organizations} onClick={close}>
            All organizations
          </Link>
        </li>
      </ul>
    </>
  );
}
