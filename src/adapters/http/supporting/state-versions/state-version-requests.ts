import { z } from 'zod';
import type { NewStateVersion, Rollback, StateVersionQuery } from '../../../../application/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { limits } from '../../routing/limits.js';
import { pageRequest } from '../../routing/pagination.js';
import { include, required, valuesOf } from '../../routing/parameters.js';
import { type Call, parameter } from '../../routing/route.js';
import { absentable, identifier, reading, resourceDocument, word } from '../../routing/schema.js';

export const stateVersionsParameters = {
  'filter[organization][name]': required('The organization of the workspace.'),
  'filter[workspace][name]': required('The name of the workspace.'),
};

/** Throws a 422 without both names. */
export const stateVersionsQuery = ({ query }: Call): StateVersionQuery => {
  const values = valuesOf(stateVersionsParameters, query);
  return {
    organizationName: values['filter[organization][name]'],
    workspaceName: values['filter[workspace][name]'],
    page: pageRequest(query),
  };
};

const type: TypeName = { singular: 'state-version', plural: 'state-versions' };
const runType: TypeName = { singular: 'run', plural: 'runs' };

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0;
const base64 = z.string().max(limits.stateBody.max).refine(isBase64, 'must be base64').meta({ format: 'byte' });
const decoded = (text: string | undefined): Uint8Array | undefined =>
  text === undefined ? undefined : Buffer.from(text, 'base64');

export const newStateVersion = (dialect: Dialect) => {
  const schema = resourceDocument(
    dialect,
    type,
    {
      serial: z.int().min(0).meta({ description: 'Must be greater than the serial of the current state version.' }),
      md5: z
        .string()
        .max(32)
        .regex(/^[0-9A-Fa-f]{32}$/, 'must be 32 hexadecimal digits')
        .meta({ description: 'The MD5 digest of the state.' }),
      lineage: absentable(word).meta({
        description: 'Must be the lineage of the current state version, which is the default.',
      }),
      force: absentable(z.boolean()).meta({ description: 'Skips the check of serial and lineage.' }),
      state: absentable(base64).meta({
        description: 'The state. Without it, the response contains URLs to upload it to.',
      }),
      'json-state': absentable(base64).meta({
        description: 'The state as printed by `terraform show -json`. Requires `state`.',
      }),
      'json-state-outputs': absentable(base64).meta({
        description: 'Ignored: outputs are read from the state.',
      }),
    },
    { run: absentable(z.object({ data: identifier(dialect, runType).nullable() })) },
  ).refine(({ data: { attributes } }) => attributes.state !== undefined || attributes['json-state'] === undefined, {
    error: 'Json state must come with state',
    path: ['data', 'attributes', 'json-state'],
  });
  return reading(
    schema,
    ({ data: { attributes, relationships } }, call): NewStateVersion => ({
      workspaceId: parameter(call, 'workspaceId'),
      serial: attributes.serial,
      md5: attributes.md5.toLowerCase(),
      lineage: attributes.lineage,
      force: attributes.force ?? false,
      runId: relationships.run?.data?.id,
      state: decoded(attributes.state),
      jsonState: decoded(attributes['json-state']),
    }),
  );
};

export const rollback = (dialect: Dialect) => {
  const relationships = { 'rollback-state-version': z.object({ data: identifier(dialect, type) }) };
  return reading(
    resourceDocument(dialect, type, {}, relationships),
    ({ data }, call): Rollback => ({
      workspaceId: parameter(call, 'workspaceId'),
      stateVersionId: data.relationships['rollback-state-version'].data.id,
    }),
  );
};

export const stateVersionParameters = { include: include({ outputs: ['outputs'] }) };
