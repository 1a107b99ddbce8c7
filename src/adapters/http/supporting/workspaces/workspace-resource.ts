import { z } from 'zod';
import type { ChangedWorkspace } from '../../../../application/index.js';
import { executionModes, executionOf, type LinkedRepository, may, type Workspace } from '../../../../domain/index.js';
import { overwritesOf } from '../../../../domain/shared/execution.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { dateTime, flag, linkIn, maybeText, no, perDialect, text, toOneSchema } from '../../routing/resource-schema.js';
import { ownerSchema, poolTokenCreators, presentOwner } from '../../tokens/token-owner-resource.js';

const executionMode = z.enum(executionModes);
const webhookUrl = z.string().startsWith('/hooks/vcs/');

/** The webhook's key stands in the response that makes it and nowhere else; the credential's contents nowhere at all. */
const linkedRepository =
  ({ is, optional }: Words, webhookKey: string | undefined) =>
  (repository: LinkedRepository) => {
    const identifier = new URL(repository.cloneUrl).pathname.replace(/^\//, '').replace(/\.git$/, '');
    return {
      'clone-url': is(text, repository.cloneUrl),
      branch: is(text, repository.branch ?? '', 'Empty for the default branch of the repository.'),
      credential: is(maybeText, repository.credential, 'The name of the credential for fetching. Null for none.'),
      identifier: is(text, identifier),
      'display-identifier': is(text, identifier),
      'ingress-submodules': is(no, false),
      'webhook-url': is(
        webhookUrl,
        `/hooks/vcs/${repository.webhookId}`,
        'The URL to register as a webhook in the version control system.',
      ),
      'webhook-key':
        webhookKey === undefined
          ? undefined
          : optional(
              is(text, webhookKey),
              'The secret that the version control system signs its webhooks with. Only present in the response that creates it.',
            ),
    };
  };

const currentVersion = (dialect: Dialect, id: string | null) =>
  id === null
    ? { data: null }
    : {
        data: { id, type: dialect.configurationVersionType },
        links: { related: `${dialect.prefix}/configuration-versions/${id}` },
      };

const currentVersionSchema = perDialect((dialect) =>
  z.union([
    toOneSchema(dialect.configurationVersionType, { related: linkIn(dialect) }),
    z.strictObject({ data: z.null() }),
  ]),
);

const workspace =
  (words: Words) =>
  (dialect: Dialect) =>
  ({
    subject: workspace,
    standing,
    currentRunId,
    webhookKey,
    poolTokenCreators: creators,
  }: ChangedWorkspace): Resource => {
    const { is, group, optional, orNull, toOne, toOneOrNone, link } = words;
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
        name: is(text, workspace.name),
        description: is(maybeText, workspace.description),
        'auto-apply': is(flag, workspace.autoApply),
        'execution-mode': is(executionMode, execution.mode),
        'setting-overwrites': group(
          {
            'execution-mode': is(flag, overwrites.executionMode),
            'agent-pool': is(flag, overwrites.agentPool),
          },
          'Settings that the workspace overrides. The others come from the organization.',
        ),
        operations: is(flag, execution.mode !== 'local', 'False if the execution mode is `local`.'),
        'terraform-version': is(text, workspace.terraformVersion),
        'working-directory': is(
          text,
          workspace.workingDirectory,
          'Relative to the root of the configuration. Empty for the root.',
        ),
        'structured-run-output-enabled': is(no, false),
        locked: is(flag, workspace.lock !== null),
        'locked-reason': is(maybeText, workspace.lock?.reason ?? null),
        'vcs-repo': orNull(
          workspace.repository,
          linkedRepository(words, webhookKey),
          'Null unless the workspace is linked to a repository.',
        ),
        'agent-pool-id': is(
          maybeText,
          execution.agentPoolId,
          'The agent pool that executes the runs: that of the workspace or the default of the organization. Null unless the execution mode is `agent`.',
        ),
        'created-at': is(dateTime, workspace.createdAt),
        'updated-at': is(dateTime, workspace.updatedAt),
        permissions: group(
          {
            'can-read-settings': is(flag, mayRead),
            'can-read-run': is(flag, may(standing, 'configuration-versions/read')),
            'can-create-configuration-version': is(flag, may(standing, 'configuration-versions/create')),
            'can-update': is(flag, mayUpdate),
            'can-destroy': is(flag, may(standing, 'workspaces/delete')),
            'can-queue-run': is(flag, mayQueue),
            'can-queue-apply': is(flag, mayApply),
            'can-queue-destroy': is(flag, mayApply),
            'can-read-variable': is(flag, may(standing, 'variables/read')),
            'can-update-variable': is(flag, may(standing, 'variables/manage')),
            'can-lock': is(flag, mayLock),
            'can-unlock': is(flag, mayLock),
            'can-force-unlock': is(flag, may(standing, 'workspaces/force-unlock')),
            'can-create-state-versions': is(flag, may(standing, 'state-versions/create')),
            'can-read-state-versions': is(flag, may(standing, 'state-versions/read')),
            'can-read-state-outputs': is(flag, may(standing, 'state-version-outputs/read')),
          },
          "The caller's permissions.",
        ),
      },
      relationships: {
        organization: toOne('organizations', workspace.organizationName),
        'current-configuration-version': is(
          currentVersionSchema(dialect),
          currentVersion(dialect, workspace.currentConfigurationVersionId),
        ),
        'current-run':
          currentRunId === undefined
            ? undefined
            : optional(
                toOneOrNone('runs', currentRunId),
                'The run that has locked the workspace, or else the run that has waited the longest. Absent if the workspace is included with a run.',
              ),
        'agent-pool': toOneOrNone('agent-pools', execution.agentPoolId),
        'agent-pool-token-creators': creators && poolTokenCreators(words, creators),
        'locked-by': is(ownerSchema, presentOwner(workspace.lock?.by ?? null)),
      },
      links: {
        self: link(`${dialect.prefix}/organizations/${workspace.organizationName}/workspaces/${workspace.name}`),
      },
    };
  };

export const presentWorkspace = workspace(presenting);

const linked = anyView<Workspace>({ repository: anyView({ cloneUrl: 'https://git.example.com/acme/network.git' }) });

export const workspaceSchema = described({ name: 'Workspace' }, (words, dialect) =>
  workspace(words)(dialect)({ subject: linked, standing: anyView(), currentRunId: null }),
);

/** A workspace in the answer to a creation or a change of its settings, which may have linked it to a repository. */
export const changedWorkspaceSchema = described({ name: 'ChangedWorkspace' }, (words, dialect) =>
  workspace(words)(dialect)(anyView({ subject: linked, webhookKey: '', poolTokenCreators: [] })),
);
