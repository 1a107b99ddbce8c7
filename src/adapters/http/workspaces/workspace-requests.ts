import { z } from 'zod';
import type { WorkspaceChange } from '../../../application/index.js';
import { executionModes, type WorkspaceSettings } from '../../../domain/index.js';
import type { Dialect, TypeName } from '../dialect.js';
import { absentable, optionalDocument, reading, resourceDocument, word } from '../json-api/schema.js';

const type: TypeName = { singular: 'workspace', plural: 'workspaces' };

const settings = {
  description: z.string().max(4096).nullable().optional(),
  'auto-apply': absentable(z.boolean()),
  'execution-mode': absentable(z.enum(executionModes)),
  'terraform-version': absentable(z.string().min(1).max(64)),
  'working-directory': absentable(z.string().max(1024)),
  'agent-pool-id': word.nullable().optional(),
  // Null unlinks, and so differs from absent.
  'vcs-repo': z
    .object({
      'clone-url': z.string().max(2048),
      branch: absentable(word),
      credential: absentable(word),
    })
    .nullable()
    .optional(),
};

interface Attributes {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly 'auto-apply'?: boolean | undefined;
  readonly 'execution-mode'?: WorkspaceSettings['executionMode'] | undefined;
  readonly 'terraform-version'?: string | undefined;
  readonly 'working-directory'?: string | undefined;
  readonly 'agent-pool-id'?: string | null | undefined;
  readonly 'vcs-repo'?:
    | {
        readonly 'clone-url': string;
        readonly branch?: string | undefined;
        readonly credential?: string | undefined;
      }
    | null
    | undefined;
}

/** Only what the request names. */
const toChange = (attributes: Attributes): WorkspaceChange => {
  const repository = attributes['vcs-repo'];
  const named = {
    name: attributes.name,
    description: attributes.description,
    autoApply: attributes['auto-apply'],
    executionMode: attributes['execution-mode'],
    terraformVersion: attributes['terraform-version'],
    workingDirectory: attributes['working-directory'],
    agentPoolId: attributes['agent-pool-id'],
    // Clients write an empty branch for the default one.
    repository: repository && {
      cloneUrl: repository['clone-url'],
      branch: repository.branch || null,
      credential: repository.credential ?? null,
    },
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
};

export const newWorkspace = (dialect: Dialect) =>
  reading(resourceDocument(dialect, type, { name: word, ...settings }), ({ data: { attributes } }) => ({
    ...toChange(attributes),
    name: attributes.name,
  }));

export const workspaceChange = (dialect: Dialect) =>
  reading(resourceDocument(dialect, type, { name: absentable(word), ...settings }), ({ data }) =>
    toChange(data.attributes),
  );

/** The reason for a lock, as clients send it: in the attributes of a document or plainly beside `data`. */
export const lockReason = (dialect: Dialect) => {
  const reason = absentable(z.string().max(1024));
  const schema = optionalDocument(dialect, type, { reason }).extend({ reason });
  return reading(schema, (body): string | null => body.reason ?? body.data.attributes.reason ?? null);
};
