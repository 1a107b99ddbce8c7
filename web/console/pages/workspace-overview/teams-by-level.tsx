import { Fragment } from 'react';
import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { Facts } from '../../parts/facts.tsx';
import { TeamLink } from '../../parts/team-parts.tsx';
import type { Workspace } from '../../workspace/workspace.ts';

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

/** From the highest. Both kinds of access have these words, and each some of them. */
const levels = {
  admin: 'Admin',
  maintain: 'Maintain',
  write: 'Write',
  plan: 'Plan',
  read: 'Read',
  custom: 'Custom',
} as const;

/** The teams that have access to the workspace or its project, one line per level. */
export function TeamsByLevel({ organization, workspace: { id, attributes, relationships } }: Props) {
  const here = useMaybeRead('/team-workspaces', { query: { 'filter[workspace][id]': id } }).data?.data;
  const inProject = useMaybeRead('/team-projects', {
    query: { 'filter[project][id]': relationships.project.data.id, 'page[size]': 100 },
  }).data?.data;
  const given = [
    ...(here ?? []).map((access) => ({ access, from: '' })),
    ...(inProject ?? []).map((access) => ({ access, from: ' (project)' })),
  ];
  const lines = Object.entries(levels)
    .map(([level, label]) => ({ label, teams: given.filter(({ access }) => access.attributes.access === level) }))
    .filter(({ teams }) => teams.length > 0);
  return (
    <section className="card" aria-labelledby="team-access">
      <h2 id="team-access">Access</h2>
      {here !== undefined && inProject !== undefined && lines.length === 0 && (
        <p className="quiet">No team that you can see has access set here or in the project.</p>
      )}
      <Facts
        facts={lines.map(({ label, teams }) => [
          label,
          teams.map(({ access, from }, index) => (
            <Fragment key={access.id}>
              {index > 0 && ', '}
              <TeamLink organization={organization} id={access.relationships.team.data.id} />
              {from}
            </Fragment>
          )),
        ])}
      />
      <Link href={addresses.inWorkspace(organization, attributes.name, 'access')}>All team permissions</Link>
    </section>
  );
}
