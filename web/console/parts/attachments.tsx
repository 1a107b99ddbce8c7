import { type ReactNode, useId } from 'react';
import type { Readable } from '../api/client.ts';
import { useChange } from './change.ts';
import { Confirm } from './confirm.tsx';
import type { FormValues } from './entry-form.tsx';
import { FormDialog } from './form-dialog.tsx';
import { RowMenu } from './row-menu.tsx';
import { Table } from './table.tsx';

interface Attached {
  readonly id: string;
  readonly name: string;
}

export interface Props {
  readonly heading: string;
  /** One of them, such as `workspace`. */
  readonly what: string;
  readonly items: readonly Attached[];
  readonly cell?: (item: Attached) => ReactNode;
  readonly empty: string;
  /** The word for adding one, and for removing it. */
  readonly verbs?: readonly [add: string, remove: string];
  readonly add: (values: FormValues) => Promise<unknown>;
  readonly remove: (id: string) => Promise<unknown>;
  readonly outdates: readonly Readable[];
  /** The field that names what is added. */
  readonly field: ReactNode;
  /** Below the list, such as links to its other pages. */
  readonly more?: ReactNode;
}

/** The things that something is attached to, with a form to attach it to more. */
export function Attachments({
  heading,
  what,
  items,
  cell = ({ name }) => name,
  empty,
  verbs: [adding, removing] = ['Attach', 'Detach'],
  add,
  remove,
  outdates,
  field,
  more,
}: Props) {
  const id = useId();
  const change = useChange(remove, { done: 'The list was changed.', outdates });
  return (
    <section className="card" aria-labelledby={id}>
      <div className="heading">
        <h2 id={id}>{heading}</h2>
        <div className="actions">
          <FormDialog
            trigger={`${adding} a ${what}`}
            triggerName={`${adding} a ${what} to ${heading.toLowerCase()}`}
            title={`${adding} a ${what}`}
            submit={adding}
            send={add}
            done="The list was changed."
            outdates={outdates}
          >
            {field}
          </FormDialog>
        </div>
      </div>
      <Table
        caption={heading}
        rows={items}
        keyOf={(item) => item.id}
        empty={<p>{empty}</p>}
        columns={[
          { head: 'Name', cell },
          {
            head: 'Actions',
            cell: (item) => (
              <RowMenu of={`${item.name} of ${heading.toLowerCase()}`}>
                <Confirm
                  trigger={removing}
                  triggerName={`${removing} ${item.name} from ${heading.toLowerCase()}`}
                  title={`${removing} ${item.name}?`}
                  confirm={`${removing} ${what}`}
                  onConfirm={() => change.run(item.id)}
                />
              </RowMenu>
            ),
          },
        ]}
      />
      {more}
    </section>
  );
}
