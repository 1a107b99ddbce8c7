import { addresses } from '../../addresses.ts';
import { ownAddress } from '../../api/own-address.ts';
import { useRead, useText } from '../../api/reading.ts';
import type { Params } from '../../parts/params.ts';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { WorkspacePage } from '../../workspace/workspace-page.tsx';
import { changesBetween, stateIn, type ValueChange } from './state-changes.ts';
import { StateLink } from './state-link.tsx';
import { type StateVersion, titleOf } from './state-version.ts';

const tones = { added: 'good', changed: 'warn', removed: 'bad' } as const;

/** A page with more becomes slow. */
const max = { resources: 200, values: 200, text: 2_000 };

type Names = Params<'organization' | 'workspace' | 'before' | 'after'>;

export function StateDiffPage({ params: { organization, workspace: name, before, after } }: Names) {
  const older = useRead('/state-versions/{id}', { path: { id: before } }).data;
  const newer = useRead('/state-versions/{id}', { path: { id: after } }).data;
  return (
    <WorkspacePage
      organization={organization}
      name={name}
      tab="states"
      title={`${titleOf(older)} and ${titleOf(newer)}`}
    >
      {() => (
        <>
          <p>
            From <StateLink href={addresses.state(organization, name, before)} version={older} /> to{' '}
            <StateLink href={addresses.state(organization, name, after)} version={newer} />
          </p>
          {older.attributes['hosted-state-download-url'] === null ||
          newer.attributes['hosted-state-download-url'] === null ? (
            <p className="notice">The content of one of the states is not stored, so they cannot be compared.</p>
          ) : (
            <Changes before={older} after={newer} />
          )}
        </>
      )}
    </WorkspacePage>
  );
}

const addressOf = ({ attributes }: StateVersion): string => ownAddress(attributes['hosted-state-download-url'] ?? '');

function Changes({ before, after }: { readonly before: StateVersion; readonly after: StateVersion }) {
  // The address is signed, and another one each time.
  const texts = [useText(addressOf(before), before.id), useText(addressOf(after), after.id)] as const;
  const { outputs, resources } = changesBetween(stateIn(texts[0]), stateIn(texts[1]));
  const shown = resources.slice(0, max.resources);
  const numberOf = (kind: string) => resources.filter((change) => change.kind === kind).length;
  return (
    <>
      <p>
        Resources: {numberOf('added')} added, {numberOf('changed')} changed, {numberOf('removed')} removed. Outputs:{' '}
        {outputs.length} changed.
      </p>
      <section className="card" aria-labelledby="outputs">
        <h2 id="outputs">Outputs</h2>
        <Values caption="Changed outputs" head="Output" values={outputs} />
      </section>
      <section aria-labelledby="resources">
        <h2 id="resources">Resources</h2>
        {resources.length === 0 && <p className="empty">No resource differs.</p>}
        {shown.map(({ address, kind, values }) => (
          <div key={address} className="card">
            <h3>
              <code>{address}</code> <Badge tone={tones[kind]}>{kind}</Badge>
            </h3>
            <Values caption={`Attributes of ${address}`} head="Attribute" values={values} />
          </div>
        ))}
        {shown.length < resources.length && (
          <p className="notice">
            Only the first {shown.length} of {resources.length} resources are shown. Download both states to compare the
            others.
          </p>
        )}
      </section>
    </>
  );
}

interface ValuesProps {
  readonly caption: string;
  readonly head: string;
  readonly values: readonly ValueChange[];
}

const Values = ({ caption, head, values }: ValuesProps) => (
  <>
    <Table
      caption={caption}
      rows={values.slice(0, max.values)}
      keyOf={({ name }) => name}
      empty={<p>No value differs.</p>}
      columns={[
        { head, cell: ({ name }) => <code>{name}</code> },
        { head: 'Before', cell: ({ before, isSensitive }) => <Side text={before} isSensitive={isSensitive} /> },
        { head: 'After', cell: ({ after, isSensitive }) => <Side text={after} isSensitive={isSensitive} /> },
      ]}
    />
    {values.length > max.values && <p className="notice">Only the first {max.values} values are shown.</p>}
  </>
);

function Side({ text, isSensitive }: { readonly text: string | undefined; readonly isSensitive: boolean }) {
  if (text === undefined) return <span className="quiet">none</span>;
  if (isSensitive) return <span className="quiet">sensitive</span>;
  return <code className="lines">{text.length > max.text ? `${text.slice(0, max.text)}…` : text}</code>;
}
