import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Button } from '../parts/button.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { Table } from '../parts/table.tsx';

type Output = Schemas['client.StateVersionOutput'];

/** The outputs of a state. Sensitive values are read on demand. */
export const OutputTable = ({ outputs }: { readonly outputs: readonly Output[] }) => (
  <Table
    caption="Outputs"
    rows={outputs}
    keyOf={(output) => output.id}
    empty={<p>This state has no outputs.</p>}
    columns={[
      { head: 'Name', cell: ({ attributes }) => <code>{attributes.name}</code> },
      { head: 'Type', cell: ({ attributes }) => attributes.type },
      { head: 'Value', cell: (output) => <OutputValue output={output} /> },
    ]}
  />
);

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2));

/** A sensitive value is read only when the button is pressed. */
function OutputValue({ output: { id, attributes } }: { readonly output: Output }) {
  const [isAsked, setAsked] = useState(false);
  const { data, error } = useMaybeRead('/state-version-outputs/{id}', { path: { id } }, { enabled: isAsked });
  if (!attributes.sensitive) return <code className="lines">{valueText(attributes.value)}</code>;
  if (data !== undefined && isAsked) return <code className="lines">{valueText(data.data.attributes.value)}</code>;
  if (error !== null) return <ProblemView problem={error} />;
  return (
    <>
      <span className="quiet">sensitive</span>{' '}
      <Button aria-label={`Show the value of ${attributes.name}`} isPending={isAsked} onPress={() => setAsked(true)}>
        Show
      </Button>
    </>
  );
}
