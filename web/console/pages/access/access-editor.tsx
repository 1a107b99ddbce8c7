import { useEffect, useRef, useState } from 'react';
import type { TeamAccess } from '../../access/levels.ts';
import { customWords, rightWords } from '../../access/words.ts';
import { api } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { EntryForm, type FormValues } from '../../parts/entry-form.tsx';
import { type Chosen, effectOf, type Permissions } from './level-effect.ts';
import type { EffectiveAccess } from './sources.tsx';
import { accessOutdates, attributesOfWorkspaceAccess, WorkspaceAccessFields } from './workspace-access-fields.tsx';

interface Props {
  readonly organization: string;
  readonly workspaceId: string;
  readonly teamId: string;
  /** Undefined if none is set on the workspace. */
  readonly access: TeamAccess | undefined;
  readonly effective: EffectiveAccess;
  readonly onClose: () => void;
}

const type = 'team-workspaces';

/** The access of one team, and what another one would change before it is saved. */
export function AccessEditor({ workspaceId, teamId, access, effective, onClose }: Props) {
  const name = effective.attributes.name ?? 'the team';
  const fields = useRef<HTMLDivElement>(null);
  const [changes, setChanges] = useState(0);
  const [values, setValues] = useState<FormValues>({});
  // After a change, and after the fields that come with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change is another reading of the form.
  useEffect(() => {
    const form = fields.current?.closest('form');
    if (form) setValues(Object.fromEntries([...new FormData(form)].map(([key, value]) => [key, String(value)])));
    const changed = (): void => setChanges((count) => count + 1);
    form?.addEventListener('change', changed);
    return () => form?.removeEventListener('change', changed);
  }, [changes]);
  const save = useChange((given: FormValues) => send(given, { workspaceId, teamId, access }), {
    done: (_, given) =>
      given.access === 'none' ? `The access of ${name} was removed.` : `The access of ${name} was saved.`,
    outdates: accessOutdates,
  });
  return (
    <EntryForm
      submit="Save access"
      isPending={save.isPending}
      problem={save.problem}
      onCancel={onClose}
      onSubmit={async (given) => {
        await save.run(given);
        onClose();
      }}
    >
      <div ref={fields} className="narrow">
        <WorkspaceAccessFields held={access?.attributes} mayHaveNone />
      </div>
      {values.access !== undefined && (
        <EffectView
          teamId={teamId}
          effective={effective}
          chosen={chosenOf(values)}
          tasks={tasksOf(values)}
          hadTasks={access?.attributes['run-tasks'] === true}
        />
      )}
    </EntryForm>
  );
}

function send(
  given: FormValues,
  { workspaceId, teamId, access }: Pick<Props, 'workspaceId' | 'teamId' | 'access'>,
): Promise<unknown> {
  if (given.access === 'none') {
    return access === undefined ? Promise.resolve() : api.delete('/team-workspaces/{id}', { path: { id: access.id } });
  }
  const attributes = attributesOfWorkspaceAccess(given);
  if (access !== undefined) {
    return api.patch('/team-workspaces/{id}', { path: { id: access.id }, body: { data: { type, attributes } } });
  }
  const relationships = {
    workspace: { data: { type: 'workspaces' as const, id: workspaceId } },
    team: { data: { type: 'teams' as const, id: teamId } },
  };
  return api.post('/team-workspaces', { body: { data: { type, attributes, relationships } } });
}

const chosenOf = (values: FormValues): Chosen =>
  values.access === 'custom'
    ? {
        access: 'custom',
        runs: values.runs as Permissions['runs'],
        variables: values.variables as Permissions['variables'],
        'state-versions': values['state-versions'] as Permissions['state-versions'],
        'workspace-locking': 'workspace-locking' in values,
        'policy-overrides': 'policy-overrides' in values,
      }
    : { access: values.access as Exclude<Chosen['access'], 'custom'> };

/** Whether the chosen access includes the attachment of run tasks, which is not among the effective permissions. */
const tasksOf = (values: FormValues): boolean =>
  values.access === 'admin' || (values.access === 'custom' && 'run-tasks' in values);

interface EffectProps {
  readonly teamId: string;
  readonly effective: EffectiveAccess;
  readonly chosen: Chosen;
  readonly tasks: boolean;
  readonly hadTasks: boolean;
}

/** The permissions that the team would gain and lose, and whom that concerns. */
function EffectView({ teamId, effective, chosen, tasks, hadTasks }: EffectProps) {
  const team = useMaybeRead('/teams/{id}', { path: { id: teamId } }).data?.data;
  const ownId = useMaybeRead('/account/details', {}).data?.data.id;
  const isDelegate = team?.attributes['organization-access']?.['delegate-policy-overrides'] === true;
  const effect = effectOf(effective.attributes.rights, chosen, isDelegate);
  const words = (rights: typeof effect.gained, withTasks: boolean): readonly string[] => [
    ...rights.map((right) => rightWords[right]),
    ...(withTasks ? [customWords['run-tasks']] : []),
  ];
  // Workspace admins of the project or the organization attach run tasks in any case.
  const isAdmin = effective.attributes.rights.some(({ claims }) =>
    claims.some(
      ({ claim, through }) => claim === 'workspace admin' && through.every(({ kind }) => kind !== 'team-access'),
    ),
  );
  const gained = words(effect.gained, tasks && !hadTasks && !isAdmin);
  const lost = words(effect.lost, hadTasks && !tasks && !isAdmin);
  const people = team?.attributes['users-count'];
  const isOwn = team?.relationships.users?.data.some(({ id }) => id === ownId) === true;
  return (
    <div role="status" className="effect">
      {gained.length === 0 && lost.length === 0 ? (
        <p>This level changes no permission of the team on the workspace.</p>
      ) : (
        <>
          {gained.length > 0 && (
            <p>
              <strong>+ Gained:</strong> {gained.join(', ')}.
            </p>
          )}
          {lost.length > 0 && (
            <p>
              <strong>− Lost:</strong> {lost.join(', ')}.
            </p>
          )}
          {people !== undefined && (
            <p>
              This concerns {people} {people === 1 ? 'person' : 'people'}
              {people === 0 && ', and the token of the team'}.
            </p>
          )}
          {isOwn && <p className="notice">You are in this team: your own access changes, too.</p>}
        </>
      )}
    </div>
  );
}
