import { useState } from 'react';
import { attributesOfEnd, EndFields } from '../../access/access-end.tsx';
import { mocks, noLevel, runs, states, variables, workspaceLevels } from '../../access/levels.ts';
import { customWords } from '../../access/words.ts';
import type { Schemas } from '../../api/client.ts';
import type { FormValues } from '../../parts/entry-form.tsx';
import { CheckField, SelectField } from '../../parts/field.tsx';

type Attributes = Schemas['client.TeamAccess']['attributes'];
type Level<Name extends keyof Attributes> = Exclude<Attributes[Name], 'none'>;

/** The attributes that the values of the form name. A fixed level has no others. */
export const attributesOfWorkspaceAccess = (given: FormValues) => ({
  ...attributesOfEnd(given),
  ...levelOf(given),
});

const levelOf = (given: FormValues) =>
  given.access === 'custom'
    ? {
        access: 'custom' as const,
        runs: given.runs as Level<'runs'>,
        variables: given.variables as Attributes['variables'],
        'state-versions': given['state-versions'] as Attributes['state-versions'],
        'policy-mocks': given['policy-mocks'] as Attributes['policy-mocks'],
        'workspace-locking': 'workspace-locking' in given,
        'run-tasks': 'run-tasks' in given,
        'policy-overrides': 'policy-overrides' in given,
      }
    : { access: given.access as Attributes['access'] };

/** The reads that another access of a team makes outdated. */
export const accessOutdates = [
  '/team-workspaces',
  '/workspaces/{id}/effective-access',
  '/workspaces/{id}/effective-access/teams',
  '/organizations/{organization}/workspaces/{name}',
  '/organizations/{organization}/who-can',
] as const;

interface Props {
  /** The present access of the team. */
  readonly held?: Attributes | undefined;
  /** Whether none is a choice. */
  readonly mayHaveNone?: boolean;
}

/** The level of a team on a workspace, and the permissions of a custom one. */
export function WorkspaceAccessFields({ held, mayHaveNone = false }: Props) {
  const [access, setAccess] = useState<string>(held?.access ?? (mayHaveNone ? 'none' : 'read'));
  return (
    <>
      <SelectField
        label="Access"
        name="access"
        value={access}
        choices={mayHaveNone ? [noLevel, ...workspaceLevels] : workspaceLevels}
        onChange={setAccess}
      />
      {access !== 'none' && <EndFields held={held} />}
      {access === 'custom' && (
        <fieldset className="checks">
          <legend>Permissions</legend>
          <div className="field-row">
            <SelectField label="Runs" name="runs" value={held?.runs ?? 'read'} choices={runs} />
            <SelectField label="Variables" name="variables" value={held?.variables ?? 'none'} choices={variables} />
            <SelectField
              label="State"
              name="state-versions"
              value={held?.['state-versions'] ?? 'none'}
              choices={states}
            />
          </div>
          <CheckField
            label={customWords['workspace-locking']}
            name="workspace-locking"
            isChecked={held?.['workspace-locking']}
          />
          <CheckField label={customWords['run-tasks']} name="run-tasks" isChecked={held?.['run-tasks']} />
          <CheckField
            label={customWords['policy-overrides']}
            name="policy-overrides"
            isChecked={held?.['policy-overrides']}
          />
          <SelectField
            label={customWords['policy-mocks']}
            name="policy-mocks"
            value={held?.['policy-mocks'] ?? 'none'}
            choices={mocks}
          />
        </fieldset>
      )}
    </>
  );
}
