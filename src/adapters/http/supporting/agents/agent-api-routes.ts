import type { Request } from 'express';
import { z } from 'zod';
import type { LeaseHolder } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import { type Agent, type AuditAction, DomainError, type Phase } from '../../../../domain/index.js';
import { bodyKinds } from '../../routing/body-kinds.js';
import type { Exchange } from '../../routing/exchange.js';
import { readBody, readBytes } from '../../routing/read-body.js';
import type { Content, Reference, Refusal } from '../../routing/reference.js';
import { invalidParameter } from '../../routing/request-error.js';
import { bearerOf, type Method, textType } from '../../routing/route.js';
import {
  claim,
  phaseReport,
  policyReport,
  readClaim,
  readPhaseReport,
  readPolicyReport,
} from './agent-api-requests.js';
import {
  heartbeatSchema,
  jobSchema,
  logSizeSchema,
  presentHeartbeat,
  presentJob,
  presentReported,
  reportedSchema,
} from './agent-api-resource.js';
import { presentTrialJob, trialJobSchema } from './agent-trial-resource.js';
import { WaitingAgents } from './waiting-agents.js';

/** An endpoint of the agents' own interface: plain JSON, an agent's token, and for a run its lease. */
export interface AgentRoute {
  readonly method: Method;
  readonly path: string;
  /** The audit action of a refusal; null for requests that change nothing. */
  readonly action: AuditAction | null;
  readonly reference: () => Reference;
  readonly handle: (agent: Agent, exchange: Exchange) => Promise<void>;
}

const longestWait = 60;

export const json = (exchange: Exchange, status: number, body: unknown): void => {
  exchange.respond(status, { 'Content-Type': 'application/json' }, JSON.stringify(body));
};

/** Throws `lease/lost` when the request does not name a lease. */
export const holderOf = (agent: Agent, { request }: Exchange): LeaseHolder => {
  const leaseToken = request.get('lease');
  if (leaseToken === undefined) throw new DomainError('lease/lost', 'the Lease header must contain the lease token');
  return { agent, runId: String(request.params.id), leaseToken };
};

/** Asks for the lease before a body is read, which may then use memory that is kept for leases. Throws `lease/lost`. */
export const admitting =
  (use: Pick<UseCases, 'checkLease'>) =>
  async (agent: Agent, exchange: Exchange): Promise<LeaseHolder> => {
    const holder = holderOf(agent, exchange);
    await use.checkLease.execute(holder);
    exchange.admit({ organization: agent.organizationId ?? agent.poolId, holds: 'lease' });
    return holder;
  };

const numberIn = (request: Request, name: string, highest: number): number | undefined => {
  const text = new URL(request.originalUrl, 'http://localhost').searchParams.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text) || Number(text) > highest) {
    throw invalidParameter(name, `${name} must be a number from 0 to ${highest}`);
  }
  return Number(text);
};

export const plain = (schema: z.ZodType): Content => ({ mediaType: 'application/json', schema });
export const bytes: Content = { mediaType: 'application/octet-stream' };

const withBody: readonly Refusal[] = [408, 413, 415, 422];
export const underLease: readonly Refusal[] = ['lease/lost'];
export const ofReport: readonly Refusal[] = [
  ...withBody,
  ...underLease,
  'agent-report/invalid',
  'run/transition-refused',
  'shared/stale-revision',
  'service/storage-full',
];

export const leaseHeader = {
  Lease: z.string().meta({ description: 'The lease token from the claim.' }),
};

