import { z } from 'zod';
import type { SharedState } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { OrganizationId, Workspace } from '../../../../domain/index.js';
import { mediaType } from '../../routing/document.js';
import type { Exchange } from '../../routing/exchange.js';
import type { Refusal } from '../../routing/reference.js';
import { anyView, describedJson, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, flag, text } from '../../routing/resource-schema.js';
import type { PlainRoute } from '../../routing/route.js';

const word = <Word extends string>(one: Word) => z.literal(one);

/** Only what `terraform_remote_state` reads. */
const organization =
  ({ attribute }: ResourceBuilder) =>
  (id: OrganizationId) => ({
    data: {
      id: attribute(text, id),
      type: attribute(word('entitlement-sets'), 'entitlement-sets'),
      attributes: { operations: attribute(flag, true), 'state-storage': attribute(flag, true) },
    },
  });

const workspace =
  ({ attribute }: ResourceBuilder) =>
  ({ id, name }: Pick<Workspace, 'id' | 'name'>) => ({
    data: {
      id: attribute(text, id),
      type: attribute(word('workspaces'), 'workspaces'),
      attributes: { name: attribute(text, name) },
    },
  });

const state =
  ({ attribute }: ResourceBuilder) =>
  ({ version, download }: SharedState) => ({
    data: {
      id: attribute(text, version.id),
      type: attribute(word('state-versions'), 'state-versions'),
      attributes: {
        'created-at': attribute(dateTime, version.createdAt),
        'hosted-state-download-url': attribute(text, download, 'A signed URL of the state.'),
        serial: attribute(count, version.serial),
        size: attribute(count, version.size),
        status: attribute(word('finalized'), 'finalized'),
      },
    },
  });

const presented = {
  organization: organization(presenting),
  workspace: workspace(presenting),
  state: state(presenting),
};

const organizationSchema = describedJson((words) => organization(words)(''));
const workspaceSchema = describedJson((words) => workspace(words)(anyView()));
const stateSchema = describedJson((words) => state(words)(anyView()));

const refusals: readonly Refusal[] = [429, 'resource/not-found', 'service/unavailable'];

const answer = (exchange: Exchange, document: object): void => {
  exchange.admit({ organization: null, caller: `capability ${exchange.request.params.objectId}` });
  const body = JSON.stringify(document);
  exchange.respond(200, { 'Content-Type': mediaType }, body);
};

/**
 * The endpoints that the `remote` backend asks for when terraform reads the state of another workspace during a run. The
 * object id is the whole right: a token is not looked at.
 */
export const sharedStateRoutes = (use: UseCases): PlainRoute[] => {
  const base = '/v1/shared-states/:objectId';
  const of = ({ request: { params } }: Exchange, name: string) => String(params[name]);
  const read = (
    path: string,
    { operation, summary, schema }: { operation: string; summary: string; schema?: z.ZodType },
    handle: PlainRoute['handle'],
  ): PlainRoute => ({
    method: 'get',
    path: `${base}${path}`,
    countedAs: 'capability',
    reference: () => ({
      operation,
      summary,
      about: 'For the program of a run, below the `shared-states-url` of its job. Ends with the lease of the run.',
      answers: schema === undefined ? { 204: null } : { 200: { mediaType, schema } },
      refusals,
    }),
    handle,
  });
  return [
    read('/ping', { operation: 'pingSharedStates', summary: 'Check that states can be read' }, async (exchange) => {
      await use.readSharedStates.ping(of(exchange, 'objectId'));
      exchange.writeHead(204).end();
    }),
    read(
      '/organizations/:organization/entitlement-set',
      {
        operation: 'showSharedStatesEntitlementSet',
        summary: "Show the entitlement set of the run's organization",
        schema: organizationSchema,
      },
      async (exchange) => {
        const id = await use.readSharedStates.organization(of(exchange, 'objectId'), of(exchange, 'organization'));
        answer(exchange, presented.organization(id));
      },
    ),
    read(
      '/organizations/:organization/workspaces/:name',
      {
        operation: 'showSharedStatesWorkspace',
        summary: "Find a workspace that shares its state with the run's workspace",
        schema: workspaceSchema,
      },
      async (exchange) => {
        const [objectId, organizationName] = [of(exchange, 'objectId'), of(exchange, 'organization')];
        const found = await use.readSharedStates.workspace(objectId, organizationName, of(exchange, 'name'));
        answer(exchange, presented.workspace(found));
      },
    ),
    read(
      '/workspaces/:id/current-state-version',
      {
        operation: 'showSharedState',
        summary: 'Show the current state version of such a workspace',
        schema: stateSchema,
      },
      async (exchange) => {
        const found = await use.readSharedStates.state(of(exchange, 'objectId'), of(exchange, 'id'));
        answer(exchange, presented.state(found));
      },
    ),
  ];
};
