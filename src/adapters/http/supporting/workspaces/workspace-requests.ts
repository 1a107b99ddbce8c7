import { z } from 'zod';
import {
  type WorkspaceChange,
  type WorkspaceFilter,
  type WorkspaceInclude,
  workspaceSorts,
} from '../../../../application/index.js';
import { type ExecutionChange, executionModes, runStatuses } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { include, someOf, sortBy, textual, valuesOf } from '../../routing/parameters.js';
import type { Call } from '../../routing/route.js';
import {
  absentable,
  identifier,
  named,
  optionalDocument,
  reading,
  resourceDocument,
  word,
} from '../../routing/schema.js';

const type: TypeName = { singular: 'workspace', plural: 'workspaces' };
export const poolType: TypeName = { singular: 'agent-pool', plural: 'agent-pools' };

const settings = {
  description: z.string().max(4096).nullable().optional(),
  'auto-apply': absentable(z.boolean()),
  'execution-mode': absentable(z.enum(executionModes)),
  'terraform-version': absentable(z.string().min(1).max(64)),
  'working-directory': absentable(z.string().max(1024)),
  'agent-pool-id': word.nullable().optional(),
  'setting-overwrites': absentable(
    z.object({ 'execution-mode': absentable(z.boolean()), 'agent-pool': absentable(z.boolean()) }),
  ),
  // Null unlinks, unlike a missing value.
  'vcs-repo': z
    .object({
      'clone-url': z.string().max(2048),
      branch: absentable(word),
      credential: absentable(word),
    })
    .nullable()
    .optional(),
};

const relationships = (dialect: Dialect) => ({
  'agent-pool': absentable(z.object({ data: identifier(dialect, poolType).nullable() })),
});

const changeDocument = (dialect: Dialect) =>
  resourceDocument(dialect, type, { name: absentable(word), ...settings }, relationships(dialect));

type Body = z.infer<ReturnType<typeof changeDocument>>;

/** One attribute in two places. */
const poolsAgree = ({ data: { attributes, relationships } }: Body): boolean => {
  const [one, other] = [attributes['agent-pool-id'], relationships['agent-pool']];
  return one === undefined || other === undefined || one === (other.data?.id ?? null);
};

const disagreement = {
  error: 'Agent pool id and the relationship agent-pool are one setting and must have the same value',
  path: ['data', 'relationships', 'agent-pool'],
};

/** Undefined when the request does not set the execution mode. */
const toExecution = ({ attributes, relationships }: Body['data']): ExecutionChange | undefined => {
  const { 'agent-pool-id': poolId, 'setting-overwrites': overwrites } = attributes;
  const related = relationships['agent-pool'];
  const change: ExecutionChange = named({
    executionMode: attributes['execution-mode'],
    agentPoolId: related === undefined ? poolId : (related.data?.id ?? null),
    overwrites: overwrites && {
      executionMode: overwrites['execution-mode'],
      agentPool: overwrites['agent-pool'],
    },
  });
  return Object.keys(change).length === 0 ? undefined : change;
};

/** Only what the request names. */
const toChange = ({ data }: Body): WorkspaceChange => {
  const { attributes } = data;
  const repository = attributes['vcs-repo'];
  return named({
    name: attributes.name,
    description: attributes.description,
    autoApply: attributes['auto-apply'],
    terraformVersion: attributes['terraform-version'],
    workingDirectory: attributes['working-directory'],
    execution: toExecution(data),
    // Clients send an empty branch for the default one.
    repository: repository && {
      cloneUrl: repository['clone-url'],
      branch: repository.branch || null,
      credential: repository.credential ?? null,
    },
  });
};

export const newWorkspace = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, type, { name: word, ...settings }, relationships(dialect));
  return reading(schema.refine(poolsAgree, disagreement), (body) => ({
    ...toChange(body),
    name: body.data.attributes.name,
  }));
};

export const workspaceChange = (dialect: Dialect) =>
  reading(changeDocument(dialect).refine(poolsAgree, disagreement), toChange);

const inEach = {
  organization: ['organization'],
  current_run: ['current-run'],
  'current_run.plan': ['current-run', 'plan'],
  'current_run.configuration_version': ['current-run', 'run-version'],
  'current_run.configuration_version.ingress_attributes': ['current-run', 'run-version', 'run-commit'],
  current_configuration_version: ['current-version'],
  'current_configuration_version.ingress_attributes': ['current-version', 'current-commit'],
  locked_by: ['locked-by'],
} as const satisfies Readonly<Record<string, readonly WorkspaceInclude[]>>;

const noReadme = { readme: 'workspaces have no readme' };
const oneOnly = 'only a single workspace includes it';

export const workspaceParameters = {
  include: include<WorkspaceInclude | 'outputs'>(
    { ...inEach, current_state_version: ['current-state'], outputs: ['outputs'] },
    { refused: noReadme },
  ),
};

export const workspacesParameters = {
  'search[name]': textual('Only workspaces with this text in their name.'),
  'search[wildcard-name]': textual('Only workspaces with this name, in which `*` stands for any text.'),
  'filter[current-run][status]': someOf(runStatuses, 'Only workspaces whose current run has one of these statuses.'),
  sort: sortBy(workspaceSorts, 'name'),
  include: include<WorkspaceInclude>(inEach, {
    refused: { ...noReadme, current_state_version: oneOnly, outputs: oneOnly },
  }),
};

export const workspacesQuery = ({ query }: Call) => {
  const values = valuesOf(workspacesParameters, query);
  const filter: WorkspaceFilter = {
    search: values['search[name]'],
    wildcard: values['search[wildcard-name]'],
    currentRun: values['filter[current-run][status]'],
    sort: values.sort,
  };
  return { filter, include: values.include };
};

/** The reason for a lock, as clients send it: in a document's attributes or directly next to `data`. */
export const lockReason = (dialect: Dialect) => {
  const reason = absentable(z.string().max(1024));
  const schema = optionalDocument(dialect, type, { reason }).extend({ reason });
  return reading(schema, (body): string | null => body.reason ?? body.data.attributes.reason ?? null);
};
