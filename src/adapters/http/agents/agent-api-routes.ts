import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { LeaseHolder } from '../../../application/index.js';
import { type Agent, DomainError, type Phase, type RunStatus } from '../../../domain/index.js';
import { writeHead } from '../head.js';
import { readBody, readBytes } from '../json-api/read-body.js';
import { invalidParameter } from '../json-api/request-error.js';
import { bearerOf, type Method } from '../route.js';
import type { UseCases } from '../use-cases.js';
import { presentJob, readClaim, readPhaseReport, readPolicyReport } from './agent-api-requests.js';

/** An endpoint of the agents' own interface: plain JSON, an agent's token, and for a run its lease. */
export interface AgentRoute {
  readonly method: Method;
  readonly path: string;
  readonly handle: (agent: Agent, request: Request, response: Response) => Promise<void>;
}

const betweenLooks = 500;
const longestWait = 60;
const largestLogPart = 1024 * 1024;
/** Reports say something of every policy of a run, at length. */
const largestPolicyReport = 16 * 1024 * 1024;

const json = (response: Response, status: number, body: unknown): void => {
  writeHead(response, status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

/** Throws `lease/lost` when the request names no lease at all. */
const holderOf = (agent: Agent, request: Request): LeaseHolder => {
  const leaseToken = request.get('lease');
  if (leaseToken === undefined) throw new DomainError('lease/lost', 'the lease token must be in the Lease header');
  return { agent, runId: String(request.params.id), leaseToken };
};

const numberIn = (request: Request, name: string, highest: number): number | undefined => {
  const text = new URL(request.originalUrl, 'http://localhost').searchParams.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text) || Number(text) > highest) {
    throw invalidParameter(name, `${name} must be a number from 0 to ${highest}`);
  }
  return Number(text);
};

const after = (status: RunStatus) => ({ run: { status } });

export const agentRoutes = (use: UseCases, stopping: AbortSignal): AgentRoute[] => {
  const phaseRoute = (phase: Phase): AgentRoute => ({
    method: 'post',
    path: `/agent/v1/runs/:id/${phase}`,
    handle: async (agent, request, response) => {
      const report = readPhaseReport(await readBody(request, response));
      json(response, 200, after(await use.reportPhase.execute(holderOf(agent, request), phase, report)));
    },
  });

  return [
    {
      method: 'post',
      path: '/agent/v1/claims',
      handle: async (agent, request, response) => {
        const name = readClaim(await readBody(request, response));
        const wait = (numberIn(request, 'wait', longestWait) ?? 0) * 1000;
        const deadline = performance.now() + wait;
        // A run claimed for somebody who has hung up would be lost until its lease ends.
        while (!response.destroyed && !request.socket.destroyed) {
          const job = await use.claimRun.execute(agent, name);
          if (job !== undefined) {
            json(response, 200, presentJob(job));
            return;
          }
          if (performance.now() >= deadline || stopping.aborted) break;
          await pause(betweenLooks, undefined, { signal: stopping }).catch(() => undefined);
          // Whoever lost its token meanwhile must not be given a run.
          await use.authenticateAgent.execute(bearerOf(request));
        }
        writeHead(response, 204).end();
      },
    },
    {
      method: 'post',
      path: '/agent/v1/runs/:id/heartbeat',
      handle: async (agent, request, response) => {
        const { expiresAt, status, cancel } = await use.renewLease.execute(holderOf(agent, request));
        json(response, 200, { lease: { 'expires-at': expiresAt }, run: { status }, cancel });
      },
    },
    {
      method: 'get',
      path: '/agent/v1/runs/:id/configuration',
      handle: async (agent, request, response) => {
        const bytes = await use.readRunFiles.execute(holderOf(agent, request));
        writeHead(response, 200, { 'Content-Type': 'application/octet-stream' });
        await pipeline(bytes, response).catch((error: NodeJS.ErrnoException) => {
          // An agent that goes away in the middle is no fault of the service.
          if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
        });
      },
    },
    {
      method: 'put',
      path: '/agent/v1/runs/:id/log',
      handle: async (agent, request, response) => {
        const offset = numberIn(request, 'offset', Number.MAX_SAFE_INTEGER);
        if (offset === undefined) throw invalidParameter('offset', 'offset is required');
        const bytes = await readBytes(request, largestLogPart);
        json(response, 200, { size: await use.appendRunLog.execute(holderOf(agent, request), offset, bytes) });
      },
    },
    phaseRoute('plan'),
    phaseRoute('apply'),
    {
      method: 'post',
      path: '/agent/v1/runs/:id/policy-evaluations/:evaluationId',
      handle: async (agent, request, response) => {
        const report = readPolicyReport(await readBody(request, response, largestPolicyReport));
        const holder = holderOf(agent, request);
        const id = String(request.params.evaluationId);
        json(response, 200, after(await use.reportPolicyEvaluation.execute(holder, id, report)));
      },
    },
  ];
};
