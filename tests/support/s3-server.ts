import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type S3Operation =
  | 'PutObject'
  | 'GetObject'
  | 'HeadObject'
  | 'DeleteObject'
  | 'ListObjectsV2'
  | 'HeadBucket'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'ListMultipartUploads';

/**
 * The fate of a request: it is served; refused with 503; its connection is cut before or after it took effect;
 * its answer is cut in the middle; it is never answered; or its connection is cut, and it takes effect later.
 */
export type Fate =
  | 'serve'
  | 'refuse'
  | 'drop'
  | 'serve then drop'
  | 'cut short'
  | 'stall'
  | { readonly dropAndServeAfter: Promise<unknown> };

export interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly contentType: string;
  /** In milliseconds. */
  readonly lastModified: number;
}

export interface MultipartUpload {
  readonly key: string;
  readonly initiated: number;
  readonly parts: Map<number, { readonly bytes: Buffer; readonly etag: string }>;
}

/** The contents of a server; another one can continue with them. */
export interface S3Contents {
  readonly objects: Map<string, StoredObject>;
  /** Those neither completed nor aborted, by their upload id. */
  readonly uploads: Map<string, MultipartUpload>;
}

export interface S3ServerOptions {
  readonly contents?: S3Contents;
  readonly port?: number;
  readonly bucket?: string;
  readonly region?: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  /** Decides the fate of a correctly signed request. `key` is the prefix if the request does not name an object. */
  readonly before?: (operation: S3Operation, key: string) => Fate | Promise<Fate>;
  /** The store's clock, in milliseconds. */
  readonly now?: () => number;
  /** The minimum size in bytes of every part but the last. */
  readonly partMinimum?: number;
  /** The maximum number of entries in one list response. */
  readonly pageSize?: number;
}

export interface S3Server extends S3Contents {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The variables of the AWS SDK, and the service's settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Every correctly signed request, in order. */
  readonly requests: { readonly operation: S3Operation; readonly key: string }[];
  /** Connections open at this moment. */
  connections(): number;
  close(): Promise<void>;
}

const longestSkew = 15 * 60_000;
const longestLife = 7 * 86_400;

class S3Error extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface Incoming {
  readonly request: IncomingMessage;
  readonly method: string;
  /** As it was sent, still encoded. */
  readonly rawPath: string;
  readonly query: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest();
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** As the signature's specification has it: everything but unreserved characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const escapeXml = (text: string): string =>
  text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`).replaceAll('\0', '');
const tag = (name: string, content: string | number | boolean): string =>
  `<${name}>${typeof content === 'string' ? escapeXml(content) : content}</${name}>`;
const xml = (name: string, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`;
/** Stores report times in whole seconds. */
const instant = (milliseconds: number): string => new Date(Math.floor(milliseconds / 1000) * 1000).toISOString();

/**
 * A store of one bucket that speaks S3 in path style, on loopback. It checks signatures by its own reading of their
 * specification, and holds everything in memory.
 */
export async function startS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const {
    bucket = 'bundles',
    region = 'us-east-1',
    accessKeyId = 'TESTACCESSKEY',
    secretAccessKey = 'a-secret-access-key-for-tests',
    now = Date.now,
    before = () => 'serve',
    pageSize = 1000,
    partMinimum = 5 * 1024 * 1024,
    contents: { objects, uploads } = { objects: new Map(), uploads: new Map() },
  } = options;
  const requests: { operation: S3Operation; key: string }[] = [];
  const sockets = new Set<Socket>();
  let lastUpload = uploads.size;

