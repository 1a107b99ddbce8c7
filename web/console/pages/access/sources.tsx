import { Fragment } from 'react';
import { Link } from 'wouter';
import { claimWords, organizationPermissions } from '../../access/words.ts';
import { addresses } from '../../addresses.ts';
import type { Schemas } from '../../api/client.ts';

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

/** The sources of a permission, each as one sign in a narrow cell. */
export const marks = { workspace: 'W', project: 'P', organization: 'O', 'ownership or membership': '★' } as const;

const markOfKind = {
  membership: marks['ownership or membership'],
  'owners-team': marks['ownership or membership'],
  'organization-permission': marks.organization,
  'team-access': marks.workspace,
  'project-access': marks.project,
} as const satisfies Record<Part['kind'], string>;

export const markOf = ({ through }: GivenClaim): readonly string[] => through.map(({ kind }) => markOfKind[kind]);

interface SourceProps {
  readonly organization: string;
  readonly projectId: string;
  readonly teamId: string;
  readonly way: GivenClaim;
}

/** The source of a permission of a team, linked to the page where it is set. Workspace access is set next to it. */
export const SourceLink = ({ organization, projectId, teamId, way }: SourceProps) =>
  way.through.map((part, index) => {
    const href =
      part.kind === 'project-access'
        ? addresses.inSection(organization, 'projects', projectId)
        : part.kind === 'team-access'
          ? undefined
          : addresses.inSection(organization, 'teams', teamId);
    return (
      <Fragment key={inWords(part)}>
        {index > 0 && ' with '}
        {href === undefined ? inWords(part) : <Link href={href}>{inWords(part)}</Link>}
      </Fragment>
    );
  });

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
