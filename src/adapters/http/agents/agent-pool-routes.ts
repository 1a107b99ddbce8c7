import type { Dialect } from '../dialect.js';
import { pageDocument, pageRequest } from '../json-api/pagination.js';
import { created, get, noContent, ok, parameter, patch, post, type Route, remove } from '../route.js';
import type { UseCases } from '../use-cases.js';
import { agentPoolName, newAgentPool, newAgentToken } from './agent-pool-requests.js';
import { presentAgentPool, presentAgentToken } from './agent-pool-resource.js';

export const agentPoolRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newAgentPool(dialect);
  const readName = agentPoolName(dialect);
  const readToken = newAgentToken(dialect);
  const present = presentAgentPool(dialect);
  const tokensPath = '/agent-pools/:poolId/authentication-tokens';
  return [
    get('/organizations/:organization/agent-pools', 'agent-pools/manage', async (call) => {
      const name = parameter(call, 'organization');
      const page = await use.listAgentPools.execute(call.actor, name, pageRequest(call.query));
      return ok(pageDocument(call.path, call.query, page, present));
    }),
    post('/organizations/:organization/agent-pools', 'agent-pools/manage', async (call) => {
      const pool = await use.createAgentPool.execute(call.actor, parameter(call, 'organization'), readNew(call));
      return created({ data: present(pool) });
    }),
    get('/agent-pools/:id', 'agent-pools/manage', async (call) =>
      ok({ data: present(await use.showAgentPool.execute(call.actor, parameter(call, 'id'))) }),
    ),
    patch('/agent-pools/:id', 'agent-pools/manage', async (call) =>
      ok({ data: present(await use.renameAgentPool.execute(call.actor, parameter(call, 'id'), readName(call))) }),
    ),
    remove('/agent-pools/:id', 'agent-pools/manage', async (call) => {
      await use.removeAgentPool.execute(call.actor, parameter(call, 'id'));
      return noContent;
    }),
    get(tokensPath, 'agent-pools/manage', async (call) => {
      const id = parameter(call, 'poolId');
      const page = await use.listAgentTokens.execute(call.actor, id, pageRequest(call.query));
      return ok(pageDocument(call.path, call.query, page, presentAgentToken()));
    }),
    post(tokensPath, 'agent-pools/manage', async (call) => {
      const id = parameter(call, 'poolId');
      const { token, secret } = await use.issueAgentToken.execute(call.actor, id, readToken(call));
      return created({ data: presentAgentToken(secret)(token) });
    }),
  ];
};
