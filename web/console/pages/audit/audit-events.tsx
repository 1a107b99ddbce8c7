import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { useAddressValues, type Values } from '../../parts/address-values.ts';
import { FilterField, InstantField } from '../../parts/filters.tsx';
import { StatusBadge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

type AuditEvent = Schemas['client.AuditEvent'];

const perPage = 50;

/** The filters of the address. */
export const auditFilters = (values: Values) => ({
  'filter[actor]': values.actor ?? '',
  'filter[action]': values.action ?? '',
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
    <search className="filters" aria-label="Audit events">
      <FilterField label="Action" value={values.action} onChange={(action) => change({ action })} />
      <FilterField label="ID of the actor" value={values.actor} onChange={(actor) => change({ actor })} />
      <InstantField label="Since" value={values.since} onChange={(since) => change({ since })} />
      <InstantField label="Until" value={values.until} onChange={(until) => change({ until })} />
      {children}
    </search>
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
                <StatusBadge status={outcome === 'done' ? 'finished' : 'failed'} label={outcome} />
                {count > 1 && ` ${count} times`}
              </>
            ),
          },
          { head: 'Actor', cell: (event) => <Actor event={event} href={(actor) => hrefWith({ actor })} /> },
          { head: 'Subject', cell: ({ attributes }) => <Id id={attributes.subject} /> },
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

const Id = ({ id }: { readonly id: string | null }) =>
  id === null ? <span className="quiet">none</span> : <code>{id}</code>;

interface ActorProps {
  readonly event: AuditEvent;
  readonly href: (actor: string) => string;
}

function Actor({ event: { attributes }, href }: ActorProps) {
  const { 'actor-kind': kind, 'actor-id': id } = attributes;
  return (
    <>
      {kind.replaceAll('-', ' ')}{' '}
      {id !== null && (
        <Link href={href(id)} title="Only events of this actor">
          <code>{id}</code>
        </Link>
      )}
    </>
  );
}

/** Facts that help with a single event only. */
function More({ attributes }: Pick<AuditEvent, 'attributes'>) {
  const facts = [
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
