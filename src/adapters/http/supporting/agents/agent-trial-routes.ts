import { Readable } from 'node:stream';
import type { TrialHolder } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import { type Agent, DomainError } from '../../../../domain/index.js';
import { bodyKinds } from '../../routing/body-kinds.js';
import type { Exchange } from '../../routing/exchange.js';
import { readBody } from '../../routing/read-body.js';
import { readTrialReport, trialReport } from './agent-api-requests.js';
import { type AgentRoute, bytes, json, leaseHeader, ofReport, plain, underLease } from './agent-api-routes.js';
import { presentTrialHeartbeat, trialHeartbeatSchema } from './agent-trial-resource.js';

const holderOf = (agent: Agent, { request }: Exchange): TrialHolder => {
  const leaseToken = request.get('lease');
  if (leaseToken === undefined) throw new DomainError('lease/lost', 'the Lease header must contain the lease token');
  return { agent, trialId: String(request.params.id), leaseToken };
};

const runOf = ({ request }: Exchange): string => String(request.params.runId);

const send = async (exchange: Exchange, parts: AsyncIterable<Uint8Array>): Promise<void> => {
  exchange.writeHead(200, { 'Content-Type': 'application/octet-stream' });
  await exchange.download(parts);
};

/** The plans of policy trials, for agents that accept them. */
export const agentTrialRoutes = ({ evaluatePolicyTrial: use }: UseCases): AgentRoute[] => [
  {
    method: 'post',
    path: '/agent/v1/policy-trials/:id/heartbeat',
    action: 'policy-trials/report',
    reference: () => ({
      operation: 'renewPolicyTrialLease',
      summary: 'Renew the lease of a policy trial',
      about: 'Send one every 3 seconds: a run that waits for the agent ends the lease.',
      headers: leaseHeader,
      answers: { 200: plain(trialHeartbeatSchema) },
      refusals: [...underLease, 'shared/stale-revision', 'service/storage-full'],
    }),
    handle: async (agent, exchange) => {
      json(exchange, 200, presentTrialHeartbeat(await use.heartbeat(holderOf(agent, exchange))));
    },
  },
  {
    method: 'get',
    path: '/agent/v1/policy-trials/:id/archive',
    action: null,
    reference: () => ({
      operation: 'readPolicyTrialArchive',
      summary: 'Download the archive of a claimed policy trial (.tar.gz)',
      headers: leaseHeader,
      answers: { 200: bytes },
      refusals: underLease,
    }),
    handle: async (agent, exchange) => {
      await send(exchange, Readable.from([await use.code(holderOf(agent, exchange))]));
    },
  },
  {
    method: 'get',
    path: '/agent/v1/policy-trials/:id/plans/:runId',
    action: null,
    reference: () => ({
      operation: 'readPolicyTrialPlan',
      summary: 'Download a redacted plan of a claimed policy trial',
      headers: leaseHeader,
      answers: { 200: bytes },
      refusals: [...underLease, 'resource/not-found', 'service/unavailable'],
    }),
    handle: async (agent, exchange) => {
      await send(exchange, await use.plan(holderOf(agent, exchange), runOf(exchange)));
    },
  },
  {
    method: 'post',
    path: '/agent/v1/policy-trials/:id/plans/:runId',
    action: 'policy-trials/report',
    reference: () => ({
      operation: 'reportPolicyTrialPlan',
      summary: 'Report the result of a plan of a policy trial',
      headers: leaseHeader,
      body: plain(trialReport),
      answers: { 204: null },
      refusals: [...ofReport, 'resource/not-found'],
    }),
    handle: async (agent, exchange) => {
      const holder = holderOf(agent, exchange);
      await use.check(holder);
      exchange.admit({ organization: agent.organizationId ?? agent.poolId, holds: 'lease' });
      const report = readTrialReport(await readBody(exchange, bodyKinds.text));
      await use.report(holder, runOf(exchange), report);
      exchange.writeHead(204).end();
    },
  },
];
