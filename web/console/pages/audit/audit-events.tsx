import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { useAddressValues, type Values } from '../../parts/address-values.ts';
import { SelectField } from '../../parts/field.tsx';
import { FilterBar, FilterField, InstantField } from '../../parts/filters.tsx';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

type AuditEvent = Schemas['client.AuditEvent'];

const perPage = 50;

const outcomes = [
  { value: '', label: 'All' },
  { value: 'done', label: 'Done' },
  { value: 'refused', label: 'Refused' },
] as const;

const routine = [
  { value: 'hidden', label: 'Hidden (refusals are shown)' },
  { value: 'shown', label: 'Shown' },
] as const;

const outcomeOf = ({ outcome }: Values) =>
  outcomes.find(({ value }) => value === outcome && value !== '')?.value || undefined;

/** Hidden by default, but shown where an action is asked for by its name. */
const routineOf = ({ routine: chosen, action = '' }: Values) =>
  routine.find(({ value }) => value === chosen)?.value ?? (action === '' ? 'hidden' : 'shown');

/** The filters of the address. */
export const auditFilters = (values: Values) => ({
  'filter[actor]': values.actor ?? '',
  'filter[user]': values.user ?? '',
  'filter[workspace]': values.workspace ?? '',
  'filter[action]': values.action ?? '',
  'filter[outcome]': outcomeOf(values),
  'filter[routine]': routineOf(values),
  since: values.since ?? '',
  until: values.until ?? '',
});

/** One page of what they select; the `page` of the address is the id of the last event before. */
export const auditQuery = (values: Values) => ({
  ...auditFilters(values),
  'page[after]': values.page ?? '',
  'page[size]': perPage,
});

export function AuditFilters({ children }: { readonly children?: ReactNode }) {
  const [values, change] = useAddressValues();
  return (
    <FilterBar of="Audit events">
      <FilterField label="Action" value={values.action} onChange={(action) => change({ action })} />
      <FilterField label="Username" value={values.user} onChange={(user) => change({ user })} />
      <FilterField label="Workspace ID" value={values.workspace} onChange={(workspace) => change({ workspace })} />
      <FilterField label="Actor ID" value={values.actor} onChange={(actor) => change({ actor })} />
      <InstantField label="Since" value={values.since} onChange={(since) => change({ since })} />
      <InstantField label="Until" value={values.until} onChange={(until) => change({ until })} />
      <SelectField
        label="Outcome"
        name="outcome"
        value={outcomeOf(values) ?? ''}
        choices={outcomes}
        onChange={(outcome) => change({ outcome })}
      />
      <SelectField
        label="Agent routine"
        name="routine"
        value={routineOf(values)}
        choices={routine}
        onChange={(chosen) => change({ routine: chosen })}
      />
      {children}
    </FilterBar>
  );
}

interface Props {
  readonly events: { readonly data: readonly AuditEvent[]; readonly links: { readonly next: string | null } };
}

export function AuditTable({ events: { data, links } }: Props) {
  const [values, , hrefWith] = useAddressValues();
  const next = links.next === null ? null : new URL(links.next, location.origin).searchParams.get('page[after]');
  return (
    <>
      <Table
        caption="Audit events"
        rows={data}
        keyOf={({ id }) => id}
        empty={
          <p>
            {next === null ? 'No event matches.' : 'No event in this part of the trail matches. There are older ones.'}
          </p>
        }
        columns={[
          {
            head: 'Action',
            cell: ({ attributes: { action } }) => (
              <Link href={hrefWith({ action })} title="Only events with this action">
                {action}
              </Link>
            ),
          },
          {
            head: 'Outcome',
            cell: ({ attributes: { outcome, count } }) => (
              <>
                <Badge tone={outcome === 'done' ? 'good' : 'bad'}>{outcome}</Badge>
                {count > 1 && ` ${count} times`}
              </>
            ),
          },
          { head: 'Actor', cell: (event) => <Actor event={event} href={(actor) => hrefWith({ actor })} /> },
          {
            head: 'Subject',
            cell: ({ attributes: { subject, 'subject-name': name } }) => <Named id={subject} name={name} />,
          },
          {
            head: 'Workspace',
            cell: ({ attributes: { 'workspace-id': id, 'workspace-name': name } }) =>
              id !== null && (
                <Link href={hrefWith({ workspace: id })} title="Only events of this workspace">
                  {name ?? <code>{id}</code>}
                </Link>
              ),
          },
          { head: 'At', cell: ({ attributes }) => <Time at={attributes.at} /> },
          { head: 'More', cell: ({ attributes }) => <More attributes={attributes} /> },
        ]}
      />
      <nav aria-label="Pages of audit events" className="pager">
        {values.page !== undefined && <Link href={hrefWith({ page: undefined })}>Newest events</Link>}
        {next !== null && <Link href={hrefWith({ page: next })}>Older events</Link>}
      </nav>
    </>
  );
}

/** The name first: the id is for programs. */
function Named({ id, name }: { readonly id: string | null; readonly name: string | null }) {
  if (id === null) return <span className="quiet">none</span>;
  if (name === null) return <code>{id}</code>;
  return (
    <>
      {name} <code className="quiet">{id}</code>
    </>
  );
}

interface ActorProps {
  readonly event: AuditEvent;
  readonly href: (actor: string) => string;
}

function Actor({ event: { attributes }, href }: ActorProps) {
  const { 'actor-kind': kind, 'actor-id': id, 'actor-name': name } = attributes;
  return (
    <>
      {kind.replaceAll('-', ' ')}{' '}
      {id !== null && (
        <Link href={href(id)} title="Only events of this actor">
          {name ?? <code>{id}</code>}
        </Link>
      )}
    </>
  );
}

/** Facts that help with a single event only. */
function More({ attributes }: Pick<AuditEvent, 'attributes'>) {
  const facts = [
    ['Comment', attributes.comment],
    ['Actor', attributes['actor-name'] === null ? null : attributes['actor-id']],
    ['Token', attributes['token-id']],
    ['Address', attributes.address],
    ['Request', attributes['request-id']],
    ['Route', attributes.route],
    ...Object.entries(attributes.detail ?? {}).map(([name, items]) => [
      name,
      items.flatMap((item) => Object.values(item)).join(', '),
    ]),
  ].filter(([, value]) => value !== null);
  if (facts.length === 0) return null;
  return (
    <details>
      <summary>Details</summary>
      {facts.map(([name, value]) => (
        <div key={name}>
          <span className="quiet">{name}:</span> <code>{value}</code>
        </div>
      ))}
    </details>
  );
}
