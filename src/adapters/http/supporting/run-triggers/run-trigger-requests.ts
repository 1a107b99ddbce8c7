import { z } from 'zod';
import type { RunTriggerInclude } from '../../../../application/index.js';
import { runTriggerTypes, type WorkspaceId } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { include, requiredOneOf } from '../../routing/parameters.js';
import { identifier, reading, resourceDocument } from '../../routing/schema.js';

const type: TypeName = { singular: 'run-trigger', plural: 'run-triggers' };
const workspaceType: TypeName = { singular: 'workspace', plural: 'workspaces' };

export const runTriggerParameters = {
  include: include<RunTriggerInclude>({ workspace: ['workspace'], sourceable: ['sourceable'] }),
};

export const runTriggersParameters = {
  ...runTriggerParameters,
  'filter[run-trigger][type]': requiredOneOf(
    runTriggerTypes,
    '`inbound` lists the source workspaces of this workspace, `outbound` the workspaces that it is a source of.',
  ),
};

/** The source workspace. */
export const newRunTrigger = (dialect: Dialect) => {
  const sourceable = z.object({ data: identifier(dialect, workspaceType) });
  const schema = resourceDocument(dialect, type, {}, { sourceable });
  return reading(schema, ({ data: { relationships } }): WorkspaceId => relationships.sourceable.data.id);
};
