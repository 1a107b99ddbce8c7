import { z } from 'zod';
import type { TaskFile } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import { type TaskReport, type TaskResultOutcome, taskReportLimits } from '../../../../domain/index.js';
import { runTaskActorOf } from '../../../../domain/supporting/audit/audit-event.js';
import { presentTaskResult, taskResultSchema } from '../../policy-outcomes/task-result-resource.js';
import { bodyKinds } from '../../routing/body-kinds.js';
import { client } from '../../routing/dialect.js';
import { mediaType } from '../../routing/document.js';
import type { Exchange } from '../../routing/exchange.js';
import { readBody } from '../../routing/read-body.js';
import { documentSchema } from '../../routing/resource-schema.js';
import { bearerOf, jsonType, type PlainRoute } from '../../routing/route.js';
import { absentable, parse, resourceDocument } from '../../routing/schema.js';

const { message, url, outcomes, outcomeId, description } = taskReportLimits;

const tag = z.object({ label: z.string().max(255), level: absentable(z.string().max(32)) });
const tags = z.union([z.record(z.string().max(255), z.array(tag).max(100)), z.array(z.unknown()).max(0)]);

const outcome = z
  .object({
    attributes: z.object({
      'outcome-id': absentable(z.string().max(outcomeId)),
      description: absentable(z.string().max(description)),
      body: absentable(z.string()),
      url: absentable(z.string().max(url)),
      tags: absentable(tags),
    }),
  })
  .transform(
    ({ attributes }): TaskResultOutcome => ({
      outcomeId: attributes['outcome-id'] ?? '',
      description: attributes.description ?? '',
      body: attributes.body ?? '',
      url: attributes.url ?? '',
      tags: Array.isArray(attributes.tags) ? {} : (attributes.tags ?? {}),
    }),
  );

const report = resourceDocument(
  client,
  { singular: 'task-result', plural: 'task-results' },
  {
    status: z.enum(['running', 'passed', 'failed']),
    message: absentable(z.string().max(message)),
    url: absentable(z.string().max(url)),
  },
  { outcomes: absentable(z.object({ data: z.array(outcome).max(outcomes) })) },
);

const shareOf = (resultId: string) => ({ organization: null, caller: `task-result ${resultId}` });

const callerOf = ({ request }: Exchange) => ({ resultId: String(request.params.id), secret: bearerOf(request) });

/** By run tasks, which have a callback token and nothing else. */
export const taskCallbackRoute = (use: UseCases): PlainRoute => {
  const present = presentTaskResult(client);
  return {
    method: 'patch',
    path: '/task-results/:id/callback',
    countedAs: 'capability',
    reference: () => ({
      operation: 'reportTaskResult',
      summary: 'Report the result of a run task',
      about:
        'Send the callback token from the call as the bearer token. It ends with the stage. Outcomes replace earlier ones.',
      body: report,
      answers: { 200: documentSchema(taskResultSchema(client)) },
      refusals: [
        408,
        413,
        415,
        422,
        429,
        'actor/unauthenticated',
        'resource/not-found',
        'attribute/invalid',
        'task-stage/transition-refused',
        'shared/stale-revision',
        'service/unavailable',
        'service/storage-full',
      ],
    }),
    handle: async (exchange) => {
      const caller = callerOf(exchange);
      const { taskId } = await use.checkTaskResultToken.execute(caller);
      exchange.admit(shareOf(caller.resultId));
      const request = exchange.origin();
      const about = { kind: 'task-results', id: caller.resultId } as const;
      const asked = { actor: runTaskActorOf(taskId), action: 'task-results/report', subject: about.id } as const;
      exchange.audits({ ...asked, about, request });
      const { data } = parse(report, await readBody(exchange, bodyKinds.text));
      const said: TaskReport = data.attributes;
      const result = await use.reportTaskResult.execute(caller, said, data.relationships.outcomes?.data, request);
      const document = JSON.stringify({ data: present(result) });
      exchange.respond(200, { 'Content-Type': mediaType }, document);
    },
  };
};

const files = [
  {
    word: 'plan-json',
    operation: 'readTaskPlanJson',
    summary: 'Download the redacted JSON plan as a run task',
    type: jsonType,
  },
  {
    word: 'configuration',
    operation: 'readTaskConfiguration',
    summary: 'Download the configuration (.tar.gz) as a run task',
    type: 'application/octet-stream',
  },
] as const satisfies readonly { readonly word: TaskFile; readonly [name: string]: string }[];

/** The files that a callback token reads, at the URLs that are sent with it. */
export const taskFileRoutes = (use: UseCases): PlainRoute[] =>
  files.map(({ word, operation, summary, type }) => ({
    method: 'get',
    path: `/v1/task-results/:id/${word}`,
    countedAs: 'capability',
    reference: () => ({
      operation,
      summary,
      about: 'Send the callback token as the bearer token. It ends with the stage.',
      answers: { 200: { mediaType: type } },
      refusals: [429, 'actor/unauthenticated', 'resource/not-found', 'service/unavailable'],
    }),
    handle: async (exchange) => {
      const caller = callerOf(exchange);
      const parts = await use.readTaskFiles.execute(caller, word);
      exchange.admit(shareOf(caller.resultId));
      exchange.writeHead(200, { 'Content-Type': type });
      await exchange.download(parts);
    },
  }));
