import { z } from 'zod';
import type { WorkspaceChange } from '../../../../application/index.js';
import { type ExecutionChange, executionModes } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
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

/** Undefined when the request does not set the execution mode. */
const toExecution = ({ attributes, relationships }: Body['data']): ExecutionChange | undefined => {
  const { 'setting-overwrites': overwrites } = attributes;
  const related = relationships['agent-pool'];
  const change: ExecutionChange = named({
    executionMode: attributes['execution-mode'],
    agentPoolId: related === undefined ? poolOf(attributes) : (related.data?.id ?? null),
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

/** The reason for a lock, as clients send it: in a document's attributes or directly next to `data`. */
export const lockReason = (dialect: Dialect) => {
  const reason = absentable(z.string().max(1024));
  const schema = optionalDocument(dialect, type, { reason }).extend({ reason });
  return reading(schema, (body): string | null => body.reason ?? body.data.attributes.reason ?? null);
};
