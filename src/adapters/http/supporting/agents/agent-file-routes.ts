import { z } from 'zod';
import type { UseCases } from '../../../../application/use-cases.js';
import { type ArtifactName, artifactNames, notFound } from '../../../../domain/index.js';
import { bodyKinds } from '../../routing/body-kinds.js';
import type { Exchange } from '../../routing/exchange.js';
import { limits } from '../../routing/limits.js';
import { atMost, readJson } from '../../routing/read-body.js';
import type { Refusal } from '../../routing/reference.js';
import { readStateReport, stateReport } from './agent-api-requests.js';
import { announcedSchema, artifactSchema, presentAnnounced, presentArtifact } from './agent-api-resource.js';
import {
  type AgentRoute,
  admitting,
  bytes,
  holderOf,
  json,
  leaseHeader,
  ofReport,
  plain,
  underLease,
} from './agent-api-routes.js';

const largest = limits.agentFile.max;

const stream = async (exchange: Exchange, parts: AsyncIterable<Uint8Array>): Promise<void> => {
  exchange.writeHead(200, { 'Content-Type': 'application/octet-stream' });
  await exchange.download(parts);
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

/** The large files that agents read and write: states, and the artifacts of plans. */
export const agentFileRoutes = (use: UseCases): AgentRoute[] => {
  const admit = admitting(use);
  const receive = <Received>(exchange: Exchange, into: (body: AsyncIterable<Uint8Array>) => Promise<Received>) =>
    exchange.receive((body) => into(atMost(largest, exchange.request, body)));

  return [
    {
      method: 'get',
      path: '/agent/v1/runs/:id/state',
      action: null,
      reference: () => ({
        operation: 'readRunState',
        summary: 'Download the state for a claimed run',
        headers: leaseHeader,
        query: {
          id: z
            .string()
            .optional()
            .meta({ description: 'The id of the state version in the job. Default: the current state version.' }),
        },
        answers: { 200: bytes },
        refusals: [...underLease, 'resource/not-found', 'service/unavailable'],
      }),
      handle: async (agent, exchange) => {
        const id = new URL(exchange.request.originalUrl, 'http://localhost').searchParams.get('id') ?? undefined;
        await stream(exchange, await use.readRunState.execute(holderOf(agent, exchange), id));
      },
    },
    {
      method: 'get',
      path: '/agent/v1/runs/:id/policy-set-versions/:versionId',
      action: null,
      reference: () => ({
        operation: 'readRunPolicyArchive',
        summary: 'Download the archive of a policy set of a claimed run (.tar.gz)',
        about: 'Returns the archive as of the creation of the run. Only those of policy sets that apply to the run.',
        headers: leaseHeader,
        answers: { 200: bytes },
        refusals: [...underLease, 'resource/not-found', 'service/unavailable'],
      }),
      handle: async (agent, exchange) => {
        const id = String(exchange.request.params.versionId);
        await stream(exchange, await use.readRunPolicyArchive.execute(holderOf(agent, exchange), id));
      },
    },
    {
      method: 'post',
      path: '/agent/v1/runs/:id/state-versions',
      action: 'state-versions/write',
      reference: () => ({
        operation: 'announceState',
        summary: 'Create a state version for an apply',
        about: 'The state version becomes current once its content is uploaded to the URL in the response.',
        headers: leaseHeader,
        body: plain(stateReport),
        answers: { 201: plain(announcedSchema) },
        refusals: ofReport,
      }),
      handle: async (agent, exchange) => {
        const holder = await admit(agent, exchange);
        const report = readStateReport(await readJson(exchange, bodyKinds.stateReport));
        const announced = await use.announceState.execute(holder, report);
        json(exchange, 201, presentAnnounced(holder.runId, announced));
      },
    },
    {
      method: 'put',
      path: '/agent/v1/runs/:id/state-versions/:stateVersionId/content',
      action: 'state-versions/write',
      reference: () => ({
        operation: 'uploadState',
        summary: 'Upload the content of a state version',
        headers: leaseHeader,
        body: bytes,
        answers: { 200: null },
        refusals: [...whereBytesGo, 'agent-report/invalid'],
      }),
      handle: async (agent, exchange) => {
        const holder = holderOf(agent, exchange);
        const id = String(exchange.request.params.stateVersionId);
        await receive(exchange, (body) => use.uploadState.execute(holder, id, body));
        exchange.writeHead(200, { 'Content-Length': 0 }).end();
      },
    },
    {
      method: 'put',
      path: '/agent/v1/runs/:id/artifacts/:name',
      action: 'runs/store-artifact',
      reference: () => ({
        operation: 'storeRunArtifact',
        summary: 'Upload a plan artifact',
        about: `One of ${artifactNames.map((name) => `\`${name}\``).join(', ')}. Uploading the same artifact again replaces it.`,
        headers: leaseHeader,
        body: bytes,
        answers: { 200: plain(artifactSchema) },
        refusals: whereBytesGo,
      }),
      handle: async (agent, exchange) => {
        const holder = holderOf(agent, exchange);
        const name = String(exchange.request.params.name);
        if (!isArtifactName(name)) throw notFound();
        json(
          exchange,
          200,
          presentArtifact(await receive(exchange, (body) => use.storeRunArtifact.execute(holder, name, body))),
        );
      },
    },
    {
      method: 'get',
      path: '/agent/v1/runs/:id/artifacts/:name',
      action: null,
      reference: () => ({
        operation: 'readPlanFile',
        summary: 'Download a plan artifact',
        about: 'Agents can download only `plan-file`.',
        headers: leaseHeader,
        answers: { 200: bytes },
        refusals: [...underLease, 'resource/not-found', 'run/transition-refused', 'service/unavailable'],
      }),
      handle: async (agent, exchange) => {
        const holder = holderOf(agent, exchange);
        await stream(exchange, await use.readPlanFile.execute(holder, String(exchange.request.params.name)));
      },
    },
  ];
};
