import { writeHead } from '../head.js';
import type { PlainRoute } from '../route.js';
import type { UseCases } from '../use-cases.js';

const largestPart = 1024 * 1024;

const natural = (text: unknown, fallback: number): number => {
  const number = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : fallback;
  return Math.min(number, Number.MAX_SAFE_INTEGER);
};

/** The capability URLs of logs, read piece by piece. What the query says of `limit` and `offset` and is no number is ignored. */
export const logRoutes = (use: UseCases): PlainRoute[] => [
  {
    method: 'get',
    path: '/v1/log/:objectId',
    handle: async (request, response) => {
      const query = new URL(request.originalUrl, 'http://localhost').searchParams;
      const limit = Math.min(natural(query.get('limit'), largestPart), largestPart);
      const offset = natural(query.get('offset'), 0);
      const bytes = await use.readRunLog.execute(String(request.params.objectId), offset, limit);
      const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': bytes.byteLength };
      writeHead(response, 200, headers).end(bytes);
    },
  },
];
