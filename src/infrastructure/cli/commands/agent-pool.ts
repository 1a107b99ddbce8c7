import type { AgentPool, AgentToken } from '../../../domain/index.js';
import { type Command, UsageError } from '../toolkit/command.js';
import { all, atWork, findOrFail, type Workplace } from '../toolkit/operator.js';
import { card, listing } from '../toolkit/output.js';

const presented = ({ id, name, createdAt }: AgentPool) => ({ id, name, 'created-at': createdAt });

const presentedToken = ({ id, description, createdAt, lastUsedAt }: AgentToken) => ({
  id,
  description,
  'created-at': createdAt,
  'last-used-at': lastUsedAt,
});

const pools = (place: Workplace): Promise<readonly AgentPool[]> =>
  all((page) => place.use.listSiteAgentPools.execute(place.operator, page));

const poolNamed = async (place: Workplace, name: string) => {
  const found = (await pools(place)).find((pool) => pool.name === name);
  const { id } = await findOrFail(`site agent pool ${name}`, Promise.resolve(found));
  return { id, of: 'site' } as const;
};

const create: Command = {
  name: 'agent-pool create',
  does: 'creates a site agent pool, which serves workspaces in execution mode remote in every organization',
  args: ['NAME'],
  run: async (call) =>
    atWork(call, async (place) => {
      const pool = presented(await place.use.createSiteAgentPool.execute(place.operator, call.arg(0)));
      return { json: pool, text: card(pool) };
    }),
};

const list: Command = {
  name: 'agent-pool list',
  does: 'lists the site agent pools, by name',
  run: async (call) =>
    atWork(call, async (place) => {
      const found = await pools(place);
      const rows = found.map(({ name, createdAt, id }) => [name, createdAt, id]);
      return {
        json: found.map(presented),
        text: listing(['name', 'since', 'id'], rows, 'site agent pool'),
      };
    }),
};

const remove: Command = {
  name: 'agent-pool remove',
  does: 'deletes a site agent pool and its tokens',
  args: ['NAME'],
  options: { yes: { about: 'required, because the service then rejects the agents of the pool' } },
  run: async (call) =>
    atWork(call, async (place) => {
      const name = call.arg(0);
      const pool = await poolNamed(place, name);
      if (!call.switch('yes'))
        throw new UsageError(`this revokes the tokens of ${name} and rejects its agents; add --yes to confirm`);
      await place.use.removeAgentPool.execute(place.operator, pool);
      return { json: { name, deleted: true }, text: `${name} was deleted` };
    }),
};

const issueToken: Command = {
  name: 'agent-pool issue-token',
  does: 'issues an agent token for a site agent pool and prints its secret',
  about: 'The secret is printed only once, on standard output. The database stores only a digest of it.',
  args: ['NAME'],
  options: { description: { value: 'TEXT', about: 'description of the token' } },
  run: async (call) => {
    const description = call.option('description') ?? 'issued on the command line';
    return atWork(call, async (place) => {
      const pool = await poolNamed(place, call.arg(0));
      const { token, secret } = await place.use.issueAgentToken.execute(place.operator, pool, description);
      const shown = { 'agent-pool': call.arg(0), ...presentedToken(token) };
      return {
        json: { ...shown, token: secret },
        text: `${card(shown)}\n\nThe token is shown only once:\n\n  AGENT_TOKEN=${secret}\n`,
      };
    });
  },
};

const listTokens: Command = {
  name: 'agent-pool list-tokens',
  does: 'lists the tokens of a site agent pool, newest first',
  args: ['NAME'],
  run: async (call) =>
    atWork(call, async (place) => {
      const pool = await poolNamed(place, call.arg(0));
      const tokens = await all((page) => place.use.listAgentTokens.execute(place.operator, pool, page));
      const rows = tokens.map(({ id, description, createdAt, lastUsedAt }) => [id, description, createdAt, lastUsedAt]);
      return {
        json: tokens.map(presentedToken),
        text: listing(['id', 'description', 'since', 'last used'], rows, 'token'),
      };
    }),
};

const revokeToken: Command = {
  name: 'agent-pool revoke-token',
  does: 'revokes an agent token, effective with the next request',
  args: ['ID'],
  run: async (call) =>
    atWork(call, async (place) => {
      const id = call.arg(0);
      await findOrFail(
        `token ${id}`,
        place.use.revokeToken.execute(place.operator, id).then(() => true),
      );
      return { json: { id, revoked: true }, text: `${id} was revoked` };
    }),
};

export const agentPoolCommands: readonly Command[] = [create, list, remove, issueToken, listTokens, revokeToken];
