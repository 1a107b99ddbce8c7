import { useMaybeRead } from '../../api/reading.ts';
import { Names } from '../../parts/names.tsx';
import type { Workspace } from '../../workspace/workspace.ts';

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
  readonly action: 'runs/apply' | 'policy-outcomes/override';
  /** Whether the person may. */
  readonly may: boolean;
}

/** The teams that may decide, for those who may know. */
export function WhoDecides({ organization, workspace, action, may }: Props) {
  const { data } = useMaybeRead(
    '/organizations/{organization}/who-can',
    {
      path: { organization },
      query: { 'filter[action]': action, 'filter[workspace][id]': workspace.id, 'page[size]': 100 },
    },
    { enabled: workspace.attributes.permissions['can-manage-team-access'] },
  );
  const teams = (data?.data ?? []).flatMap(({ attributes }) =>
    attributes.kind === 'team' && attributes.name !== null ? attributes.name : [],
  );
  return (
    <p className="quiet">
      {!may && 'You may not decide this. '}
      {teams.length === 0 ? (
        'Owners of the organization can decide, and teams with this permission.'
      ) : (
        <>
          Can decide: members of <Names of={teams} />.
        </>
      )}
    </p>
  );
}
