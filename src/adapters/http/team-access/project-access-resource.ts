import { z } from 'zod';
import type { TeamProjectView } from '../../../application/index.js';
import { permissionsInProject, projectAccessLevels, projectScales, scales } from '../../../domain/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Resource } from '../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
import { flag } from '../routing/resource-schema.js';
import { shownEnd } from './access-end.js';

const accessLevel = z.enum(projectAccessLevels);
const settings = z.enum(projectScales.settings);
const teams = z.enum(projectScales.teams);
const variableSets = z.enum(projectScales.variableSets);
const runs = z.enum(scales.runs);
const variables = z.enum(scales.variables);
const stateVersions = z.enum(scales.stateVersions);
const policyMocks = z.enum(scales.policyMocks);

/** A fixed level shows the permissions it implies. */
const projectAccess =
  (words: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ teamProject }: TeamProjectView): Resource => {
    const { attribute, group, toOneAt, link } = words;
    const { id, teamId, projectId, grant } = teamProject.state;
    const { project, workspaces } = permissionsInProject(grant);
    const mocks = dialect.mocksAttributes.map((name) => [name, attribute(policyMocks, workspaces.policyMocks)]);
    return {
      id,
      type: 'team-projects',
      attributes: {
        access: attribute(accessLevel, grant.access),
        'project-access': group({
          settings: attribute(settings, project.settings),
          teams: attribute(teams, project.teams, 'About the access of teams to the project.'),
          'variable-sets': attribute(variableSets, project.variableSets),
        }),
        'workspace-access': group({
          runs: attribute(runs, workspaces.runs),
          variables: attribute(variables, workspaces.variables),
          'state-versions': attribute(stateVersions, workspaces.stateVersions),
          ...Object.fromEntries(mocks),
          locking: attribute(flag, workspaces.workspaceLocking),
          'run-tasks': attribute(flag, workspaces.runTasks),
          create: attribute(flag, project.create),
          move: attribute(
            flag,
            project.move,
            'Whether the team can move workspaces that it administers to the project, if it also has `runs: plan` there.',
          ),
          delete: attribute(flag, project.delete),
        }),
        ...shownEnd(words, grant.ends),
      },
      relationships: {
        team: toOneAt('teams', teamId, `${dialect.prefix}/teams/${teamId}`),
        project: toOneAt('projects', projectId, `${dialect.prefix}/projects/${projectId}`),
      },
      links: { self: link(`${dialect.prefix}/team-projects/${id}`) },
    };
  };

export const presentProjectAccess = projectAccess(presenting);

export const projectAccessSchema = described(
  {
    name: 'ProjectAccess',
    about:
      'The permissions of one team on one project and all of its workspaces. With a fixed access level, the other attributes show the permissions that the level implies; `maintain` and `admin` also administer the workspaces.',
  },
  (words, dialect) =>
    projectAccess(words)(dialect)(
      anyView({ teamProject: anyView({ state: anyView({ grant: { access: 'write' } }) }) }),
    ),
);
