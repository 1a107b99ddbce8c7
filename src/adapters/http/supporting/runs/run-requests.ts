import { z } from 'zod';
import type { NewRun, RunInclude } from '../../../../application/index.js';
import { defaultRunOptions } from '../../../../domain/supporting/runs/run.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import type { Call } from '../../routing/route.js';
import { absentable, identifier, parse, reading, resourceDocument, unserved } from '../../routing/schema.js';

const type: TypeName = { singular: 'run', plural: 'runs' };
const workspaceType: TypeName = { singular: 'workspace', plural: 'workspaces' };
const versionType: TypeName = {
  singular: 'configuration-version',
  plural: 'configuration-versions',
  contract: { word: 'configuration-version', required: false },
};

/** The words `include` takes on a run. Others are passed over: clients ask for what other servers know. */
export const runIncludes: Readonly<Record<string, readonly RunInclude[]>> = {
  workspace: ['workspace'],
  plan: ['plan'],
  apply: ['apply'],
  task_stages: ['task-stages'],
  'task-stages': ['task-stages'],
  configuration_version: ['configuration-version'],
  'configuration-version': ['configuration-version'],
  'configuration_version.ingress_attributes': ['configuration-version', 'ingress-attributes'],
  'configuration-version.ingress-attributes': ['configuration-version', 'ingress-attributes'],
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
        debuggingMode: attributes['debugging-mode'] ?? false,
        terraformVersion: attributes['terraform-version'] ?? defaultRunOptions.terraformVersion,
      },
    }),
  );
};

const commentSchema = z.object({ comment: absentable(z.string().max(4096)) });

const anyObject = z.record(z.string(), z.unknown());

/**
 * The comment that comes with an action on a run. Clients send such requests with bodies of any kind: only what is JSON is
 * looked at, and refused only for a comment that is not a text.
 */
export function readComment({ body }: Call): string | null {
  if (!(body instanceof Uint8Array)) return null;
  let given: unknown;
  try {
    given = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
  const object = anyObject.safeParse(given);
  return object.success ? (parse(commentSchema, object.data).comment ?? null) : null;
}
