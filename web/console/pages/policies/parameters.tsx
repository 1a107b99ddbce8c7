import { api, type Schemas } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import type { FormValues } from '../../parts/entry-form.tsx';
import { CheckField, Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { Table } from '../../parts/table.tsx';

type Parameter = Schemas['client.PolicySetParameter'];

const list = '/policy-sets/{policySetId}/parameters';
const one = '/policy-sets/{policySetId}/parameters/{parameterId}';
const outdates = [list] as const;

/** Values that the policies of a set read as `data.parameters`. */
export function Parameters({ setId }: { readonly setId: string }) {
  const path = { policySetId: setId };
  const { data } = useRead(list, { path });
  return (
    <section className="card" aria-labelledby="parameters">
      <div className="heading">
        <h2 id="parameters">Parameters</h2>
        <div className="actions">
          <FormDialog
            trigger="Add parameter"
            title="Add a parameter"
            submit="Save parameter"
            send={(values) => api.post(list, { path, body: { data: draftOf(values) } })}
            done="The parameter was added."
            outdates={outdates}
          >
            <ParameterFields />
          </FormDialog>
        </div>
      </div>
      <Table
        caption="Parameters"
        rows={data}
        keyOf={({ id }) => id}
        empty={
          <p>
            Policies read parameters as <code>data.parameters</code>, so that one policy serves sets with other limits.
            There is none yet.
          </p>
        }
        columns={[
          { head: 'Key', cell: ({ attributes }) => <code>{attributes.key}</code> },
          { head: 'Value', cell: Value },
          { head: 'Actions', cell: (parameter) => <Actions parameter={parameter} /> },
        ]}
      />
    </section>
  );
}

function Value({ attributes: { value, sensitive } }: Parameter) {
  if (sensitive) return <span className="quiet">sensitive, write-only</span>;
  if (value === null) return <span className="quiet">cannot be decrypted</span>;
  return <code className="lines">{value}</code>;
}

/** The fields of a parameter; of an existing one if it is given. */
function ParameterFields({ parameter }: { readonly parameter?: Parameter }) {
  const { attributes } = parameter ?? {};
  const isSealed = attributes?.sensitive === true;
  return (
    <>
      <Field label="Key" name="key" isRequired autoFocus defaultValue={attributes?.key ?? ''} />
      <div className="mono">
        <Field
          label="Value"
          name="value"
          rows={3}
          defaultValue={attributes?.value ?? ''}
          {...(isSealed && { description: 'It cannot be shown. Leave this empty to keep it.' })}
        />
      </div>
      {!isSealed && <CheckField label="Sensitive: the value is never shown again" name="sensitive" />}
    </>
  );
}

const draftOf = ({ key = '', value = '', sensitive }: FormValues) => ({
  type: 'vars' as const,
  attributes: { key, value, sensitive: sensitive === 'on', category: 'policy-set' as const },
});

/** A sensitive parameter stays sensitive, and keeps its value unless there is another. */
function changeOf({ id, attributes: { sensitive } }: Parameter, values: FormValues) {
  const { key, value, ...others } = draftOf(values).attributes;
  const attributes = sensitive ? { key, ...(value !== '' && { value }) } : { key, value, ...others };
  return { type: 'vars' as const, id, attributes };
}

function Actions({ parameter }: { readonly parameter: Parameter }) {
  const path = { policySetId: parameter.relationships.configurable.data.id, parameterId: parameter.id };
  const { key } = parameter.attributes;
  const remove = useChange(() => api.delete(one, { path }), { done: 'The parameter was deleted.', outdates });
  return (
    <RowMenu of={key}>
      <FormDialog
        trigger="Change"
        triggerName={`Change ${key}`}
        title={`Change ${key}`}
        submit="Save parameter"
        send={(values) => api.patch(one, { path, body: { data: changeOf(parameter, values) } })}
        done="The parameter was changed."
        outdates={outdates}
      >
        <ParameterFields parameter={parameter} />
      </FormDialog>
      <Confirm
        trigger="Delete"
        triggerName={`Delete ${key}`}
        title={`Delete ${key}?`}
        confirm="Delete parameter"
        isDanger
        onConfirm={() => remove.run(undefined)}
      >
        <p>Policies that read it find nothing from the next evaluation on.</p>
      </Confirm>
    </RowMenu>
  );
}
