import { type AgentPoolReference, related } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { Action, AgentPool } from '../../../../domain/index.js';
import { answerCreated, answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { type Resource, withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { changes, creates, lists, removes, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import type { ResourceSchema } from '../../routing/resource-schema.js';
import { type Call, created, get, ok, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import type { Reader } from '../../routing/schema.js';
import {
  agentPoolChange,
  agentPoolParameters,
  agentPoolsParameters,
  agentPoolsQuery,
  newAgentPool,
  newAgentToken,
  newSiteAgentPool,
  siteAgentPoolChange,
} from './agent-pool-requests.js';
import {
  agentPoolSchema,
  agentTokenSchema,
  issuedAgentTokenSchema,
  presentAgentPool,
  presentAgentToken,
  presentSiteAgentPool,
  siteAgentPoolSchema,
} from './agent-pool-resource.js';

const refusals = ['attribute/invalid', 'attribute/taken'] as const;

/** A kind of pool, of organizations or of the site, each below paths of its own. */
interface Kind {
  readonly of: AgentPoolReference['of'];
  readonly prefix: '' | '/admin';
  /** The name of its id in paths below a pool. */
  readonly poolId: 'poolId' | 'sitePoolId';
  readonly read: Action;
  readonly manage: Action;
  /** In names of operations. */
  readonly name: string;
  readonly words: string;
  readonly schema: () => ResourceSchema;
  readonly present: (pool: AgentPool) => Resource;
  readonly change: Reader<{ readonly name?: string | undefined }>;
}

export const agentPoolRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newAgentPool(dialect);
  const readNewOfSite = newSiteAgentPool(dialect);
  const readToken = newAgentToken(dialect);
  const ofOrganization: Kind = {
    of: 'organization',
    prefix: '',
    poolId: 'poolId',
    read: 'agent-pools/read',
    manage: 'agent-pools/manage',
    name: 'AgentPool',
    words: 'an agent pool',
    schema: () => agentPoolSchema(dialect),
    present: presentAgentPool(dialect),
    change: agentPoolChange(dialect),
  };
  const ofSite: Kind = {
    of: 'site',
    prefix: '/admin',
    poolId: 'sitePoolId',
    read: 'site-agent-pools/manage',
    manage: 'site-agent-pools/manage',
    name: 'SiteAgentPool',
    words: 'a site agent pool',
    schema: () => siteAgentPoolSchema(dialect),
    present: presentSiteAgentPool(dialect),
    change: siteAgentPoolChange(dialect),
  };

  const withWorkspaces = { parameters: agentPoolParameters, included: schemasOf(neighbours, 'workspace') };

  const relatedTo = async (call: Call, pools: readonly AgentPool[]) => {
    const { include } = valuesOf(agentPoolParameters, call.query);
    if (include.size === 0) return { workspaces: [], presentOne: ofOrganization.present };
    const found = await use.showWorkspacesOfAgentPools.execute(call.actor, pools);
    const idsOf = ({ id }: AgentPool) => (found.get(id) ?? []).map(({ subject }) => subject.id);
    return {
      workspaces: presentRelated(neighbours, [...found.values()].flat().map(related('workspace'))),
      presentOne: (pool: AgentPool) => presentAgentPool(dialect, idsOf(pool))(pool),
    };
  };

  const ofEach = ({ of, prefix, poolId, read, manage, name, words, schema, present, change }: Kind): Route[] => {
    const one = `${prefix}/agent-pools/:id`;
    const tokens = `${prefix}/agent-pools/:${poolId}/authentication-tokens`;
    const reference = (call: Call, name = 'id') => ({ id: parameter(call, name), of });
    return [
      get(
        one,
        read,
        shows(`show${name}`, `Show ${words}`, schema, of === 'organization' ? withWorkspaces : {}),
        of === 'organization'
          ? async (call) => {
              const pool = await use.showAgentPool.execute(call.actor, reference(call));
              const { workspaces, presentOne } = await relatedTo(call, [pool]);
              return ok(withIncluded({ data: presentOne(pool) }, workspaces));
            }
          : answerOne(present, (call) => use.showAgentPool.execute(call.actor, reference(call))),
      ),
      patch(
        one,
        manage,
        changes(`update${name}`, `Update ${words}`, change, schema, { refusals }),
        answerOne(present, (call) => use.updateAgentPool.execute(call.actor, reference(call), change(call))),
      ),
      remove(
        one,
        manage,
        removes(`remove${name}`, `Delete ${words} and its tokens`, { refusals: ['agent-pool/in-use'] }),
        answerEmpty((call) => use.removeAgentPool.execute(call.actor, reference(call))),
      ),
      get(
        tokens,
        manage,
        lists(`list${name}Tokens`, `List agent tokens of ${words}`, () => agentTokenSchema(dialect)),
        answerPage(presentAgentToken(), (call) =>
          use.listAgentTokens.execute(call.actor, reference(call, poolId), pageRequest(call.query)),
        ),
      ),
      post(
        tokens,
        manage,
        creates(`issue${name}Token`, `Issue an agent token for ${words}`, readToken, () =>
          issuedAgentTokenSchema(dialect),
        ),
        async (call) => {
          const issued = await use.issueAgentToken.execute(call.actor, reference(call, poolId), readToken(call));
          return created({ data: presentAgentToken(issued.secret)(issued.token) });
        },
      ),
    ];
  };

  return [
    get(
      '/organizations/:organization/agent-pools',
      'agent-pools/list',
      lists('listAgentPools', 'List agent pools of an organization', ofOrganization.schema, {
        ...withWorkspaces,
        parameters: agentPoolsParameters,
      }),
      async (call) => {
        const name = parameter(call, 'organization');
        const page = await use.listAgentPools.execute(call.actor, name, pageRequest(call.query), agentPoolsQuery(call));
        const { workspaces, presentOne } = await relatedTo(call, page.items);
        return ok(withIncluded(pageDocument(call.path, call.query, page, presentOne), workspaces));
      },
    ),
    post(
      '/organizations/:organization/agent-pools',
      'agent-pools/create',
      creates('createAgentPool', 'Create an agent pool', readNew, ofOrganization.schema, { refusals }),
      async (call) => {
        const { name, scope } = readNew(call);
        const made = await use.createAgentPool.execute(call.actor, parameter(call, 'organization'), name, scope);
        return created({ data: ofOrganization.present(made) });
      },
    ),
    ...ofEach(ofOrganization),
    get(
      '/admin/agent-pools',
      'site-agent-pools/manage',
      lists('listSiteAgentPools', 'List site agent pools', ofSite.schema),
      answerPage(ofSite.present, (call) => use.listSiteAgentPools.execute(call.actor, pageRequest(call.query))),
    ),
    post(
      '/admin/agent-pools',
      'site-agent-pools/manage',
      creates('createSiteAgentPool', 'Create a site agent pool', readNewOfSite, ofSite.schema, { refusals }),
      answerCreated(ofSite.present, (call) => use.createSiteAgentPool.execute(call.actor, readNewOfSite(call))),
    ),
    ...ofEach(ofSite),
  ];
};
