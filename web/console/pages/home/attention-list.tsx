import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { type Column, Table } from '../../parts/table.tsx';
import type { Item, Kind, Listed } from './attention.ts';

interface Props<K extends Kind> {
  readonly title: string;
  readonly list: Listed<K>;
  readonly columns: readonly Column<Item<K>>[];
  /** Whether the rows are of several organizations, which a column then names. */
  readonly isOfAll: boolean;
  readonly children?: ReactNode;
}

/** One list of what waits; nothing if it is empty. */
export function AttentionList<K extends Kind>({ title, list, columns, isOfAll, children }: Props<K>) {
  const id = useId();
  const [first, ...others] = columns;
  if (list.items.length === 0 || first === undefined) return null;
  const organization: Column<Item<K>> = {
    head: 'Organization',
    cell: (item) => <Link href={addresses.home(item.organization)}>{item.organization}</Link>,
  };
  return (
    <section aria-labelledby={id} className="waiting">
      <h2 id={id}>{title}</h2>
      {children}
      <Table
        caption={title}
        rows={list.items}
        keyOf={(item) => item.id}
        empty={null}
        columns={isOfAll ? [first, organization, ...others] : columns}
      />
      {list.total !== undefined && (
        <p className="quiet">
          The first {list.items.length} of {list.total} are shown.
        </p>
      )}
    </section>
  );
}
