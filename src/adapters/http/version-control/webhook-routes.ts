import { writeHead } from '../head.js';
import { readBytes } from '../json-api/read-body.js';
import type { PlainRoute } from '../route.js';
import type { UseCases } from '../use-cases.js';
import { readDelivery } from './webhook-payloads.js';

/** Forges send whole lists of commits; theirs are cut well below this. */
const largestDelivery = 5 * 1024 * 1024;

/** Where forges report: 202 when a version was made of it, 204 when nothing follows from it. */
export const webhookRoutes = (use: UseCases): PlainRoute[] => [
  {
    method: 'post',
    path: '/hooks/vcs/:id',
    handle: async (request, response) => {
      const body = await readBytes(request, largestDelivery);
      const made = await use.receiveWebhook.execute(String(request.params.id), (key, now) =>
        readDelivery((name) => request.get(name), body, key, new Date(now)),
      );
      writeHead(response, made ? 202 : 204, made ? { 'Content-Length': 0 } : {}).end();
    },
  },
];