  /** Throws unless the request has one valid signature. Returns the digest that it declares for the body. */
  function authenticate(incoming: Incoming): void {
    const { request, query } = incoming;
    const { authorization } = request.headers;
    const presigned = query.has('X-Amz-Signature') || query.has('X-Amz-Algorithm');
    if (authorization !== undefined && presigned) {
      throw new S3Error(400, 'InvalidArgument', 'Only one auth mechanism allowed');
    }
    if (authorization === undefined && !presigned) throw new S3Error(403, 'AccessDenied', 'Access Denied');
    const claim = presigned ? claimOfQuery(query) : claimOfHeader(request, authorization ?? '');
    const [id, day = '', claimedRegion = '', service = '', end] = claim.credential.split('/');
    if (id !== accessKeyId) {
      throw new S3Error(403, 'InvalidAccessKeyId', 'The access key id you provided does not exist in our records.');
    }
    if (claimedRegion !== region || service !== 's3' || end !== 'aws4_request' || !claim.date.startsWith(day)) {
      throw new S3Error(400, 'AuthorizationHeaderMalformed', `the credential is wrong; expecting '${region}'`);
    }
    checkTime(claim);
    const unsigned = Object.keys(request.headers).filter(
      (name) => (name === 'host' || name.startsWith('x-amz-')) && !claim.signedHeaders.includes(name),
    );
    if (unsigned.length > 0) {
      throw new S3Error(403, 'AccessDenied', 'There were headers present in the request which were not signed');
    }
    const canonical = canonicalRequest(incoming, claim.signedHeaders, claim.payload);
    const toSign = ['AWS4-HMAC-SHA256', claim.date, `${day}/${region}/s3/aws4_request`, sha256(canonical)].join('\n');
    const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secretAccessKey}`, day), region));
    const expected = hmac(key, toSign);
    const given = Buffer.from(claim.signature, 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new S3Error(403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match.');
    }
    checkPayload(claim.payload, incoming.body);
  }

  function checkTime({ date, expires }: Claim): void {
    const [, ...fields] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
    const [year = 0, month = 0, ...rest] = fields.map(Number);
    const signedAt = Date.UTC(year, month - 1, ...rest);
    if (fields.length === 0) throw new S3Error(403, 'AccessDenied', 'AWS authentication requires a valid date');
    const early = signedAt - now() > longestSkew;
    if (expires === undefined ? early || now() - signedAt > longestSkew : early) {
      throw new S3Error(403, 'RequestTimeTooSkewed', 'The request time and the current time differ too much.');
    }
    if (expires === undefined) return;
    if (!(expires >= 1 && expires <= longestLife)) {
      throw new S3Error(400, 'AuthorizationQueryParametersError', 'X-Amz-Expires must be between 1 and 604800 seconds');
    }
    if (now() > signedAt + expires * 1000) throw new S3Error(403, 'AccessDenied', 'Request has expired');
  }

  function list(query: ReadonlyMap<string, string>): Answer {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const max = Math.min(Number(query.get('max-keys') ?? 1000), pageSize);
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, max);
    const truncated = keys.length > max;
    const rows = page.map((key) => {
      const { bytes, etag, lastModified } = objects.get(key) as StoredObject;
      const fields = [tag('Key', key), tag('LastModified', instant(lastModified)), tag('ETag', etag)];
      return `<Contents>${fields.join('')}${tag('Size', bytes.length)}<StorageClass>STANDARD</StorageClass></Contents>`;
    });
    const next = truncated ? tag('NextContinuationToken', page.at(-1) ?? '') : '';
    const head = [tag('Name', bucket), tag('Prefix', prefix), tag('KeyCount', page.length), tag('MaxKeys', max)];
    return xmlAnswer('ListBucketResult', [...head, tag('IsTruncated', truncated), next, ...rows].join(''));
  }

  function listUploads(query: ReadonlyMap<string, string>): Answer {
    const prefix = query.get('prefix') ?? '';
    const place = (key: string, id: string) => `${key}\0${id}`;
    const after = query.has('key-marker')
      ? place(query.get('key-marker') ?? '', query.get('upload-id-marker') ?? '\uffff')
      : '';
    const max = Math.min(Number(query.get('max-uploads') ?? 1000), pageSize);
    const open = [...uploads]
      .map(([id, upload]) => ({ id, ...upload, at: place(upload.key, id) }))
      .filter(({ key, at }) => key.startsWith(prefix) && at > after)
      .sort((a, b) => (a.at < b.at ? -1 : 1));
    const page = open.slice(0, max);
    const last = page.at(-1);
    const next = open.length > max && last ? tag('NextKeyMarker', last.key) + tag('NextUploadIdMarker', last.id) : '';
    const rows = page.map(({ id, key, initiated }) => {
      return `<Upload>${tag('Key', key)}${tag('UploadId', id)}${tag('Initiated', instant(initiated))}</Upload>`;
    });
    const head = [tag('Bucket', bucket), tag('Prefix', prefix), tag('IsTruncated', open.length > max)];
    return xmlAnswer('ListMultipartUploadsResult', [...head, next, ...rows].join(''));
  }

  const store = (key: string, bytes: Buffer, etag: string, contentType: string | undefined): void => {
    objects.set(key, { bytes, etag, contentType: contentType ?? 'binary/octet-stream', lastModified: now() });
  };

  const uploadOf = (id: string, key: string): MultipartUpload => {
    const upload = uploads.get(id);
    if (upload?.key !== key) throw new S3Error(404, 'NoSuchUpload', 'The specified upload does not exist.');
    return upload;
  };

  function complete(id: string, key: string, body: string): Answer {
    const upload = uploadOf(id, key);
    const named = [...body.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      number: Number(/<PartNumber>(\d+)<\/PartNumber>/.exec(part)?.[1]),
      etag: `"${(/<ETag>(.*?)<\/ETag>/s.exec(part)?.[1] ?? '').replace(/&(quot|#34);|"/g, '')}"`,
    }));
    if (named.length === 0) throw new S3Error(400, 'MalformedXML', 'The XML you provided was not well-formed.');
    if (named.some(({ number }, at) => number <= (named[at - 1]?.number ?? 0))) {
      throw new S3Error(400, 'InvalidPartOrder', 'The list of parts was not in ascending order.');
    }
    const parts = named.map(({ number, etag }) => {
      const part = upload.parts.get(number);
      if (part?.etag !== etag) throw new S3Error(400, 'InvalidPart', 'One or more of the parts could not be found.');
      return part;
    });
    if (parts.slice(0, -1).some(({ bytes }) => bytes.length < partMinimum)) {
      throw new S3Error(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
    }
    uploads.delete(id);
    const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag.slice(1, -1), 'hex')));
    const etag = `"${md5(digests).toString('hex')}-${parts.length}"`;
    store(key, Buffer.concat(parts.map(({ bytes }) => bytes)), etag, 'application/octet-stream');
    return xmlAnswer('CompleteMultipartUploadResult', tag('Bucket', bucket) + tag('Key', key) + tag('ETag', etag));
  }

  function get({ request, query }: Incoming, key: string): Answer {
    const object = objects.get(key);
    if (object === undefined) throw new S3Error(404, 'NoSuchKey', 'The specified key does not exist.');
    const { bytes, etag, contentType, lastModified } = object;
    const headers = {
      ETag: etag,
      'Accept-Ranges': 'bytes',
      'Content-Type': query.get('response-content-type') ?? contentType,
      'Last-Modified': new Date(lastModified).toUTCString(),
      ...(query.has('response-content-disposition')
        ? { 'Content-Disposition': query.get('response-content-disposition') as string }
        : {}),
    };
    const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    if (from === '' && to === '') return { status: 200, headers, body: bytes };
    const start = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from);
    const end = from === '' || to === '' ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1);
    if (start >= bytes.length) throw new S3Error(416, 'InvalidRange', 'The requested range is not satisfiable');
    const range = `bytes ${start}-${end}/${bytes.length}`;
    return { status: 206, headers: { ...headers, 'Content-Range': range }, body: bytes.subarray(start, end + 1) };
  }

  const operations: Readonly<Record<S3Operation, (incoming: Incoming, key: string) => Answer>> = {
    HeadBucket: () => ({ status: 200 }),
    ListObjectsV2: ({ query }) => list(query),
    ListMultipartUploads: ({ query }) => listUploads(query),
    GetObject: get,
    HeadObject: get,
    PutObject: ({ request, body }, key) => {
      const etag = `"${md5(body).toString('hex')}"`;
      store(key, body, etag, request.headers['content-type']);
      return { status: 200, headers: { ETag: etag } };
    },
    DeleteObject: (_, key) => {
      objects.delete(key);
      return { status: 204 };
    },
    CreateMultipartUpload: (_, key) => {
      lastUpload += 1;
      const id = `upload-${String(lastUpload).padStart(8, '0')}`;
      uploads.set(id, { key, initiated: now(), parts: new Map() });
      return xmlAnswer('InitiateMultipartUploadResult', tag('Bucket', bucket) + tag('Key', key) + tag('UploadId', id));
    },
    UploadPart: ({ query, body }, key) => {
      const number = Number(query.get('partNumber'));
      if (!(number >= 1 && number <= 10_000)) {
        throw new S3Error(400, 'InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive');
      }
      const etag = `"${md5(body).toString('hex')}"`;
      uploadOf(query.get('uploadId') ?? '', key).parts.set(number, { bytes: body, etag });
      return { status: 200, headers: { ETag: etag } };
    },
    CompleteMultipartUpload: ({ query, body }, key) => complete(query.get('uploadId') ?? '', key, body.toString()),
    AbortMultipartUpload: ({ query }, key) => {
      uploadOf(query.get('uploadId') ?? '', key);
      uploads.delete(query.get('uploadId') ?? '');
      return { status: 204 };
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const incoming = await read(request);
    const cut = () => request.socket.destroy();
    let answer: Answer;
    let fate: Fate = 'serve';
    try {
      authenticate(incoming);
      const { operation, key } = operationOf(incoming, bucket);
      requests.push({ operation, key });
      fate = await before(operation, key);
      if (fate === 'stall') return;
      if (fate === 'drop') return void cut();
      if (fate === 'refuse') throw new S3Error(503, 'SlowDown', 'Please reduce your request rate.');
      if (typeof fate === 'object') {
        cut();
        await fate.dropAndServeAfter;
      }
      answer = operations[operation](incoming, key);
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      const body = xml('Error', tag('Code', error.code) + tag('Message', error.message) + tag('RequestId', 'test'));
      answer = { status: error.status, headers: { 'Content-Type': 'application/xml' }, body };
    }
    if (fate === 'serve then drop') return void cut();
    const { status, headers = {}, body = '' } = answer;
    response.writeHead(status, {
      Date: new Date(now()).toUTCString(),
      ...(status === 204 ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
      ...headers,
    });
    if (request.method === 'HEAD') response.end();
    else if (fate === 'cut short') response.write(body.slice(0, body.length / 2), cut);
    else response.end(body);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    endpoint,
    bucket,
    region,
    accessKeyId,
    secretAccessKey,
    environment: {
      ARCHIVE_STORE: 's3',
      S3_BUCKET: bucket,
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    objects,
    uploads,
    requests,
    connections: () => sockets.size,
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The claims of a request about its own signature. */
interface Claim {
  readonly credential: string;
  readonly date: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly payload: string;
  /** In seconds; only presigned requests have it. */
  readonly expires?: number;
}

function claimOfQuery(query: ReadonlyMap<string, string>): Claim {
  const given = (name: string): string => {
    const value = query.get(`X-Amz-${name}`);
    if (value === undefined) {
      throw new S3Error(400, 'AuthorizationQueryParametersError', `the query has no X-Amz-${name}`);
    }
    return value;
  };
  return {
    credential: given('Credential'),
    date: given('Date'),
    signedHeaders: given('SignedHeaders').split(';'),
    signature: given('Signature'),
    payload: query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
    expires: Number(given('Expires')),
  };
}

function claimOfHeader({ headers }: IncomingMessage, authorization: string): Claim {
  const [, credential, signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/.exec(authorization) ?? [];
  if (credential === undefined || signedHeaders === undefined || signature === undefined) {
    throw new S3Error(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed.');
  }
  const payload = headers['x-amz-content-sha256'];
  if (typeof payload !== 'string') {
    throw new S3Error(400, 'InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  }
  const date = String(headers['x-amz-date'] ?? '');
  return { credential, date, signedHeaders: signedHeaders.split(';'), signature, payload };
}

function canonicalRequest({ request, method, rawPath, query }: Incoming, signed: readonly string[], payload: string) {
  const path = rawPath
    .split('/')
    .map((segment) => encode(decodeURIComponent(segment)))
    .join('/');
  const parameters = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort();
  const headers = signed.map((name) => {
    const value = request.headers[name];
    return `${name}:${(Array.isArray(value) ? value.join(',') : (value ?? '')).trim().replace(/ +/g, ' ')}\n`;
  });
  return [method, path, parameters.join('&'), headers.join(''), signed.join(';'), payload].join('\n');
}

function checkPayload(payload: string, body: Buffer): void {
  if (payload === 'UNSIGNED-PAYLOAD') return;
  if (payload.startsWith('STREAMING-')) {
    throw new S3Error(501, 'NotImplemented', 'A header you provided implies functionality that is not implemented');
  }
  if (payload !== sha256(body)) {
    throw new S3Error(400, 'XAmzContentSHA256Mismatch', 'The provided x-amz-content-sha256 does not match the body.');
  }
}

/** Rejects if the client disconnects before the whole body has arrived. */
async function read(request: IncomingMessage): Promise<Incoming> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [rawPath = '', search = ''] = (request.url ?? '').split('?', 2);
  const query = new Map(
    search
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [name = '', value = ''] = pair.split('=', 2).map(decodeURIComponent);
        return [name, value];
      }),
  );
  return { request, method: request.method ?? '', rawPath, query, body: Buffer.concat(chunks) };
}

function operationOf({ method, rawPath, query }: Incoming, bucket: string): { operation: S3Operation; key: string } {
  const [, name, ...segments] = rawPath.split('/').map(decodeURIComponent);
  if (name !== bucket) throw new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist');
  const key = segments.join('/');
  const prefix = query.get('prefix') ?? '';
  if (key === '') {
    if (method === 'HEAD') return { operation: 'HeadBucket', key };
    if (method === 'GET' && query.has('uploads')) return { operation: 'ListMultipartUploads', key: prefix };
    if (method === 'GET' && query.get('list-type') === '2') return { operation: 'ListObjectsV2', key: prefix };
  } else if (query.has('uploadId')) {
    if (method === 'PUT') return { operation: 'UploadPart', key };
    if (method === 'POST') return { operation: 'CompleteMultipartUpload', key };
    if (method === 'DELETE') return { operation: 'AbortMultipartUpload', key };
  } else if (query.has('uploads')) {
    if (method === 'POST') return { operation: 'CreateMultipartUpload', key };
  } else {
    const plain = { PUT: 'PutObject', GET: 'GetObject', HEAD: 'HeadObject', DELETE: 'DeleteObject' } as const;
    const operation = plain[method as keyof typeof plain];
    if (operation !== undefined) return { operation, key };
  }
  throw new S3Error(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.');
}

function xmlAnswer(name: string, content: string): Answer {
  return { status: 200, headers: { 'Content-Type': 'application/xml' }, body: xml(name, content) };
}
