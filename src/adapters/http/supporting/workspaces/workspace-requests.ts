import { z } from 'zod';
import {
  type NewWorkspace,
  type WantedTags,
  type WorkspaceChange,
  type WorkspaceFilter,
  type WorkspaceInclude,
  workspaceSorts,
} from '../../../../application/index.js';
import { type AutoDestroyChange, type ExecutionChange, executionModes, runStatuses } from '../../../../domain/index.js';
import { maxTriggers } from '../../../../domain/supporting/workspaces/file-triggers.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { include, searching, someOf, sortBy, texts, textual, valuesOf } from '../../routing/parameters.js';
import { type Call, sourceOf } from '../../routing/route.js';
import {
  absentable,
  identifier,
  manyOf,
  named,
  namedInstant,
  optionalDocument,
  reading,
  resourceDocument,
  unserved,
  word,
} from '../../routing/schema.js';
import { taggedBindings, taggedParameters } from '../tags/tag-filters.js';
import { bindingList, tagList, toBindings, toTags } from '../tags/tag-requests.js';
import { repository, toRepository } from '../version-control/repository-requests.js';

export const workspaceType: TypeName = { singular: 'workspace', plural: 'workspaces' };
export const projectType: TypeName = { singular: 'project', plural: 'projects' };
export const poolType: TypeName = { singular: 'agent-pool', plural: 'agent-pools' };

const flag = absentable(z.boolean());
const paths = absentable(z.array(z.string().min(1).max(1024)).max(maxTriggers));
const maybeWord = word.nullable().optional();
const settings = {
  description: z.string().max(4096).nullable().optional(),
  'allow-destroy-plan': flag.meta({ description: 'False refuses destroy runs.' }),
  'auto-apply': flag,
  'execution-mode': absentable(z.enum(executionModes)),
  operations: flag.meta({ description: 'An older form of the execution mode: false for `local`.' }),
  'terraform-version': absentable(z.string().min(1).max(64)).meta({
    description: 'A version, constraints such as `~> 1.11.0`, or `latest`.',
  }),
  'working-directory': absentable(z.string().max(1024)),
  'agent-pool-id': maybeWord,
  'queue-all-runs': flag.meta({ description: 'False creates no runs from commits before the first run of a client.' }),
  'speculative-enabled': flag.meta({ description: 'False creates no speculative runs from pull requests.' }),
  'file-triggers-enabled': flag.meta({
    description:
      'True creates runs only from pushes that change the working directory, or what the triggers name. Patterns require it.',
  }),
  'trigger-prefixes': paths.meta({ description: 'Directories besides the working directory.' }),
  'trigger-patterns': paths.meta({ description: 'Globs of files, such as `/**/*.tf`, instead of directories.' }),
  'global-remote-state': flag,
  'auto-destroy-at': namedInstant.meta({
    description:
      'When a destroy run is created and applied: at once if it has passed, never if it is null. Replaces the duration.',
  }),
  'auto-destroy-activity-duration': z.string().max(5).nullable().optional().meta({
    description:
      'The same that long after the last new state: 1 to 9999 days (`14d`) or hours (`12h`). Null for never.',
  }),
  'inherits-project-auto-destroy': flag.meta({
    description:
      'True unsets the schedule of the workspace. False ignores that of its project, also while the workspace has none.',
  }),
  'source-name': maybeWord,
  'source-url': z.string().max(2048).nullable().optional(),
  'structured-run-output-enabled': flag.meta({ description: 'Kept for clients. Runs print text.' }),
  'assessments-enabled': flag.meta({ description: 'Kept for clients. There are no health assessments.' }),
  'auto-apply-run-trigger': flag.meta({ description: 'Whether triggered runs apply automatically.' }),
  'setting-overwrites': absentable(z.object({ 'execution-mode': flag, 'agent-pool': flag })),
  'vcs-repo': repository,
  'project-remote-state': unserved('States are not shared within a project. Name remote state consumers'),
  'hyok-enabled': unserved('Keys of your own are not served'),
  'migration-environment': unserved('Environments of the legacy service cannot be migrated'),
  'tag-names': absentable(manyOf(word)).meta({ description: 'The names of all tags. Converted to lowercase.' }),
};

