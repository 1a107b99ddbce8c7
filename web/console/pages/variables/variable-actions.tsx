import type { Readable } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import type { FormValues } from '../../parts/entry-form.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { type Variable, VariableFields } from './variable-form.tsx';

/** A workspace or a variable set, whose variables can be changed. */
export interface VariableStore {
  readonly outdates: readonly Readable[];
  readonly add: (values: FormValues) => Promise<unknown>;
  readonly change: (variable: Variable, values: FormValues) => Promise<unknown>;
  readonly remove: (id: string) => Promise<unknown>;
}

export const AddVariable = ({ store }: { readonly store: VariableStore }) => (
  <FormDialog
    trigger="Add variable"
    title="Add a variable"
    kind="main"
    submit="Save variable"
    send={store.add}
    done="The variable was added."
    outdates={store.outdates}
  >
    <VariableFields />
  </FormDialog>
);

export function VariableActions({ variable, store }: { readonly variable: Variable; readonly store: VariableStore }) {
  const { key } = variable.attributes;
  const remove = useChange(store.remove, { done: 'The variable was deleted.', outdates: store.outdates });
  return (
    <RowMenu of={key}>
      <FormDialog
        trigger="Change"
        triggerName={`Change ${key}`}
        title={`Change ${key}`}
        submit="Save variable"
        send={(values) => store.change(variable, values)}
        done="The variable was changed."
        outdates={store.outdates}
      >
        <VariableFields variable={variable} />
      </FormDialog>
      <Confirm
        trigger="Delete"
        triggerName={`Delete ${key}`}
        title={`Delete ${key}?`}
        confirm="Delete variable"
        isDanger
        onConfirm={() => remove.run(variable.id)}
      >
        <p>Runs that start from now on do not receive it.</p>
      </Confirm>
    </RowMenu>
  );
}

/** Longer values are shown in the form only. */
const maxShown = 300;

/** The value of a variable, or that it cannot be shown. */
export function VariableValue({ attributes: { value, sensitive, hcl } }: Variable) {
  if (sensitive) return <span className="quiet">sensitive, write-only</span>;
  if (value === null) return <span className="quiet">cannot be decrypted</span>;
  return (
    <>
      <code className="lines">{value.length > maxShown ? `${value.slice(0, maxShown)}…` : value}</code>
      {hcl && <span className="quiet"> HCL</span>}
    </>
  );
}
