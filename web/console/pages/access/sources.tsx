import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import type { Schemas } from '../../api/client.ts';
import { claimWords, organizationPermissions } from './words.ts';

export type EffectiveAccess = Schemas['client.EffectiveAccess'];
export type Right = EffectiveAccess['attributes']['rights'][number];
export type GivenClaim = Right['claims'][number];
type Part = GivenClaim['through'][number];

const inWords = ({ kind, level, permission }: Part): string => {
  switch (kind) {
    case 'membership':
      return 'membership of the organization';
    case 'owners-team':
      return 'ownership of the organization';
    case 'organization-permission':
      return `organization: ${permission === null ? '' : organizationPermissions[permission][0]}`;
    case 'team-access':
      return `workspace: ${level}`;
    case 'project-access':
      return `project: ${level}`;
  }
};

/** The parts that give a claim, all of them needed. */
export const throughInWords = ({ through }: GivenClaim): string => through.map(inWords).join(' and ');

interface Props {
  readonly organization: string;
  readonly claims: readonly GivenClaim[];
}

/** One line for each way in which a person or team has what a right needs. */
export const Ways = ({ organization, claims }: Props) => (
  <ul className="ways">
    {claims.map((given) => (
      <li key={`${given.claim} ${given['team-id']} ${throughInWords(given)}`}>
        {claimWords[given.claim] ?? given.claim} <span className="quiet">through</span>{' '}
        {given['team-id'] !== null && (
          <>
            {given['team-name'] === null ? (
              'a team that you cannot see'
            ) : (
              <Link href={addresses.inSection(organization, 'teams', given['team-id'])}>{given['team-name']}</Link>
            )}
            ,{' '}
          </>
        )}
        {throughInWords(given)}
      </li>
    ))}
  </ul>
);
