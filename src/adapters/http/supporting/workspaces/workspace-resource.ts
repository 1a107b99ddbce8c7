import { z } from 'zod';
import type { ChangedWorkspace } from '../../../../application/index.js';
import {
  executionModes,
  executionOf,
  may,
  type RunId,
  type StateVersionOutputId,
  type Workspace,
} from '../../../../domain/index.js';
import { overwritesOf } from '../../../../domain/shared/execution.js';
import {
  effectiveAutoDestroy,
  hasResources,
  inheritsAutoDestroy,
} from '../../../../domain/supporting/workspaces/auto-destroy.js';
import { mayForceDelete, workspaceSources } from '../../../../domain/supporting/workspaces/workspace.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource, WireValue } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import {
  count,
  dateTime,
  flag,
  linkIn,
  maybeDateTime,
  maybeText,
  perDialect,
  text,
  toOneSchema,
} from '../../routing/resource-schema.js';
import { ownerTypes, poolTokenCreators, presentOwner } from '../../tokens/token-owner-resource.js';
import { workspaceOutputType } from '../state-versions/state-version-resource.js';
import { bindingRelationships, type WithBindings } from '../tags/included-bindings.js';
import { linkedRepository } from '../version-control/repository-resource.js';
import { retentionIdentifier, retentionTypeOf } from './data-retention-resource.js';

const executionMode = z.enum(executionModes);
const environment = z.literal('default');
const source = z.enum(workspaceSources);
const texts = z.array(text);
const path = z.string().startsWith('/');
const maybeRun = toOneSchema('runs', { nullable: true });
const lockedBySchema = toOneSchema([...new Set(Object.values(ownerTypes)), 'runs'], { nullable: true });

const runOf = (id: RunId | null) => ({ data: id === null ? null : { id, type: 'runs' as const } });
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

/**
 * For a workspace that is included with a run. `printsText` answers for the run, and `withoutRuns` leaves out relationships
 * that clients would follow in a circle where the run is included too.
 */
type Presented = ChangedWorkspace &
  WithBindings & {
    readonly printsText?: boolean;
    readonly withoutRuns?: boolean;
    /** Those that are included. */
    readonly outputIds?: readonly StateVersionOutputId[];
  };

const variableIdentifiers = z.array(z.strictObject({ id: text, type: z.literal('vars') }));
const outputIdentifiers = z.array(z.strictObject({ id: text, type: z.literal(workspaceOutputType) }));

