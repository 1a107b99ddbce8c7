import type { KeyboardEvent, ReactNode } from 'react';

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
}

interface Props<Row> {
  /** The table's name; read by screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Shown instead of a table without rows. */
  readonly empty: ReactNode;
}

const firstLinkOf = (row: Element | null | undefined): HTMLElement | null | undefined => row?.querySelector('a');

/** From the link of a row to the first one of the next or the previous row. */
function moveBetweenRows(event: KeyboardEvent): void {
  const { key, target } = event;
  if ((key !== 'ArrowDown' && key !== 'ArrowUp') || !(target instanceof HTMLAnchorElement)) return;
  const row = target.closest('tr');
  const link = firstLinkOf(key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling);
  if (link == null) return;
  event.preventDefault();
  link.focus();
}

/** From a search field of a page to the first row of its list. */
export function enterRows(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' || !(event.target instanceof Element)) return;
  const link = firstLinkOf(event.target.closest('main')?.querySelector('.table tbody tr'));
  if (link == null) return;
  event.preventDefault();
  link.focus();
}

/** A table whose first column names the row. On narrow screens each row is a card. */
export function Table<Row>({ caption, columns, rows, keyOf, empty }: Props<Row>) {
  if (rows.length === 0) return <div className="empty">{empty}</div>;
  return (
    <table className="table">
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ head, isNumber }) => (
            <th key={head} scope="col" className={isNumber ? 'number' : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      {/* The links in the rows have the focus; the arrow keys move it. */}
      <tbody onKeyDown={moveBetweenRows}>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ head, cell, isNumber }, index) =>
              index === 0 ? (
                <th key={head} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={head} data-label={head} className={isNumber ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
