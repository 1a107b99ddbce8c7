import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useAddressValues } from '../parts/address-values.ts';
import { Button } from '../parts/button.tsx';
import { FilterField } from '../parts/filters.tsx';
import { Table } from '../parts/table.tsx';
import { matching, providerName } from './resource-words.ts';

/** The rows that are shown until a person asks for all. */
const first = 50;

interface Props {
  readonly state: Schemas['client.StateVersion'];
}

/** The resources of a state, with a search that is kept in the address. */
export function Resources({ state: { attributes } }: Props) {
  const [{ resource: search = '' }, change] = useAddressValues();
  const [isWhole, setWhole] = useState(false);
  if (attributes['processing-error'] !== null) {
    return <p>The content of this state cannot be read: {attributes['processing-error']}</p>;
  }
  if (!attributes['resources-processed']) return <p>The service has not read the content of this state.</p>;
  const resources = attributes.resources ?? [];
  const found = matching(resources, search);
  const shown = isWhole ? found : found.slice(0, first);
  return (
    <>
      {resources.length > 1 && (
        <search className="filters" aria-label="Resources">
          <FilterField label="Search resources" value={search} onChange={(text) => change({ resource: text })} />
          <p className="quiet" role="status">
            {found.length === resources.length
              ? `${resources.length} resources`
              : `${found.length} of ${resources.length} resources`}
          </p>
        </search>
      )}
      <Table
        caption="Resources"
        rows={shown}
        keyOf={({ module, type, name }) => `${module} ${type} ${name}`}
        empty={<p>{search === '' ? 'This state has no resources.' : 'No resource matches.'}</p>}
        columns={[
          { head: 'Name', cell: ({ name }) => <code>{name}</code> },
          { head: 'Type', cell: ({ type }) => <code>{type}</code> },
          { head: 'Module', cell: ({ module }) => (module === 'root' ? 'root' : <code>{module}</code>) },
          { head: 'Provider', cell: ({ provider }) => providerName(provider) },
          { head: 'Instances', isNumber: true, cell: ({ count }) => count },
        ]}
      />
      {shown.length < found.length && (
        <p>
          <Button onPress={() => setWhole(true)}>Show all {found.length} resources</Button>
        </p>
      )}
      {attributes['processing-warnings']?.map((warning) => (
        <p key={warning} className="quiet">
          {warning}
        </p>
      ))}
    </>
  );
}