const workspace =
  (words: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({
    subject: workspace,
    standing,
    activity,
    webhookKey,
    poolTokenCreators: creators,
    printsText = false,
    withoutRuns = false,
    effectiveTagBindings,
    outputIds,
  }: Presented): Resource => {
    const { attribute, group, optional, orNull, toOne, toOneOrNone, toOneOrNoneAt, link } = words;
    const self = `${dialect.prefix}/workspaces/${workspace.id}`;
    const unlessCircular = (said: WireValue) => (withoutRuns ? undefined : optional(said));
    const execution = executionOf(workspace);
    const autoDestroy = effectiveAutoDestroy(workspace, hasResources(activity));
    const overwrites = overwritesOf(workspace);
    const mayRead = may(standing, 'workspaces/read');
    const mayUpdate = may(standing, 'workspaces/update');
    const mayDelete = may(standing, 'workspaces/delete');
    const mayQueue = may(standing, 'runs/queue');
    const mayApply = may(standing, 'runs/apply');
    const mayLock = may(standing, 'workspaces/lock');
    const mayReadVariables = may(standing, 'variables/read');
    const mayReadStates = may(standing, 'state-versions/read');
    return {
      id: workspace.id,
      type: 'workspaces',
      attributes: {
        name: attribute(text, workspace.name),
        description: attribute(maybeText, workspace.description),
        actions: group(
          { 'is-destroyable': attribute(flag, workspace.allowDestroyPlan, 'Whether destroy runs may be created.') },
          "The actions that the settings allow, regardless of the caller's permissions.",
        ),
        'allow-destroy-plan': attribute(flag, workspace.allowDestroyPlan, 'False refuses destroy runs.'),
        'assessments-enabled': attribute(
          flag,
          workspace.assessmentsEnabled,
          'As sent. There are no health assessments.',
        ),
        'auto-apply': attribute(flag, workspace.autoApply),
        'auto-apply-run-trigger': attribute(
          flag,
          workspace.autoApplyRunTrigger,
          'Whether triggered runs apply automatically.',
        ),
        'auto-destroy-activity-duration': attribute(
          maybeText,
          autoDestroy?.activityDuration ?? null,
          'How long after the last new state the workspace is destroyed, such as `14d` or `12h`. Null for never.',
        ),
        'auto-destroy-at': attribute(
          maybeDateTime,
          autoDestroy?.at ?? null,
          'When a run that destroys the resources is created. Null for never, and again once it was created.',
        ),
        'inherits-project-auto-destroy': attribute(
          flag,
          inheritsAutoDestroy(workspace),
          'Whether the schedule is that of the project.',
        ),
        environment: attribute(environment, 'default'),
        'execution-mode': attribute(executionMode, execution.mode),
        'setting-overwrites': group(
          {
            'execution-mode': attribute(flag, overwrites.executionMode),
            'agent-pool': attribute(flag, overwrites.agentPool),
          },
          'Settings that the workspace overrides. The others come from its project or the organization.',
        ),
        operations: attribute(flag, execution.mode !== 'local', 'False if the execution mode is `local`.'),
        'terraform-version': attribute(text, workspace.terraformVersion),
        'working-directory': attribute(
          text,
          workspace.workingDirectory,
          'Relative to the root of the configuration. Empty for the root.',
        ),
        'file-triggers-enabled': attribute(
          flag,
          workspace.fileTriggersEnabled,
          'Whether only pushes that change selected files create runs. Pull requests always do.',
        ),
        'trigger-prefixes': attribute(texts, workspace.triggerPrefixes, 'Directories besides the working directory.'),
        'trigger-patterns': attribute(texts, workspace.triggerPatterns, 'Globs of files, instead of directories.'),
        'queue-all-runs': attribute(
          flag,
          workspace.queueAllRuns,
          'Whether commits create runs before the first run of a client.',
        ),
        'speculative-enabled': attribute(
          flag,
          workspace.speculativeEnabled,
          'Whether pull requests create speculative runs.',
        ),
        'global-remote-state': attribute(
          flag,
          workspace.globalRemoteState,
          'Whether the state is shared with every workspace of the organization. Otherwise with its remote state consumers.',
        ),
        source: attribute(source, workspace.source),
        'source-name': attribute(maybeText, workspace.sourceName),
        'source-url': attribute(
          maybeText,
          workspace.sourceUrl,
          'A page about what created it: an `http` or `https` URL.',
        ),
        'structured-run-output-enabled': attribute(
          flag,
          !printsText && workspace.structuredRunOutputEnabled,
          'As sent. False for a workspace that is included with a run: runs print text.',
        ),
        'tag-names': attribute(texts, workspace.tagNames, 'Sorted.'),
        'resource-count': attribute(
          count,
          activity.resourceCount ?? 0,
          'Number of managed resources in the current state.',
        ),
        'runs-count': attribute(count, activity.runsCount),
        'workspace-kpis-runs-count': attribute(count, activity.runsCount, 'The same.'),
        locked: attribute(flag, workspace.lock !== null || activity.workingRunId !== null),
        'locked-reason': attribute(maybeText, workspace.lock?.reason ?? null),
        'locked-at': attribute(
          maybeDateTime,
          workspace.lock?.at ?? null,
          'Since when it is locked. Null unless a person or team has locked it.',
        ),
        'vcs-repo': orNull(
          workspace.repository,
          linkedRepository(words, webhookKey),
          'Null unless the workspace is linked to a repository.',
        ),
        'agent-pool-id': attribute(
          maybeText,
          execution.agentPoolId,
          'The agent pool that executes the runs: that of the workspace or the default of the organization. Null unless the execution mode is `agent`.',
        ),
        'created-at': attribute(dateTime, workspace.createdAt),
        'updated-at': attribute(dateTime, workspace.updatedAt),
        permissions: group(
          {
            'can-read-settings': attribute(flag, mayRead),
            'can-read-run': attribute(flag, may(standing, 'configuration-versions/read')),
            'can-create-configuration-version': attribute(flag, may(standing, 'configuration-versions/create')),
            'can-archive-configuration-version': attribute(flag, may(standing, 'configuration-versions/archive')),
            'can-manage-backing-data': attribute(flag, may(standing, 'configuration-versions/manage-backing-data')),
            'can-update': attribute(flag, mayUpdate),
            'can-schedule-destroy': attribute(flag, may(standing, 'workspaces/schedule-destroy')),
            'can-set-retention': attribute(flag, may(standing, 'workspaces/set-retention')),
            'can-link-repository': attribute(flag, may(standing, 'workspaces/link-repository')),
            'can-destroy': attribute(flag, mayDelete),
            'can-force-delete': attribute(
              flag,
              mayForceDelete(standing, workspace),
              'Whether the caller may delete it while it manages resources.',
            ),
            'can-queue-run': attribute(flag, mayQueue),
            'can-queue-apply': attribute(flag, mayApply),
            'can-queue-destroy': attribute(flag, mayApply),
            'can-read-variable': attribute(flag, mayReadVariables),
            'can-update-variable': attribute(flag, may(standing, 'variables/manage')),
            'can-manage-run-tasks': attribute(flag, may(standing, 'workspace-tasks/manage')),
            'can-manage-tags': attribute(flag, mayUpdate),
            'can-manage-team-access': attribute(flag, may(standing, 'team-access/manage')),
            'can-lock': attribute(flag, mayLock),
            'can-unlock': attribute(flag, mayLock),
            'can-force-unlock': attribute(flag, may(standing, 'workspaces/force-unlock')),
            'can-create-state-versions': attribute(flag, may(standing, 'state-versions/create')),
            'can-read-state-versions': attribute(flag, mayReadStates),
            'can-read-state-outputs': attribute(flag, may(standing, 'state-version-outputs/read')),
          },
          "The caller's permissions.",
        ),
      },
      relationships: {
        organization: toOne('organizations', workspace.organizationName),
        project: toOne('projects', workspace.projectId),
        'current-configuration-version': attribute(
          currentVersionSchema(dialect),
          currentVersion(dialect, workspace.currentConfigurationVersionId),
        ),
        'current-run': unlessCircular(
          attribute(
            maybeRun,
            runOf(activity.currentRunId),
            'The run that has locked the workspace, or else the run that has waited the longest. Absent if a run is included too.',
          ),
        ),
        'latest-run': unlessCircular(
          attribute(maybeRun, runOf(activity.latestRunId), 'The run that was created last.'),
        ),
        'current-state-version': toOneOrNoneAt(
          'state-versions',
          mayReadStates ? activity.stateVersionId : null,
          `${self}/current-state-version`,
        ),
        outputs: {
          data: optional(
            outputIds &&
              attribute(
                outputIdentifiers,
                outputIds.map((id) => ({ id, type: workspaceOutputType })),
              ),
            'Absent unless they are included.',
          ),
          links: { related: link(`${self}/current-state-version-outputs`) },
        },
        ...bindingRelationships(words, self, effectiveTagBindings),
        vars: {
          data: attribute(
            variableIdentifiers,
            mayReadVariables ? activity.variableIds.map((id) => ({ id, type: 'vars' as const })) : [],
            'Empty for those who may not read variables.',
          ),
          links: { related: link(`${self}/vars`) },
        },
        'data-retention-policy': {
          data: attribute(
            retentionIdentifier,
            workspace.retention && { id: workspace.retention.id, type: retentionTypeOf(workspace.retention) },
          ),
          links: { related: link(`${self}/relationships/data-retention-policy`) },
        },
        'agent-pool': toOneOrNone('agent-pools', execution.agentPoolId),
        'agent-pool-token-creators': creators && poolTokenCreators(words, creators),
        'locked-by': unlessCircular(
          attribute(
            lockedBySchema,
            workspace.lock === null ? runOf(activity.workingRunId) : presentOwner(workspace.lock.by),
            'The user or team, or the run that is in progress.',
          ),
        ),
      },
      links: {
        self: link(`${dialect.prefix}/organizations/${workspace.organizationName}/workspaces/${workspace.name}`),
        'self-html': attribute(
          path,
          `/app/${workspace.organizationName}/workspaces/${workspace.name}`,
          'The page of the workspace in the console.',
        ),
      },
    };
  };

export const presentWorkspace = workspace(presenting);

const linked = anyView<Workspace>({ repository: anyView({ cloneUrl: 'https://git.example.com/acme/network.git' }) });

export const workspaceSchema = described({ name: 'Workspace' }, (words, dialect) =>
  workspace(words)(dialect)({
    subject: linked,
    standing: anyView(),
    activity: anyView(),
    withoutRuns: false,
    effectiveTagBindings: [],
    outputIds: [],
  }),
);

/** A workspace in the answer to a creation or a change of its settings, which may have linked it to a repository. */
export const changedWorkspaceSchema = described({ name: 'ChangedWorkspace' }, (words, dialect) =>
  workspace(words)(dialect)(
    anyView({
      subject: linked,
      webhookKey: '',
      poolTokenCreators: [],
      withoutRuns: false,
      effectiveTagBindings: [],
      outputIds: [],
    }),
  ),
);
