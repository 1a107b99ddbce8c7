import { z } from 'zod';
import type { NewPolicyTrial } from '../../../application/index.js';
import { parameterLimits, trialLimits } from '../../../domain/index.js';
import type { Dialect, TypeName } from '../routing/dialect.js';
import { limits } from '../routing/limits.js';
import { invalid } from '../routing/request-error.js';
import { absentable, identifier, reading, resourceDocument, unserved, word } from '../routing/schema.js';

const type: TypeName = { singular: 'policy-trial', plural: 'policy-trials' };
const setType: TypeName = { singular: 'policy-set', plural: 'policy-sets' };
const workspaceType: TypeName = { singular: 'workspace', plural: 'workspaces' };

const archive = z
  .string()
  .min(1)
  .max(Math.ceil(trialLimits.archive / 3) * 4)
  .regex(/^[A-Za-z0-9+/]+={0,2}$/, { error: 'must be a .tar.gz in base64, without line breaks' })
  .meta({
    description: `The \`.tar.gz\` of a policy set version in base64: \`policies.hcl\`, which has the levels, and \`.rego\` files. At most ${trialLimits.archive} bytes.`,
    format: 'byte',
    example: 'H4sIAAAAAAAAA+3PMQ…',
  });

const parameter = z.object({
  key: word.min(1),
  value: z.string().max(parameterLimits.value),
  sensitive: unserved('Trials take no sensitive parameters: their values are shown'),
});

const attributes = {
  archive,
  'policy-tool-version': absentable(z.string().max(limits.word.max)),
  parameters: absentable(z.array(parameter).max(parameterLimits.ofSet)),
  plans: absentable(z.int().min(1).max(trialLimits.plans)).meta({
    description: `Number of plans, newest first (default ${trialLimits.plans}).`,
  }),
};

export const newPolicyTrial = (dialect: Dialect) => {
  const relationships = {
    'policy-set': absentable(z.object({ data: z.union([z.null(), identifier(dialect, setType)]) })),
    workspaces: absentable(z.object({ data: z.array(identifier(dialect, workspaceType)).max(trialLimits.workspaces) })),
  };
  const schema = resourceDocument(dialect, type, attributes, relationships);
  return reading(schema, ({ data: { attributes: given, relationships: related } }): NewPolicyTrial => {
    const workspaceIds = (related.workspaces?.data ?? []).map(({ id }) => id);
    const policySetId = related['policy-set']?.data?.id;
    if (workspaceIds.length === 0 && policySetId === undefined) {
      const detail = 'Name a policy set, workspaces, or both: they say which plans the trial evaluates';
      throw invalid([{ pointer: '/data/relationships', detail }]);
    }
    return {
      archive: Buffer.from(given.archive, 'base64'),
      policyToolVersion: given['policy-tool-version'] ?? null,
      parameters: (given.parameters ?? []).map(({ key, value }) => ({ key, value })),
      plans: given.plans ?? trialLimits.plans,
      policySetId,
      workspaceIds,
    };
  });
};
