import { useState } from 'react';
import type { QueryOf, Schemas } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { pageOf, useAddressValues, type Values } from '../../parts/address-values.ts';
import { SelectField } from '../../parts/field.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { Picker } from '../../parts/picker.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';
import { Loading } from '../../shell/page.tsx';
import { Ways } from './sources.tsx';
import { rightWords } from './words.ts';

type Right = keyof typeof rightWords;
type Query = QueryOf<'/organizations/{organization}/who-can'>;
type Holders = NonNullable<ReturnType<typeof useHolders>['data']>;

const rights = Object.entries(rightWords).map(([value, label]) => ({ value, label }));

const usual: Right = 'runs/apply';

const isRight = (text = ''): text is Right => Object.hasOwn(rightWords, text);

/** Who holds a right on a workspace, and what gives it; both are in the address. */
export const WhoCanPage = ({ params: { organization } }: Params<'organization'>) => {
  const [values, change] = useAddressValues();
  return (
    <OrganizationPage organization={organization} section="who-can">
      {() => (
        <>
          <search className="filters" aria-label="Who can">
            <WorkspacePicker
              organization={organization}
              value={values.workspace ?? ''}
              onChoose={(workspace) => change({ workspace })}
            />
            <SelectField
              label="Can"
              value={isRight(values.action) ? values.action : usual}
              choices={rights}
              onChange={(action) => change({ action })}
            />
          </search>
          {values.workspace === undefined ? (
            <div className="empty">
              <p>Choose a workspace to see who can do what on it, and why.</p>
            </div>
          ) : (
            <Answer organization={organization} workspaceId={values.workspace} values={values} />
          )}
        </>
      )}
    </OrganizationPage>
  );
};

interface PickerProps {
  readonly organization: string;
  /** The id of the workspace, or nothing. */
  readonly value: string;
  readonly onChoose: (id: string) => void;
}

function WorkspacePicker({ organization, value, onChoose }: PickerProps) {
  const [search, setSearch] = useState('');
  const { data } = useMaybeRead('/organizations/{organization}/workspaces', {
    path: { organization },
    query: { 'search[name]': search, 'page[size]': 50 },
  });
  const current = useMaybeRead('/workspaces/{id}', { path: { id: value } }, { enabled: value !== '' });
  // Its name is not known yet.
  if (value !== '' && current.isPending) return null;
  return (
    <Picker
      key={value}
      label="Workspace"
      chosen={value === '' ? undefined : { value, label: current.data?.data.attributes.name ?? value }}
      choices={data?.data.map(({ id, attributes }) => ({ value: id, label: attributes.name }))}
      isCut={(data?.meta.pagination['next-page'] ?? null) !== null}
      onSearch={setSearch}
      onChoose={onChoose}
    />
  );
}

interface AnswerProps {
  readonly organization: string;
  readonly workspaceId: string;
  readonly values: Values;
}

const useHolders = ({ organization, workspaceId, values }: AnswerProps) =>
  useMaybeRead('/organizations/{organization}/who-can', {
    path: { organization },
    query: {
      'filter[action]': (isRight(values.action) ? values.action : usual) satisfies Query['filter[action]'],
      'filter[workspace][id]': workspaceId,
      'page[number]': pageOf(values),
    },
  });

function Answer(props: AnswerProps) {
  const { data, error } = useHolders(props);
  if (error !== null) return <ProblemView problem={error} />;
  if (data === undefined) return <Loading />;
  const { organization } = props;
  const { pagination, 'organization-token': hasToken } = data.meta;
  return (
    <>
      <Table
        caption="Who can"
        rows={data.data}
        keyOf={({ id }) => id}
        empty={<p>No person or team can.</p>}
        columns={[
          { head: 'Name', cell: nameOf },
          {
            head: 'Until',
            cell: ({ attributes }) =>
              attributes.until === null ? <span className="quiet">no end</span> : <Time at={attributes.until} />,
          },
          {
            head: 'Given by',
            cell: ({ attributes }) => <Ways organization={organization} claims={attributes.claims} />,
          },
        ]}
      />
      <Pager pagination={pagination} what="People and teams" />
      {hasToken && <p>The token of the organization can, too.</p>}
      <MayBecome given={data.meta['may-become']} />
    </>
  );
}

const nameOf = ({ attributes: { kind, name, invited } }: Schemas['client.RightHolder']) => (
  <>
    {name ?? 'a team that you cannot see'}{' '}
    <span className="quiet">{kind === 'team' ? 'team, by its token' : 'user'}</span>
    {invited && <Badge tone="warn">Invited</Badge>}
  </>
);

/** Those who could give themselves the right. */
function MayBecome({
  given: { holders, complete, 'organization-token': token },
}: {
  readonly given: Holders['meta']['may-become'];
}) {
  if (holders.length === 0 && !token) return null;
  const names = [...holders.map(({ name }) => name), ...(token ? ['the token of the organization'] : [])];
  return (
    <section className="card" aria-labelledby="may-become">
      <h2 id="may-become">Could come to hold it</h2>
      <p>These may join a team that gives it, or issue its token: {names.join(', ')}.</p>
      {!complete && <p className="quiet">More people may manage teams or members. Only 50 are looked at.</p>}
    </section>
  );
}
