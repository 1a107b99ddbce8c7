import { useState } from 'react';
import { attributesOfEnd, EndFields } from '../../access/access-end.tsx';
import {
  mocks,
  projectLevels,
  projectSettings,
  projectTeams,
  runs,
  states,
  variableSets,
  variables,
} from '../../access/levels.ts';
import { customWords } from '../../access/words.ts';
import type { Schemas } from '../../api/client.ts';
import type { FormValues } from '../../parts/entry-form.tsx';
import { CheckField, SelectField } from '../../parts/field.tsx';

type Attributes = Schemas['client.ProjectAccess']['attributes'];
type OnProject = Attributes['project-access'];
type OnWorkspaces = Attributes['workspace-access'];

/** The attributes that the values of the form name. A fixed level has no others. */
export const attributesOfProjectAccess = (given: FormValues) => ({
  ...attributesOfEnd(given),
  ...levelOf(given),
});

const levelOf = (given: FormValues) =>
  given.access === 'custom'
    ? {
        access: 'custom' as const,
        'project-access': {
          settings: given.settings as OnProject['settings'],
          teams: given.teams as OnProject['teams'],
          'variable-sets': given['variable-sets'] as OnProject['variable-sets'],
        },
        'workspace-access': {
          runs: given.runs as Exclude<OnWorkspaces['runs'], 'none'>,
          variables: given.variables as OnWorkspaces['variables'],
          'state-versions': given['state-versions'] as OnWorkspaces['state-versions'],
          'policy-mocks': given['policy-mocks'] as OnWorkspaces['policy-mocks'],
          locking: 'locking' in given,
          'run-tasks': 'run-tasks' in given,
          create: 'create' in given,
          move: 'move' in given,
          delete: 'delete' in given,
        },
      }
    : { access: given.access as Attributes['access'] };

interface Props {
  /** The present access of the team. */
  readonly held?: Attributes;
}

/** The level of a team on a project and its workspaces, and the permissions of a custom one. */
export function ProjectAccessFields({ held }: Props) {
  const [access, setAccess] = useState<string>(held?.access ?? 'read');
  const project = held?.['project-access'];
  const inside = held?.['workspace-access'];
  return (
    <>
      <SelectField label="Access" name="access" value={access} choices={projectLevels} onChange={setAccess} />
      <EndFields held={held} />
      {access === 'custom' && (
        <>
          <fieldset className="checks">
            <legend>The project</legend>
            <div className="field-row">
              <SelectField
                label="Settings"
                name="settings"
                value={project?.settings ?? 'read'}
                choices={projectSettings}
              />
              <SelectField label="Team access" name="teams" value={project?.teams ?? 'none'} choices={projectTeams} />
              <SelectField
                label="Variable sets"
                name="variable-sets"
                value={project?.['variable-sets'] ?? 'none'}
                choices={variableSets}
              />
            </div>
          </fieldset>
          <fieldset className="checks">
            <legend>Its workspaces</legend>
            <div className="field-row">
              <SelectField label="Runs" name="runs" value={inside?.runs ?? 'read'} choices={runs} />
              <SelectField label="Variables" name="variables" value={inside?.variables ?? 'none'} choices={variables} />
              <SelectField
                label="State"
                name="state-versions"
                value={inside?.['state-versions'] ?? 'none'}
                choices={states}
              />
            </div>
            <CheckField label={customWords['workspace-locking']} name="locking" isChecked={inside?.locking} />
            <CheckField label={customWords['run-tasks']} name="run-tasks" isChecked={inside?.['run-tasks']} />
            <CheckField label="Create workspaces" name="create" isChecked={inside?.create} />
            <CheckField label="Move workspaces into the project" name="move" isChecked={inside?.move} />
            <CheckField label="Delete workspaces" name="delete" isChecked={inside?.delete} />
            <SelectField
              label={customWords['policy-mocks']}
              name="policy-mocks"
              value={inside?.['policy-mocks'] ?? 'none'}
              choices={mocks}
            />
          </fieldset>
        </>
      )}
    </>
  );
}
