import { useState } from 'react';
import { organizationRightWords, projectRightWords, rightWords } from '../../access/words.ts';
import { type QueryOf, type Schemas, send } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { pageOf, useAddressValues, type Values } from '../../parts/address-values.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Names } from '../../parts/names.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { Picker } from '../../parts/picker.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { ProjectPicker } from '../../parts/project-picker.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';
import { Loading } from '../../shell/page.tsx';
import { Ways } from './sources.tsx';

type Query = QueryOf<'/organizations/{organization}/who-can'>;
type Holders = NonNullable<ReturnType<typeof useHolders>['data']>;

interface Place {
  readonly label: string;
  readonly rights: Readonly<Partial<Record<Query['filter[action]'], string>>>;
  /** The right that is asked for at first. */
  readonly usual: Query['filter[action]'];
  /** The parameter of the request for its id; the organization has none. */
  readonly parameter?: 'filter[workspace][id]' | 'filter[project][id]';
}

const places = {
  workspace: {
    label: 'A workspace',
    rights: rightWords,
    usual: 'runs/apply',
    parameter: 'filter[workspace][id]',
  },
  project: {
    label: 'A project',
    rights: projectRightWords,
    usual: 'projects/update',
    parameter: 'filter[project][id]',
  },
  organization: { label: 'The organization', rights: organizationRightWords, usual: 'organizations/update' },
} as const satisfies Readonly<Record<string, Place>>;

type PlaceName = keyof typeof places;

const placeChoices = Object.entries(places).map(([value, { label }]) => ({ value, label }));
const placeIn = ({ on = '' }: Values): PlaceName => (Object.hasOwn(places, on) ? (on as PlaceName) : 'workspace');

/** The right that the address names, or the usual one. */
function rightIn(values: Values): Query['filter[action]'] {
  const { rights, usual }: Place = places[placeIn(values)];
  return Object.hasOwn(rights, values.action ?? '') ? (values.action as Query['filter[action]']) : usual;
}

/** Who holds a right, and what gives it; the right and its place are in the address. */
export const WhoCanPage = ({ params: { organization } }: Params<'organization'>) => {
  const [values, change] = useAddressValues();
  const place = placeIn(values);
  const id = place === 'organization' ? undefined : values[place];
  return (
    <OrganizationPage
      organization={organization}
      section="who-can"
      actions={() => <ExportReport organization={organization} />}
    >
      {() => (
        <>
          <search className="filters" aria-label="Who can">
            <SelectField
              label="On"
              value={place}
              choices={placeChoices}
              onChange={(on) => change({ on, action: '', workspace: '', project: '' })}
            />
            {place === 'workspace' && (
              <WorkspacePicker
                organization={organization}
                value={values.workspace ?? ''}
                onChoose={(workspace) => change({ workspace })}
              />
            )}
            {place === 'project' && (
              <ProjectPicker
                organization={organization}
                label="Project"
                value={values.project ?? ''}
                onChoose={(project) => change({ project })}
              />
            )}
            <SelectField
              label="Can"
              value={rightIn(values)}
              choices={Object.entries(places[place].rights).map(([value, label]) => ({ value, label }))}
              onChange={(action) => change({ action })}
            />
          </search>
          {place !== 'organization' && id === undefined ? (
            <div className="empty">
              <p>Choose a {place} to see who can do what on it, and why.</p>
            </div>
          ) : (
            <Answer organization={organization} id={id} values={values} />
          )}
        </>
      )}
    </OrganizationPage>
  );
};

/** Saves what every person may do, and what gives it. */
function ExportReport({ organization }: { readonly organization: string }) {
  const file = `${organization}-access.csv`;
  const save = useChange(
    async () => {
      const response = await send(`/api/v2/organizations/${encodeURIComponent(organization)}/access-report`);
      saveFile(await response.blob(), file);
    },
    { done: `${file} was saved.` },
  );
  return (
    <Confirm
      trigger="Export access report"
      title="Export the access report?"
      confirm="Save file"
      onConfirm={() => save.run(undefined)}
    >
      <p>
        The file has a line for each person and each grant that they have, as CSV, all of this moment. The audit trail
        records the export.
      </p>
    </Confirm>
  );
}

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
  /** The id of the workspace or the project; undefined for the organization. */
  readonly id: string | undefined;
  readonly values: Values;
}

function useHolders({ organization, id, values }: AnswerProps) {
  const { parameter }: Place = places[placeIn(values)];
  return useMaybeRead('/organizations/{organization}/who-can', {
    path: { organization },
    query: {
      'filter[action]': rightIn(values),
      ...(parameter !== undefined && id !== undefined && { [parameter]: id }),
      'page[number]': pageOf(values),
    },
  });
}

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
      <p>
        These may join a team that gives it, or issue its token: <Names of={names} />.
      </p>
      {!complete && <p className="quiet">More people may manage teams or members. Only 50 are looked at.</p>}
    </section>
  );
}
