import { z } from 'zod';
import type { ChangedWorkspace } from '../../../application/index.js';
import { executionModes, executionOf, type LinkedRepository, may, overwritesOf } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import { dateTime, flags, linkIn, perDialect, resourceSchema, toOneSchema } from '../json-api/resource-schema.js';
import { ownerSchema, poolTokenCreatorsSchema, presentOwner, presentOwners } from '../users/user-resource.js';

/** The webhook's key stands in the response that makes it and nowhere else; the credential's contents nowhere at all. */
const presentRepository = (repository: LinkedRepository, webhookKey: string | undefined) => {
  const identifier = new URL(repository.cloneUrl).pathname.replace(/^\//, '').replace(/\.git$/, '');
  return {
    'clone-url': repository.cloneUrl,
    branch: repository.branch ?? '',
    credential: repository.credential,
    identifier,
    'display-identifier': identifier,
    'ingress-submodules': false,
    'webhook-url': `/hooks/vcs/${repository.webhookId}`,
    ...(webhookKey === undefined ? {} : { 'webhook-key': webhookKey }),
  };
};

export const presentWorkspace =
  (dialect: Dialect) =>
  ({ subject: workspace, standing, currentRunId, webhookKey, poolTokenCreators }: ChangedWorkspace): Resource => {
    const execution = executionOf(workspace);
    const overwrites = overwritesOf(workspace);
    const mayRead = may(standing, 'workspaces/read');
    const mayUpdate = may(standing, 'workspaces/update');
    const mayQueue = may(standing, 'runs/queue');
    const mayApply = may(standing, 'runs/apply');
    const mayLock = may(standing, 'workspaces/lock');
    return {
      id: workspace.id,
      type: 'workspaces',
      attributes: {
        name: workspace.name,
        description: workspace.description,
        'auto-apply': workspace.autoApply,
        'execution-mode': execution.mode,
        'setting-overwrites': { 'execution-mode': overwrites.executionMode, 'agent-pool': overwrites.agentPool },
        operations: execution.mode !== 'local',
        'terraform-version': workspace.terraformVersion,
        'working-directory': workspace.workingDirectory,
        'structured-run-output-enabled': false,
        locked: workspace.lock !== null,
        'locked-reason': workspace.lock?.reason ?? null,
        'vcs-repo': workspace.repository && presentRepository(workspace.repository, webhookKey),
        'agent-pool-id': execution.agentPoolId,
        'created-at': workspace.createdAt,
        'updated-at': workspace.updatedAt,
        permissions: {
          'can-read-settings': mayRead,
          'can-read-run': may(standing, 'configuration-versions/read'),
          'can-create-configuration-version': may(standing, 'configuration-versions/create'),
          'can-update': mayUpdate,
          'can-destroy': may(standing, 'workspaces/delete'),
          'can-queue-run': mayQueue,
          'can-queue-apply': mayApply,
          'can-queue-destroy': mayApply,
          'can-read-variable': may(standing, 'variables/read'),
          'can-update-variable': may(standing, 'variables/manage'),
          'can-lock': mayLock,
          'can-unlock': mayLock,
          'can-force-unlock': may(standing, 'workspaces/force-unlock'),
          // States come from runs alone.
          'can-create-state-versions': false,
          'can-read-state-versions': may(standing, 'state-versions/read'),
          'can-read-state-outputs': may(standing, 'state-version-outputs/read'),
        },
      },
      relationships: {
        organization: toOne('organizations', workspace.organizationName),
        'current-configuration-version': {
          ...toOne(dialect.configurationVersionType, workspace.currentConfigurationVersionId),
          ...(workspace.currentConfigurationVersionId === null
            ? {}
            : {
                links: {
                  related: `${dialect.prefix}/configuration-versions/${workspace.currentConfigurationVersionId}`,
                },
              }),
        },
        'current-run': currentRunId === undefined ? undefined : toOne('runs', currentRunId),
        'agent-pool': toOne('agent-pools', execution.agentPoolId),
        'agent-pool-token-creators': poolTokenCreators && presentOwners(poolTokenCreators),
        'locked-by': presentOwner(workspace.lock?.by ?? null),
      },
      links: { self: `${dialect.prefix}/organizations/${workspace.organizationName}/workspaces/${workspace.name}` },
    };
  };

const repositorySchema = (changed: boolean) =>
  z.strictObject({
    'clone-url': z.string(),
    branch: z.string().describe('Empty for the repository’s default branch.'),
    credential: z.string().nullable().describe('The name of the credential to fetch with; null for none.'),
    identifier: z.string(),
    'display-identifier': z.string(),
    'ingress-submodules': z.literal(false),
    'webhook-url': z.string().startsWith('/hooks/vcs/').describe('Where the forge is to report pushes.'),
    ...(changed
      ? {
          'webhook-key': z
            .string()
            .describe('Signs the forge’s reports. Shown once, in the answer that makes it.')
            .optional(),
        }
      : {}),
  });

const schemaOf = (name: string, changed: boolean) =>
  perDialect((dialect: Dialect) => {
    const link = linkIn(dialect);
    return resourceSchema(dialect, {
      name,
      type: 'workspaces',
      attributes: {
        name: z.string(),
        description: z.string().nullable(),
        'auto-apply': z.boolean(),
        'execution-mode': z.enum(executionModes),
        operations: z.boolean().describe('False where runs are executed locally.'),
        'terraform-version': z.string(),
        'working-directory': z.string().describe('Relative to the configuration’s root; empty for the root itself.'),
        'structured-run-output-enabled': z.literal(false),
        locked: z.boolean(),
        'locked-reason': z.string().nullable(),
        'vcs-repo': repositorySchema(changed).nullable().describe('Null unless it is linked to a repository.'),
        'agent-pool-id': z
          .string()
          .nullable()
          .describe('The pool whose agents execute its runs, its own or the default; null unless the mode is agent.'),
        'setting-overwrites': flags(['execution-mode', 'agent-pool']).describe(
          'Which settings are the workspace’s own; the others come from the organization.',
        ),
        'created-at': dateTime,
        'updated-at': dateTime,
        permissions: flags([
          'can-read-settings',
          'can-read-run',
          'can-create-configuration-version',
          'can-update',
          'can-destroy',
          'can-queue-run',
          'can-queue-apply',
          'can-queue-destroy',
          'can-read-variable',
          'can-update-variable',
          'can-lock',
          'can-unlock',
          'can-force-unlock',
          'can-create-state-versions',
          'can-read-state-versions',
          'can-read-state-outputs',
        ]).describe('What the caller may do.'),
      },
      relationships: {
        organization: toOneSchema('organizations'),
        'current-configuration-version': z.union([
          toOneSchema(dialect.configurationVersionType, { related: link }),
          z.strictObject({ data: z.null() }),
        ]),
        'current-run': toOneSchema('runs', { nullable: true })
          .describe('The run that holds the workspace, or else the one that waits longest. Missing beside a run.')
          .optional(),
        'agent-pool': toOneSchema('agent-pools', { nullable: true }),
        ...(changed ? { 'agent-pool-token-creators': poolTokenCreatorsSchema } : {}),
        'locked-by': ownerSchema,
      },
      links: { self: link },
      example: presentWorkspace(dialect)({
        subject: examples.workspace,
        standing: examples.standing,
        currentRunId: examples.run.id,
        ...(changed ? { webhookKey: examples.webhookKey, poolTokenCreators: [] } : {}),
      }),
    });
  });

export const workspaceSchema = schemaOf('Workspace', false);

/** A workspace in the answer to a creation or a change of its settings, which may have linked it to a repository. */
export const changedWorkspaceSchema = schemaOf('ChangedWorkspace', true);
