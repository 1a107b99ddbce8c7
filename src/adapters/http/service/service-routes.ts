import type { Request, Response } from 'express';
import { writeHead } from '../head.js';
import type { PlainRoute } from '../route.js';

/** What the service says about itself. */
export interface Health {
  /** Rejects while requests cannot be served: the database does not answer, or the service is stopping. */
  readonly ready: () => Promise<void>;
}

const answerJson = (response: Response, status: number, body: unknown): void => {
  writeHead(response, status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

/** Where clients find the API when they are only told a host name. */
const discovery = { 'tfe.v2': '/api/v2/', 'tfe.v2.1': '/api/v2/', 'tfe.v2.2': '/api/v2/' };

export const serviceRoutes = ({ ready }: Health): PlainRoute[] => [
  { method: 'get', path: '/healthz', handle: (_request, response) => answerJson(response, 200, { status: 'ok' }) },
  {
    method: 'get',
    path: '/readyz',
    handle: async (_request: Request, response: Response) => {
      const outcome = await ready().then(
        () => ({ status: 200, body: { status: 'ready' } }),
        () => ({ status: 503, body: { status: 'not ready' } }),
      );
      answerJson(response, outcome.status, outcome.body);
    },
  },
  {
    method: 'get',
    path: '/.well-known/terraform.json',
    handle: (_request, response) => answerJson(response, 200, discovery),
  },
];

/** Served at both mounts, with or without a token: clients read its headers only. */
export const pingRoute: PlainRoute = {
  method: 'get',
  path: '/ping',
  handle: (_request, response) => {
    writeHead(response, 204).end();
  },
};
