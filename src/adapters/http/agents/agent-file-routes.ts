import type { Request, Response } from 'express';
import { z } from 'zod';
import { type ArtifactName, artifactNames, notFound } from '../../../domain/index.js';
import { writeHead } from '../head.js';
import type { Patience } from '../http-server.js';
import { readJson, tooLarge } from '../json-api/read-body.js';
import { limits } from '../limits.js';
import type { HttpMeter } from '../observation.js';
import { interrupted, patiently } from '../patient-body.js';
import type { Refusal } from '../reference/reference.js';
import { send } from '../send.js';
import type { UseCases } from '../use-cases.js';
import { readStateReport, stateReport } from './agent-api-requests.js';
import { announcedSchema, artifactSchema, presentAnnounced, presentArtifact } from './agent-api-resource.js';
import {
  type AgentRoute,
  bytes,
  holderOf,
  json,
  leaseHeader,
  plain,
  underLease,
  withBody,
} from './agent-api-routes.js';
import { LongReports } from './long-reports.js';

const largest = limits.agentFile.most;

/** Throws a 413 as soon as it can be told. */
async function* atMost(request: Request, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > largest) throw tooLarge(largest);
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > largest) throw tooLarge(largest);
    yield chunk;
  }
}

const stream = async (response: Response, parts: AsyncIterable<Uint8Array>, meter: HttpMeter): Promise<void> => {
  writeHead(response, 200, { 'Content-Type': 'application/octet-stream' });
  await send(parts, response, undefined, (sent) => meter.downloaded(sent));
};

const isArtifactName = (word: string): word is ArtifactName => (artifactNames as readonly string[]).includes(word);

const whereBytesGo: readonly Refusal[] = [
  413,
  ...underLease,
  'resource/not-found',
  'run/transition-refused',
  'bundle/interrupted',
  'shared/stale-revision',
  'service/unavailable',
  'service/storage-full',
];

/** What agents read and write in bulk: states, and what plans leave. */
export const agentFileRoutes = (
  use: UseCases,
  patience: Patience,
  stopped: AbortSignal,
  meter: HttpMeter,
): AgentRoute[] => {
  const longReports = new LongReports(use);
  const receive = async <Received>(request: Request, into: (body: AsyncIterable<Uint8Array>) => Promise<Received>) => {
    const upload = meter.uploadBegun();
    try {
      const received = await into(atMost(request, patiently(request, patience, stopped, upload.received)));
      upload.ended();
      return received;
    } catch (error) {
      upload.ended(request.destroyed && !request.complete ? interrupted('the client left') : error);
      throw error;
    }
  };

  return [
    {
      method: 'get',
      path: '/agent/v1/runs/:id/state',
      reference: () => ({
        operation: 'readRunState',
        summary: 'Download the state that a run begins with',
        headers: leaseHeader,
        query: { id: z.string().optional().meta({ description: 'As the job names it; the current one unless told.' }) },
        answers: { 200: bytes },
        refusals: [...underLease, 'resource/not-found', 'service/unavailable'],
      }),
      handle: async (agent, request, response) => {
        const id = new URL(request.originalUrl, 'http://localhost').searchParams.get('id') ?? undefined;
        await stream(response, await use.readRunState.execute(holderOf(agent, request), id), meter);
      },
    },
    {
      method: 'post',
      path: '/agent/v1/runs/:id/state-versions',
      reference: () => ({
        operation: 'announceState',
        summary: 'Announce the state that an apply has made',
        about: 'It becomes the current one when its bytes were put where the answer says.',
        headers: leaseHeader,
        body: plain(stateReport),
        answers: { 201: plain(announcedSchema) },
        refusals: [
          ...withBody,
          ...underLease,
          'agent-report/invalid',
          'run/transition-refused',
          'shared/stale-revision',
          'service/storage-full',
        ],
      }),
      handle: async (agent, request, response) => {
        const holder = holderOf(agent, request);
        const announced = await longReports.read(holder, request, limits.stateReport.most, (body) =>
          use.announceState.execute(holder, readStateReport(readJson(body, limits.stateReportDepth.most))),
        );
        json(response, 201, presentAnnounced(holder.runId, announced));
      },
    },
    {
      method: 'put',
      path: '/agent/v1/runs/:id/state-versions/:stateVersionId/content',
      reference: () => ({
        operation: 'uploadState',
        summary: 'Upload the bytes of an announced state',
        headers: leaseHeader,
        body: bytes,
        answers: { 200: null },
        refusals: [...whereBytesGo, 'agent-report/invalid'],
      }),
      handle: async (agent, request, response) => {
        const holder = holderOf(agent, request);
        const id = String(request.params.stateVersionId);
        await receive(request, (body) => use.uploadState.execute(holder, id, body));
        writeHead(response, 200, { 'Content-Length': 0 }).end();
      },
    },
    {
      method: 'put',
      path: '/agent/v1/runs/:id/artifacts/:name',
      reference: () => ({
        operation: 'storeRunArtifact',
        summary: 'Upload what a plan leaves',
        about: `One of ${artifactNames.map((name) => `\`${name}\``).join(', ')}. A second one takes the place of the first.`,
        headers: leaseHeader,
        body: bytes,
        answers: { 200: plain(artifactSchema) },
        refusals: whereBytesGo,
      }),
      handle: async (agent, request, response) => {
        const holder = holderOf(agent, request);
        const name = String(request.params.name);
        if (!isArtifactName(name)) throw notFound();
        json(
          response,
          200,
          presentArtifact(await receive(request, (body) => use.storeRunArtifact.execute(holder, name, body))),
        );
      },
    },
    {
      method: 'get',
      path: '/agent/v1/runs/:id/artifacts/:name',
      reference: () => ({
        operation: 'readPlanFile',
        summary: 'Download the plan file, to apply it',
        about: 'Of what a plan leaves, agents read only `plan-file`.',
        headers: leaseHeader,
        answers: { 200: bytes },
        refusals: [...underLease, 'resource/not-found', 'run/transition-refused', 'service/unavailable'],
      }),
      handle: async (agent, request, response) => {
        const holder = holderOf(agent, request);
        if (request.params.name !== ('plan-file' satisfies ArtifactName)) throw notFound();
        await stream(response, await use.readPlanFile.execute(holder), meter);
      },
    },
  ];
};
