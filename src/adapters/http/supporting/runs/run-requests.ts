import { z } from 'zod';
import type { NewRun, OrganizationRunsQuery, RunInclude, RunsQuery } from '../../../../application/index.js';
import {
  completedRunStatuses,
  runOperations,
  runStatuses,
  runStatusesDiscardable,
  runStatusesInProgress,
} from '../../../../domain/index.js';
import { defaultRunOptions } from '../../../../domain/supporting/runs/run.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import {
  include,
  looksAtNewest,
  oneOf,
  searching,
  someOf,
  texts,
  type Values,
  valuesOf,
} from '../../routing/parameters.js';
import type { Call } from '../../routing/route.js';
import { absentable, identifier, reading, resourceDocument, unserved } from '../../routing/schema.js';

const type: TypeName = { singular: 'run', plural: 'runs' };
const workspaceType: TypeName = { singular: 'workspace', plural: 'workspaces' };
const versionType: TypeName = {
  singular: 'configuration-version',
  plural: 'configuration-versions',
  contract: { words: ['configuration-version'], required: false },
};

const runIncludes = {
  workspace: ['workspace'],
  plan: ['plan'],
  apply: ['apply'],
  created_by: ['created-by'],
  task_stages: ['task-stages'],
  configuration_version: ['configuration-version'],
  'configuration_version.ingress_attributes': ['configuration-version', 'ingress-attributes'],
} as const;

/** Clients ask for what other servers know, and do not go on when it is refused. */
export const runParameters = { include: include<RunInclude>(runIncludes, { unknownWords: 'ignored' }) };

const included = { include: include<RunInclude>(runIncludes) };

/** Statuses of other services of the family, which no run has here. */
const otherStatuses = [
  'assessed',
  'assessing',
  'cost_estimated',
  'cost_estimating',
  'fetching_completed',
  'force_canceled',
  'policy_checked',
  'policy_checking',
  'policy_override',
  'policy_soft_failed',
  'post_apply_completed',
  'post_apply_running',
  'pre_apply_completed',
  'pre_apply_running',
  'pre_plan_awaiting_decision',
  'pre_plan_completed',
  'pre_plan_running',
  'queuing',
  'queuing_apply',
] as const;

const sources = ['tfe-api', 'tfe-configuration-version', 'tfe-run-trigger'] as const;
/** Sources that only other services of the family have. */
const otherSources = ['tfe-ui', 'tfe-infrastructure-lifecycle', 'tfe-module'] as const;

const statusGroups = {
  non_final: runStatusesInProgress,
  final: completedRunStatuses,
  discardable: runStatusesDiscardable,
};

const timeframe = z
  .string()
  .regex(/^(?:year|[12]\d{3})$/, 'must be a year such as 2030, or `year` for the past year')
  .meta({ examples: ['2030'] })
  .transform((text) => (text === 'year' ? text : Number(text)))
  .optional()
  .meta({ description: 'Only runs of this year, such as `2030`, or `year` for those of the past 365 days.' });

export const runsParameters = {
  'filter[status]': someOf([...runStatuses, ...otherStatuses], 'Only runs with one of these statuses.'),
  'filter[status_group]': oneOf(['non_final', 'final', 'discardable'], 'Only runs with a status of this group.'),
  'filter[operation]': someOf(runOperations, 'Only runs with one of these operations.'),
  'filter[source]': someOf([...sources, ...otherSources], 'Only runs from one of these sources.'),
  'filter[timeframe]': timeframe,
  'search[basic]': searching(
    'Only runs with this text in their id, message or commit SHA, or in the username of their creator or of the sender of their commit.',
  ),
  'search[user]': searching(
    'Only runs with this text in the username of their creator or of the sender of their commit.',
  ),
  'search[commit]': searching('Only runs with this text in their commit SHA.'),
  ...included,
};

export const queueParameters = included;

export const organizationRunsParameters = {
  ...runsParameters,
  'filter[workspace_names]': texts('Only runs of workspaces with one of these names, separated by commas.'),
  'filter[agent_pool_names]': texts(
    `Only runs of workspaces that use an agent pool with one of these names, separated by commas. None for those who may not list the agent pools. ${looksAtNewest}`,
  ),
};

