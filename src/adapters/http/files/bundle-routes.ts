import type { Request } from 'express';
import { z } from 'zod';
import type { OpenBundle } from '../../../application/index.js';
import type { UseCases } from '../../../application/use-cases.js';
import type { RequestTrace } from '../../../domain/index.js';
import type { Exchange } from '../routing/exchange.js';
import { limits } from '../routing/limits.js';
import { atMost } from '../routing/read-body.js';
import type { PlainRoute } from '../routing/route.js';

/** The one byte range a request asks for; undefined for the whole, null for one that cannot be satisfied. */
const rangeOf = (request: Request, bundle: OpenBundle): { start: number; end: number } | undefined | null => {
  if (request.method !== 'GET') return undefined;
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== `"${bundle.sha256}"`) return undefined;
  const ranges = request.range(bundle.bytes);
  if (ranges === -1) return null;
  return Array.isArray(ranges) && ranges.type === 'bytes' && ranges.length === 1 ? ranges[0] : undefined;
};

const filenames = {
  configuration: 'configuration.tar.gz',
  state: 'terraform.tfstate',
  'json-state': 'terraform.tfstate.json',
} as const satisfies Record<OpenBundle['of'], string>;

const download = (use: UseCases) => async (exchange: Exchange) => {
  const { request, response } = exchange;
  const objectId = String(request.params.objectId);
  const bundle = await use.readBundle.execute(objectId);
  exchange.admit({ organization: null, caller: `capability ${objectId}` });
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${filenames[bundle.of]}"`,
    'Accept-Ranges': 'bytes',
    ETag: `"${bundle.sha256}"`,
  };
  const range = rangeOf(request, bundle);
  if (range === null) {
    exchange.writeHead(416, { ...headers, 'Content-Range': `bytes */${bundle.bytes}` }).end();
    return;
  }
  const bytes = request.method === 'HEAD' ? undefined : await bundle.read(range);
  const length = range === undefined ? bundle.bytes : range.end - range.start + 1;
  if (range === undefined) {
    exchange.writeHead(200, { ...headers, 'Content-Length': length });
  } else {
    exchange.writeHead(206, {
      ...headers,
      'Content-Length': length,
      'Content-Range': `bytes ${range.start}-${range.end}/${bundle.bytes}`,
    });
  }
  if (bytes === undefined) response.end();
  else await exchange.download(bytes, length);
};

interface ArchiveUpload {
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly about: string;
  /** The code for a version that accepts no files. */
  readonly refused: 'configuration-version/upload-refused' | 'policy-set-version/upload-refused';
}

/** The route that takes the archive of a version, which `upload` checks and stores. */
const archiveUpload = (
  { path, operation, summary, about, refused }: ArchiveUpload,
  upload: (objectId: string, body: AsyncIterable<Uint8Array>, request: RequestTrace) => Promise<void>,
): PlainRoute => ({
  method: 'put',
  path,
  countedAs: 'capability',
  reference: () => ({
    operation,
    summary,
    about,
    body: { mediaType: 'application/octet-stream' },
    answers: { 200: null },
    refusals: [
      429,
      'resource/not-found',
      refused,
      'bundle/malformed',
      'bundle/over-limit',
      'organization/over-quota',
      'bundle/interrupted',
      'shared/stale-revision',
      'service/unavailable',
      'service/storage-full',
    ],
  }),
  handle: async (exchange) => {
    const objectId = String(exchange.request.params.objectId);
    await exchange.receive((body) => upload(objectId, body, exchange.origin()));
    exchange.writeHead(200, { 'Content-Length': 0 }).end();
  },
});

/** The capability URLs of bundles. The object id is the whole right: no token is asked for or looked at. */
export const bundleRoutes = (use: UseCases): PlainRoute[] => [
  archiveUpload(
    {
      path: '/v1/object/:objectId',
      operation: 'uploadFiles',
      summary: 'Upload configuration files (.tar.gz)',
      about:
        'Send the archive to the `upload-url` of the configuration version. No token is needed: the URL is signed.',
      refused: 'configuration-version/upload-refused',
    },
    (objectId, body, request) => use.uploadConfigurationBundle.execute(objectId, body, request),
  ),
  archiveUpload(
    {
      path: '/v1/policies/:objectId',
      operation: 'uploadPolicies',
      summary: 'Upload the files of a policy set version (.tar.gz)',
      about:
        'Send the archive to `links.upload` of the policy set version. Its root contains `policies.hcl` (or `sentinel.hcl`), which names the policies. No token is needed: the URL is signed.',
      refused: 'policy-set-version/upload-refused',
    },
    (objectId, body, request) => use.uploadPolicySetVersion.execute(objectId, body, request),
  ),
  {
    method: 'put',
    path: '/v1/state/:objectId',
    countedAs: 'capability',
    reference: () => ({
      operation: 'uploadStateVersion',
      summary: 'Upload a state or its JSON form',
      about:
        'Send the content to the `hosted-state-upload-url` or `hosted-json-state-upload-url` of the state version, while its creator holds the lock of the workspace. No token is needed: the URL is signed.',
      body: { mediaType: 'application/octet-stream' },
      answers: { 200: null },
      refusals: [
        413,
        429,
        'resource/not-found',
        'attribute/invalid',
        'workspace/lock-refused',
        'runs/in-progress',
        'state-version/conflict',
        'bundle/interrupted',
        'shared/stale-revision',
        'service/unavailable',
        'service/storage-full',
      ],
    }),
    handle: async (exchange) => {
      await exchange.receive((body) =>
        use.uploadStateVersion.execute(
          String(exchange.request.params.objectId),
          atMost(limits.agentFile.max, exchange.request, body),
          exchange.origin(),
        ),
      );
      exchange.writeHead(200, { 'Content-Length': 0 }).end();
    },
  },
  {
    method: 'get',
    path: '/v1/object/:objectId',
    countedAs: 'capability',
    reference: () => ({
      operation: 'downloadFiles',
      summary: 'Download a stored object',
      headers: {
        Range: z
          .string()
          .optional()
          .meta({ description: 'A single byte range, such as `bytes=0-1023`.', example: 'bytes=0-1023' }),
      },
      answers: {
        200: { mediaType: 'application/octet-stream' },
        206: { mediaType: 'application/octet-stream' },
        416: { mediaType: 'application/octet-stream' },
      },
      refusals: [429, 'resource/not-found', 'service/unavailable'],
    }),
    handle: download(use),
  },
];
