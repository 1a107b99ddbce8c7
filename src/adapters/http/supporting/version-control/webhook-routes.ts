import type { UseCases } from '../../../../application/use-cases.js';
import { bodyKinds } from '../../routing/body-kinds.js';
import { readBytes } from '../../routing/read-body.js';
import type { PlainRoute } from '../../routing/route.js';
import { readDelivery } from './webhook-payloads.js';

/** The route forges report to: 202 when a version was made of it, 204 when nothing follows from it. */
export const webhookRoutes = (use: UseCases): PlainRoute[] => [
  {
    method: 'post',
    path: '/hooks/vcs/:id',
    countedAs: 'webhook',
    reference: () => ({
      operation: 'receiveWebhook',
      summary: 'Receive a version control webhook',
      about:
        'Returns 202 if a version of the linked workspace or policy set is created, and 204 if the event needs no action. See `docs/version-control.md`.',
      body: { mediaType: 'application/json' },
      answers: { 202: null, 204: null },
      refusals: [
        408,
        413,
        422,
        429,
        'resource/not-found',
        'shared/stale-revision',
        'service/unavailable',
        'service/storage-full',
      ],
    }),
    handle: async (exchange) => {
      const { request } = exchange;
      const trace = exchange.origin();
      exchange.audits({
        actor: { kind: 'forge', id: null, tokenId: null },
        action: 'configuration-versions/report',
        subject: null,
        about: undefined,
        request: trace,
      });
      const id = String(request.params.id);
      exchange.admit({ organization: await use.receiveWebhook.admit(id) });
      const body = await readBytes(exchange, bodyKinds.delivery);
      const made = await use.receiveWebhook.execute(
        id,
        (key, now) => readDelivery((name) => request.get(name), body, key, new Date(now)),
        trace,
      );
      exchange.writeHead(made ? 202 : 204, made ? { 'Content-Length': 0 } : {}).end();
    },
  },
];