const relationships = (dialect: Dialect) => ({
  'agent-pool': absentable(z.object({ data: identifier(dialect, poolType).nullable() })),
  project: absentable(z.object({ data: identifier(dialect, projectType).nullable() })),
  tags: absentable(z.object({ data: tagList(dialect) })),
  'tag-bindings': absentable(z.object({ data: bindingList(dialect) })),
  'ssh-key': unserved('SSH keys are not served'),
});

const changeDocument = (dialect: Dialect) =>
  resourceDocument(dialect, workspaceType, { name: absentable(word), ...settings }, relationships(dialect));

type Body = z.infer<ReturnType<typeof changeDocument>>;

/** Clients send an empty id for no pool. */
const poolOf = (attributes: Body['data']['attributes']) =>
  attributes['agent-pool-id'] === '' ? null : attributes['agent-pool-id'];

/** One attribute in two places. */
const poolsAgree = ({ data: { attributes, relationships } }: Body): boolean => {
  const [one, other] = [poolOf(attributes), relationships['agent-pool']];
  return one === undefined || other === undefined || one === (other.data?.id ?? null);
};

const disagreement = {
  error: 'Agent pool id and the relationship agent-pool are one setting and must have the same value',
  path: ['data', 'relationships', 'agent-pool'],
};

/** An older form of the execution mode. Agents execute the operations of both other modes. */
const modesAgree = ({ data: { attributes } }: Body): boolean => {
  const { operations, 'execution-mode': mode } = attributes;
  return operations === undefined || mode === undefined || operations === (mode !== 'local');
};

const modeDisagreement = {
  error: 'Operations and execution mode are one setting: operations is false in mode local, and true otherwise',
  path: ['data', 'attributes', 'operations'],
};

const modeOf = ({ operations, 'execution-mode': mode }: Body['data']['attributes']) =>
  mode ?? (operations === undefined ? undefined : operations ? 'remote' : 'local');

const tagsInOnePlace = ({ data: { attributes, relationships } }: Body): boolean =>
  attributes['tag-names'] === undefined || relationships.tags === undefined;

const tagsTwice = {
  error: 'Tag names and the relationship tags are one setting: name the tags in one of them',
  path: ['data', 'relationships', 'tags'],
};

const toWantedTags = ({ attributes, relationships }: Body['data']): WantedTags =>
  named({
    tagNames: attributes['tag-names'],
    tags: relationships.tags && toTags(relationships.tags.data),
    tagBindings: relationships['tag-bindings'] && toBindings(relationships['tag-bindings'].data),
  });

/** Undefined when the request does not set the execution mode. */
const toExecution = ({ attributes, relationships }: Body['data']): ExecutionChange | undefined => {
  const { 'setting-overwrites': overwrites } = attributes;
  const related = relationships['agent-pool'];
  const change: ExecutionChange = named({
    executionMode: modeOf(attributes),
    agentPoolId: related === undefined ? poolOf(attributes) : (related.data?.id ?? null),
    overwrites: overwrites && {
      executionMode: overwrites['execution-mode'],
      agentPool: overwrites['agent-pool'],
    },
  });
  return Object.keys(change).length === 0 ? undefined : change;
};

/** Undefined when the request names none of it. */
const toAutoDestroy = (attributes: Body['data']['attributes']): AutoDestroyChange | undefined => {
  const change: AutoDestroyChange = named({
    at: attributes['auto-destroy-at'],
    activityDuration: attributes['auto-destroy-activity-duration'],
    inherits: attributes['inherits-project-auto-destroy'],
  });
  return Object.keys(change).length === 0 ? undefined : change;
};