export const agentRoutes = (use: UseCases): AgentRoute[] => {
  const admit = admitting(use);
  const phaseRoute = (phase: Phase): AgentRoute => ({
    method: 'post',
    path: `/agent/v1/runs/:id/${phase}`,
    action: 'runs/report',
    reference: () => ({
      operation: phase === 'plan' ? 'reportPlan' : 'reportApply',
      summary: `Report the result of the ${phase} of a run`,
      headers: leaseHeader,
      body: plain(phaseReport),
      answers: { 200: plain(reportedSchema) },
      refusals: ofReport,
    }),
    handle: async (agent, exchange) => {
      const holder = await admit(agent, exchange);
      const report = readPhaseReport(await readBody(exchange));
      json(exchange, 200, presentReported(await use.reportPhase.execute(holder, phase, report)));
    },
  });

  const waiting = new WaitingAgents();

  return [
    {
      method: 'post',
      path: '/agent/v1/claims',
      action: 'runs/claim',
      reference: () => ({
        operation: 'claimRun',
        summary: 'Claim a run (long poll)',
        about:
          'Returns 204 if no run became available in time. An agent that accepts policy trials may get the plans of one, while no run waits for it.',
        query: {
          wait: z
            .int()
            .min(0)
            .max(longestWait)
            .optional()
            .meta({ description: 'Seconds to wait for a run (default 0).' }),
        },
        body: plain(claim),
        answers: { 200: plain(z.union([jobSchema, trialJobSchema])), 204: null },
        refusals: [...withBody, 'shared/stale-revision', 'service/storage-full'],
      }),
      handle: async (agent, exchange) => {
        const { request, response, stopping } = exchange;
        const { name, acceptsTrials } = readClaim(await readBody(exchange));
        const wait = (numberIn(request, 'wait', longestWait) ?? 0) * 1000;
        const deadline = performance.now() + wait;
        const room = `${agent.poolId} ${acceptsTrials}`;
        const left = new AbortController();
        response.once('close', () => left.abort());
        const ended = AbortSignal.any([stopping, left.signal]);
        // A run claimed for an agent that has disconnected would be lost until its lease ends.
        while (!response.destroyed && !request.socket.destroyed) {
          const job = await use.claimRun.execute(agent, name);
          if (job !== undefined) {
            waiting.claimed(room);
            json(exchange, 200, presentJob(job));
            return;
          }
          // After all runs.
          const trial = acceptsTrials ? await use.claimPolicyTrial.execute(agent, name) : undefined;
          if (trial !== undefined) {
            waiting.claimed(room);
            json(exchange, 200, presentTrialJob(trial));
            return;
          }
          const time = deadline - performance.now();
          if (time <= 0 || ended.aborted) break;
          await waiting.wait(room, () => use.lookForWork.execute(agent, acceptsTrials), time, ended);
          // An agent whose token was revoked meanwhile must not receive a run.
          await use.authenticateAgent.execute(bearerOf(request));
        }
        exchange.writeHead(204).end();
      },
    },
    {
      method: 'post',
      path: '/agent/v1/runs/:id/heartbeat',
      action: 'runs/report',
      reference: () => ({
        operation: 'renewLease',
        summary: 'Renew the lease of a run',
        headers: leaseHeader,
        answers: { 200: plain(heartbeatSchema) },
        refusals: [...underLease, 'shared/stale-revision', 'service/storage-full'],
      }),
      handle: async (agent, exchange) => {
        json(exchange, 200, presentHeartbeat(await use.renewLease.execute(holderOf(agent, exchange))));
      },
    },
    {
      method: 'get',
      path: '/agent/v1/runs/:id/configuration',
      action: null,
      reference: () => ({
        operation: 'readRunFiles',
        summary: 'Download the configuration of a claimed run (.tar.gz)',
        headers: leaseHeader,
        answers: { 200: bytes },
        refusals: [...underLease, 'resource/not-found'],
      }),
      handle: async (agent, exchange) => {
        const files = await use.readRunFiles.execute(holderOf(agent, exchange));
        exchange.writeHead(200, { 'Content-Type': 'application/octet-stream' });
        await exchange.download(files);
      },
    },
    {
      method: 'get',
      path: '/agent/v1/runs/:id/policies/:sha256',
      action: null,
      reference: () => ({
        operation: 'readRunPolicy',
        summary: 'Download a policy of a claimed run',
        about:
          'Returns the code as of the creation of the run. Only the policies that apply to the run can be downloaded.',
        headers: leaseHeader,
        answers: { 200: { mediaType: textType } },
        refusals: [...underLease, 'resource/not-found'],
      }),
      handle: async (agent, exchange) => {
        const code = await use.readRunPolicy.execute(holderOf(agent, exchange), String(exchange.request.params.sha256));
        exchange.respond(200, { 'Content-Type': textType }, code);
      },
    },
    {
      method: 'put',
      path: '/agent/v1/runs/:id/log',
      action: 'runs/report',
      reference: () => ({
        operation: 'appendRunLog',
        summary: 'Append to the log of a phase',
        headers: leaseHeader,
        query: {
          offset: z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
            description: 'The offset of the chunk in bytes. Bytes that are already stored are skipped.',
            example: 0,
          }),
        },
        body: bytes,
        answers: { 200: plain(logSizeSchema) },
        refusals: [
          408,
          413,
          422,
          ...underLease,
          'agent-report/invalid',
          'shared/stale-revision',
          'service/storage-full',
        ],
      }),
      handle: async (agent, exchange) => {
        const offset = numberIn(exchange.request, 'offset', Number.MAX_SAFE_INTEGER);
        if (offset === undefined) throw invalidParameter('offset', 'offset is required');
        const holder = await admit(agent, exchange);
        const part = await readBytes(exchange, bodyKinds.logPart);
        json(exchange, 200, { size: await use.appendRunLog.execute(holder, offset, part) });
      },
    },
    phaseRoute('plan'),
    phaseRoute('apply'),
    {
      method: 'post',
      path: '/agent/v1/runs/:id/policy-evaluations/:evaluationId',
      action: 'policy-outcomes/report',
      reference: () => ({
        operation: 'reportPolicyEvaluation',
        summary: 'Report the result of a policy evaluation',
        headers: leaseHeader,
        body: plain(policyReport),
        answers: { 200: plain(reportedSchema) },
        refusals: [
          ...withBody,
          ...underLease,
          'resource/not-found',
          'agent-report/invalid',
          'task-stage/transition-refused',
          'shared/stale-revision',
          'service/storage-full',
        ],
      }),
      handle: async (agent, exchange) => {
        const holder = await admit(agent, exchange);
        const id = String(exchange.request.params.evaluationId);
        const report = readPolicyReport(await readBody(exchange, bodyKinds.policyReport));
        json(exchange, 200, presentReported(await use.reportPolicyEvaluation.execute(holder, id, report)));
      },
    },
  ];
};
