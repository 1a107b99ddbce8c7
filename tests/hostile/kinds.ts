import { bodyKinds } from '../../src/adapters/http/routing/body-kinds.js';
import type { Wave } from './attack.js';
import { bodyOf } from './bodies.js';
import type { World } from './world.js';

interface Longest {
  readonly method: string;
  readonly path: (world: World) => string;
  /** The token that comes with it: that of a user without a membership, an agent's without a lease, or none. */
  readonly by: 'user' | 'agent' | 'anyone';
}

/** A route for each kind of body, called by a caller without rights. */
const longest: Readonly<Record<keyof typeof bodyKinds, Longest>> = {
  plain: { method: 'POST', path: () => '/organizations', by: 'user' },
  text: { method: 'PATCH', path: ({ workspaceId }) => `/workspaces/${workspaceId}`, by: 'user' },
  form: { method: 'POST', path: () => '/session/link', by: 'anyone' },
  policyCode: { method: 'PUT', path: ({ neighbours }) => `/policies/${neighbours[0]?.policyId}/upload`, by: 'user' },
  delivery: { method: 'POST', path: () => '/hooks/vcs/x', by: 'anyone' },
  policyTrial: { method: 'POST', path: () => '/organizations/acme/policy-trials', by: 'user' },
  state: { method: 'POST', path: ({ workspaceId }) => `/workspaces/${workspaceId}/state-versions`, by: 'user' },
  logPart: { method: 'PUT', path: () => '/agent/v1/runs/run-x/log?offset=0', by: 'agent' },
  policyReport: { method: 'POST', path: () => '/agent/v1/runs/run-x/policy-evaluations/poleval-x', by: 'agent' },
  stateReport: { method: 'POST', path: () => '/agent/v1/runs/run-x/state-versions', by: 'agent' },
};

const tokensOf = ({ outsiders, agentToken }: World, by: Longest['by']): readonly string[] =>
  ({ user: outsiders.slice(0, 1), agent: [agentToken], anyone: [] })[by];

/** The largest body of each kind of route. The kinds share the connections. */
export function ofEachKind(world: World, connections: number, how: Partial<Wave>): Promise<readonly Wave[]> {
  const kinds = Object.keys(longest) as (keyof typeof longest)[];
  return Promise.all(
    kinds.map(async (kind) => {
      const { method, path, by } = longest[kind];
      return {
        method,
        path: path(world),
        tokens: tokensOf(world, by),
        headers: by === 'agent' ? { Lease: 'x' } : {},
        body: await bodyOf(world.directory, 'text', bodyKinds[kind].bytes.max),
        connections: Math.ceil(connections / kinds.length),
        ...how,
      };
    }),
  );
}
