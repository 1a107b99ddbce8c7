import type { Dialect } from '../dialect.js';
import { pageDocument, pageRequest } from '../json-api/pagination.js';
import { changes, creates, lists, removes, shows } from '../reference/operations.js';
import { created, get, noContent, ok, parameter, patch, post, type Route, remove } from '../route.js';
import type { UseCases } from '../use-cases.js';
import { agentPoolName, newAgentPool, newAgentToken } from './agent-pool-requests.js';
import {
  agentPoolSchema,
  agentTokenSchema,
  issuedAgentTokenSchema,
  presentAgentPool,
  presentAgentToken,
} from './agent-pool-resource.js';

export const agentPoolRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newAgentPool(dialect);
  const readName = agentPoolName(dialect);
  const readToken = newAgentToken(dialect);
  const present = presentAgentPool(dialect);
  const pool = () => agentPoolSchema(dialect);
  const tokensPath = '/agent-pools/:poolId/authentication-tokens';
  return [
    get(
      '/organizations/:organization/agent-pools',
      'agent-pools/manage',
      () => lists('listAgentPools', 'List the agent pools of an organization', pool()),
      async (call) => {
        const name = parameter(call, 'organization');
        const page = await use.listAgentPools.execute(call.actor, name, pageRequest(call.query));
        return ok(pageDocument(call.path, call.query, page, present));
      },
    ),
    post(
      '/organizations/:organization/agent-pools',
      'agent-pools/manage',
      () =>
        creates('createAgentPool', 'Create an agent pool', readNew, pool(), {
          refusals: ['attribute/invalid', 'attribute/taken'],
        }),
      async (call) => {
        const made = await use.createAgentPool.execute(call.actor, parameter(call, 'organization'), readNew(call));
        return created({ data: present(made) });
      },
    ),
    get(
      '/agent-pools/:id',
      'agent-pools/manage',
      () => shows('showAgentPool', 'Show an agent pool', pool()),
      async (call) => ok({ data: present(await use.showAgentPool.execute(call.actor, parameter(call, 'id'))) }),
    ),
    patch(
      '/agent-pools/:id',
      'agent-pools/manage',
      () =>
        changes('renameAgentPool', 'Rename an agent pool', readName, pool(), {
          refusals: ['attribute/invalid', 'attribute/taken'],
        }),
      async (call) =>
        ok({ data: present(await use.renameAgentPool.execute(call.actor, parameter(call, 'id'), readName(call))) }),
    ),
    remove(
      '/agent-pools/:id',
      'agent-pools/manage',
      () => removes('removeAgentPool', 'Delete an agent pool and its tokens', 'agent-pool/in-use'),
      async (call) => {
        await use.removeAgentPool.execute(call.actor, parameter(call, 'id'));
        return noContent;
      },
    ),
    get(
      tokensPath,
      'agent-pools/manage',
      () => lists('listAgentTokens', 'List the tokens of an agent pool', agentTokenSchema(dialect)),
      async (call) => {
        const id = parameter(call, 'poolId');
        const page = await use.listAgentTokens.execute(call.actor, id, pageRequest(call.query));
        return ok(pageDocument(call.path, call.query, page, presentAgentToken()));
      },
    ),
    post(
      tokensPath,
      'agent-pools/manage',
      () => creates('issueAgentToken', 'Issue a token to an agent', readToken, issuedAgentTokenSchema(dialect)),
      async (call) => {
        const id = parameter(call, 'poolId');
        const { token, secret } = await use.issueAgentToken.execute(call.actor, id, readToken(call));
        return created({ data: presentAgentToken(secret)(token) });
      },
    ),
  ];
};
