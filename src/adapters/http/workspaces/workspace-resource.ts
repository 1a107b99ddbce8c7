import type { ChangedWorkspace } from '../../../application/index.js';
import { type LinkedRepository, may } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';
import { presentOwner } from '../users/user-resource.js';

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
  ({ subject: workspace, standing, webhookKey }: ChangedWorkspace): Resource => {
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
        'execution-mode': workspace.executionMode,
        operations: workspace.executionMode !== 'local',
        'terraform-version': workspace.terraformVersion,
        'working-directory': workspace.workingDirectory,
        'structured-run-output-enabled': false,
        locked: workspace.lock !== null,
        'locked-reason': workspace.lock?.reason ?? null,
        'vcs-repo': workspace.repository && presentRepository(workspace.repository, webhookKey),
        'agent-pool-id': workspace.agentPoolId,
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
          'can-lock': mayLock,
          'can-unlock': mayLock,
          'can-force-unlock': may(standing, 'workspaces/force-unlock'),
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
        'agent-pool': toOne('agent-pools', workspace.agentPoolId),
        'locked-by': presentOwner(workspace.lock?.by ?? null),
      },
      links: { self: `${dialect.prefix}/organizations/${workspace.organizationName}/workspaces/${workspace.name}` },
    };
  };