const known = <Word extends string>(words: readonly string[] | undefined, among: readonly Word[]) =>
  words && among.filter((word) => words.includes(word));

const queryOf = (values: Values<typeof runsParameters>): RunsQuery => {
  const group = values['filter[status_group]'];
  const statuses = known(values['filter[status]'], runStatuses);
  return {
    statuses: group === undefined ? statuses : known(statuses ?? runStatuses, statusGroups[group]),
    operations: values['filter[operation]'],
    sources: known(values['filter[source]'], sources),
    timeframe: values['filter[timeframe]'],
    search: values['search[basic]'],
    user: values['search[user]'],
    commit: values['search[commit]'],
  };
};

export const runsQuery = ({ query }: Call): RunsQuery => queryOf(valuesOf(runsParameters, query));

export const organizationRunsQuery = ({ query }: Call): OrganizationRunsQuery => {
  const values = valuesOf(organizationRunsParameters, query);
  return {
    ...queryOf(values),
    workspaceNames: values['filter[workspace_names]'],
    agentPoolNames: values['filter[agent_pool_names]'],
  };
};

const flag = absentable(z.boolean());
const addresses = absentable(z.array(z.string().max(4096)).max(1000));

/** Every page of runs repeats their variables. */
const longestVariables = 65_536;

const variables = z
  .array(z.object({ key: z.string().min(1).max(256), value: z.string().max(longestVariables) }))
  .max(1000)
  .refine((all) => all.reduce((sum, { key, value }) => sum + key.length + value.length, 0) <= longestVariables, {
    error: `Variables are too long (the maximum is ${longestVariables} characters in all)`,
  });

export const newRun = (dialect: Dialect) => {
  const schema = resourceDocument(
    dialect,
    type,
    {
      message: absentable(z.string().max(4096)),
      'auto-apply': flag,
      'plan-only': flag,
      'save-plan': flag,
      'is-destroy': flag,
      refresh: flag,
      'refresh-only': flag,
      'allow-empty-apply': flag,
      'allow-config-generation': flag,
      'debugging-mode': flag.meta({ description: 'Logs what the program does, as TF_LOG=TRACE.' }),
      'policy-paths': unserved('Policies of a configuration are not evaluated: use policy sets'),
      'invoke-action-addrs': unserved('Actions are not invoked'),
      'target-addrs': addresses,
      'replace-addrs': addresses,
      variables: absentable(variables),
      'terraform-version': absentable(z.string().min(1).max(64)),
    },
    {
      workspace: z.object({ data: identifier(dialect, workspaceType) }),
      'configuration-version': absentable(z.object({ data: absentable(identifier(dialect, versionType)) })),
    },
  );
  return reading(
    schema,
    ({ data: { attributes, relationships } }): NewRun => ({
      workspaceId: relationships.workspace.data.id,
      configurationVersionId: relationships['configuration-version']?.data?.id,
      planOnly: attributes['plan-only'] ?? false,
      savePlan: attributes['save-plan'] ?? false,
      autoApply: attributes['auto-apply'],
      options: {
        message: attributes.message ?? 'Queued by the API',
        isDestroy: attributes['is-destroy'] ?? defaultRunOptions.isDestroy,
        refresh: attributes.refresh ?? defaultRunOptions.refresh,
        refreshOnly: attributes['refresh-only'] ?? defaultRunOptions.refreshOnly,
        allowEmptyApply: attributes['allow-empty-apply'] ?? defaultRunOptions.allowEmptyApply,
        allowConfigGeneration: attributes['allow-config-generation'] ?? defaultRunOptions.allowConfigGeneration,
        targetAddrs: attributes['target-addrs'] ?? defaultRunOptions.targetAddrs,
        replaceAddrs: attributes['replace-addrs'] ?? defaultRunOptions.replaceAddrs,
        variables: attributes.variables ?? defaultRunOptions.variables,
        debuggingMode: attributes['debugging-mode'] ?? defaultRunOptions.debuggingMode,
        terraformVersion: attributes['terraform-version'] ?? defaultRunOptions.terraformVersion,
      },
    }),
  );
};