/** Only what the request names. */
const toChange = ({ data }: Body): WorkspaceChange => {
  const { attributes, relationships } = data;
  return named({
    name: attributes.name,
    description: attributes.description,
    autoApply: attributes['auto-apply'],
    terraformVersion: attributes['terraform-version'],
    workingDirectory: attributes['working-directory'],
    allowDestroyPlan: attributes['allow-destroy-plan'],
    queueAllRuns: attributes['queue-all-runs'],
    speculativeEnabled: attributes['speculative-enabled'],
    fileTriggersEnabled: attributes['file-triggers-enabled'],
    triggerPrefixes: attributes['trigger-prefixes'],
    triggerPatterns: attributes['trigger-patterns'],
    globalRemoteState: attributes['global-remote-state'],
    sourceName: attributes['source-name'],
    sourceUrl: attributes['source-url'],
    structuredRunOutputEnabled: attributes['structured-run-output-enabled'],
    assessmentsEnabled: attributes['assessments-enabled'],
    autoApplyRunTrigger: attributes['auto-apply-run-trigger'],
    projectId: relationships.project?.data?.id,
    tags: toWantedTags(data),
    execution: toExecution(data),
    autoDestroy: toAutoDestroy(attributes),
    repository: toRepository(attributes['vcs-repo']),
  });
};

const checked = <Schema extends z.ZodType<Body>>(schema: Schema) =>
  schema.refine(poolsAgree, disagreement).refine(modesAgree, modeDisagreement).refine(tagsInOnePlace, tagsTwice);

export const newWorkspace = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, workspaceType, { name: word, ...settings }, relationships(dialect));
  return reading(
    checked(schema),
    (body, call): NewWorkspace => ({
      ...toChange(body),
      name: body.data.attributes.name,
      source: sourceOf(call),
    }),
  );
};

export const workspaceChange = (dialect: Dialect) => reading(checked(changeDocument(dialect)), toChange);

const inEach = {
  organization: ['organization'],
  project: ['project'],
  current_run: ['current-run'],
  'current_run.plan': ['current-run', 'plan'],
  'current_run.configuration_version': ['current-run', 'run-version'],
  'current_run.configuration_version.ingress_attributes': ['current-run', 'run-version', 'run-commit'],
  current_configuration_version: ['current-version'],
  'current_configuration_version.ingress_attributes': ['current-version', 'current-commit'],
  locked_by: ['locked-by'],
  current_state_version: ['current-state'],
  effective_tag_bindings: ['effective-tag-bindings'],
} as const satisfies Readonly<Record<string, readonly WorkspaceInclude[]>>;

const noReadme = { readme: 'workspaces have no readme' };
const oneOnly = 'only a single workspace includes it';

export const workspaceParameters = {
  include: include<WorkspaceInclude | 'outputs'>({ ...inEach, outputs: ['outputs'] }, { refused: noReadme }),
};

export const workspacesParameters = {
  'search[name]': searching('Only workspaces with this text in their name.'),
  'search[wildcard-name]': searching('Only workspaces with this name, in which `*` stands for any text.'),
  'filter[project][id]': textual('Only workspaces of this project.'),
  'search[tags]': texts('Only workspaces with all of these tags or keys of tag bindings, separated by commas.'),
  'search[exclude-tags]': texts(
    'Only workspaces with none of these tags or keys of tag bindings, separated by commas.',
  ),
  ...taggedParameters('workspaces', 'an effective tag binding'),
  'filter[current-run][status]': someOf(runStatuses, 'Only workspaces whose current run has one of these statuses.'),
  sort: sortBy(workspaceSorts, 'name'),
  include: include<WorkspaceInclude>(inEach, {
    refused: { ...noReadme, outputs: oneOnly },
  }),
};

export const workspacesQuery = ({ query }: Call) => {
  const values = valuesOf(workspacesParameters, query);
  const filter: WorkspaceFilter = {
    search: values['search[name]'],
    wildcard: values['search[wildcard-name]'],
    projectId: values['filter[project][id]'],
    tags: values['search[tags]'],
    excludedTags: values['search[exclude-tags]'],
    bindings: taggedBindings(query),
    currentRun: values['filter[current-run][status]'],
    sort: values.sort,
  };
  return { filter, include: values.include };
};

/** The reason for a lock, as clients send it: in a document's attributes or directly next to `data`. */
export const lockReason = (dialect: Dialect) => {
  const reason = absentable(z.string().max(1024));
  const schema = optionalDocument(dialect, workspaceType, { reason }).extend({ reason });
  return reading(schema, (body): string | null => body.reason ?? body.data.attributes.reason ?? null);
};
