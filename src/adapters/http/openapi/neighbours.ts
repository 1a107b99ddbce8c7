import {
  configurationVersionSchema,
  ingressAttributesSchema,
  presentConfigurationVersion,
  presentIngressAttributes,
} from '../configuration-versions/configuration-version-resource.js';
import { presentTaskStage, taskStageSchema } from '../policy-outcomes/policy-outcome-resource.js';
import type { Dialect } from '../routing/dialect.js';
import type { Neighbours } from '../routing/related.js';
import {
  membershipSchema,
  organizationSchema,
  presentMembership,
  presentOrganization,
} from '../supporting/organizations/organization-resource.js';
import { policySchema, presentPolicy } from '../supporting/policies/policy-resource.js';
import { policySetVersionSchema, presentPolicySetVersion } from '../supporting/policies/policy-set-version-resource.js';
import { presentProject, projectSchema } from '../supporting/projects/project-resource.js';
import { presentWorkspaceTask, workspaceTaskSchema } from '../supporting/run-tasks/run-task-resource.js';
import { applySchema, planSchema, presentPhase, presentRun, runSchema } from '../supporting/runs/run-resource.js';
import { presentStateVersion, stateVersionSchema } from '../supporting/state-versions/state-version-resource.js';
import { effectiveBindingSchema, presentEffectiveBinding } from '../supporting/tags/tag-resource.js';
import { presentTeam, teamSchema } from '../supporting/teams/team-resource.js';
import { memberSchema, presentMember } from '../supporting/users/user-resource.js';
import { presentVariable, variableSchema } from '../supporting/variables/variable-resource.js';
import { presentWorkspace, workspaceSchema } from '../supporting/workspaces/workspace-resource.js';

/** How resources are included next to others. */
export const neighboursIn = (dialect: Dialect): Neighbours => ({
  organization: { schema: () => organizationSchema(dialect), present: presentOrganization(dialect) },
  project: { schema: () => projectSchema(dialect), present: presentProject(dialect) },
  workspace: {
    schema: () => workspaceSchema(dialect),
    present: (shown) => presentWorkspace(dialect)({ ...shown, withoutRuns: true }),
  },
  run: { schema: () => runSchema(dialect), present: presentRun(dialect) },
  plan: { schema: () => planSchema(dialect), present: presentPhase(dialect, 'plan') },
  apply: { schema: () => applySchema(dialect), present: presentPhase(dialect, 'apply') },
  'configuration-version': {
    schema: () => configurationVersionSchema(dialect),
    present: presentConfigurationVersion(dialect),
  },
  'ingress-attributes': {
    schema: () => ingressAttributesSchema(dialect),
    present: ({ versionId, attributes }) => presentIngressAttributes(dialect)(versionId, attributes),
  },
  'task-stage': { schema: () => taskStageSchema(dialect), present: presentTaskStage(dialect) },
  'effective-tag-binding': { schema: () => effectiveBindingSchema(dialect), present: presentEffectiveBinding(dialect) },
  user: { schema: () => memberSchema(dialect), present: presentMember },
  team: { schema: () => teamSchema(dialect), present: presentTeam(dialect) },
  membership: { schema: () => membershipSchema(dialect), present: presentMembership(dialect) },
  variable: { schema: () => variableSchema(dialect), present: presentVariable(dialect) },
  'workspace-task': { schema: () => workspaceTaskSchema(dialect), present: presentWorkspaceTask(dialect) },
  policy: { schema: () => policySchema(dialect), present: presentPolicy(dialect) },
  'policy-set-version': { schema: () => policySetVersionSchema(dialect), present: presentPolicySetVersion(dialect) },
  'state-version': { schema: () => stateVersionSchema(dialect), present: presentStateVersion(dialect) },
});
