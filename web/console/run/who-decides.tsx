import { Fragment } from 'react';
import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { useMaybeRead } from '../api/reading.ts';

interface Props {
  readonly organization: string;
  readonly runId: string;
  /** Whether the person may. */
  readonly may: boolean;
}

/** The teams that may decide and that the person can see. */
export function WhoDecides({ organization, runId, may }: Props) {
  const { data } = useMaybeRead('/runs/{id}/deciding-teams', { path: { id: runId }, query: { 'page[size]': 100 } });
  const teams = (data?.data ?? []).filter(({ attributes }) => attributes.name !== 'owners');
  return (
    <p className="quiet">
      {!may && 'You may not decide this. '}
      {teams.length === 0 ? (
        'Owners of the organization can decide, and teams with this permission.'
      ) : (
        <>
          Owners of the organization can decide, and members of{' '}
          {teams.map(({ id, attributes }, index) => (
            <Fragment key={id}>
              {index > 0 && ', '}
              <Link href={addresses.inSection(organization, 'teams', id)}>{attributes.name}</Link>
            </Fragment>
          ))}
          .
        </>
      )}
    </p>
  );
}
