import { z } from 'zod';
import type { UseCases } from '../../../../application/use-cases.js';
import { limits } from '../../routing/limits.js';
import type { PlainRoute } from '../../routing/route.js';

const largestPart = limits.logPart.max;

const natural = (text: unknown, fallback: number): number => {
  const number = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : fallback;
  return Math.min(number, Number.MAX_SAFE_INTEGER);
};

/** The capability URLs of logs, read piece by piece. A `limit` or `offset` that is not a number is ignored. */
export const logRoutes = (use: UseCases): PlainRoute[] => [
  {
    method: 'get',
    path: '/v1/log/:objectId',
    countedAs: 'capability',
    reference: () => ({
      operation: 'readLog',
      summary: 'Read the log of a plan or an apply',
      about: 'Use the `log-read-url` of the plan or apply. Returns an empty body past the end of the log.',
      query: {
        offset: z.int().min(0).optional().meta({ description: 'Offset of the first byte (default 0).' }),
        limit: z
          .int()
          .min(0)
          .optional()
          .meta({ description: `Number of bytes (default and maximum ${largestPart}).` }),
      },
      answers: { 200: { mediaType: 'text/plain; charset=utf-8' } },
      refusals: [429, 'resource/not-found', 'service/unavailable'],
    }),
    handle: async (exchange) => {
      const query = new URL(exchange.request.originalUrl, 'http://localhost').searchParams;
      const limit = Math.min(natural(query.get('limit'), largestPart), largestPart);
      const offset = natural(query.get('offset'), 0);
      const objectId = String(exchange.request.params.objectId);
      const bytes = await use.readRunLog.execute(objectId, offset, limit);
      exchange.admit({ organization: null, caller: `capability ${objectId}` });
      exchange.respond(200, { 'Content-Type': 'text/plain; charset=utf-8' }, bytes);
    },
  },
];
