// Loaded before the service, in its process: writes a line of JSON for each request to the clients' mount. It has names
// and no values, which may be secrets, but that of `include`.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

/** Calls `take` with each chunk that the method of the stream gets. */
const listen = (stream, method, take) => {
  const original = stream[method];
  stream[method] = function (chunk, ...others) {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) take(Buffer.from(chunk));
    return original.call(this, chunk, ...others);
  };
};

const parsed = (chunks) => {
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
};

/** The names in all `attributes` of a document, those of nested objects after a slash. */
const attributesIn = (value, within = undefined) => {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => attributesIn(item, within));
  return Object.entries(value).flatMap(([name, member]) => {
    if (within === undefined) return attributesIn(member, name === 'attributes' ? '' : undefined);
    return [within + name, ...attributesIn(member, `${within}${name}/`)];
  });
};

subscribe('http.server.request.start', ({ request, response }) => {
  const { pathname, searchParams } = new URL(request.url, 'http://service');
  if (!pathname.startsWith('/api/v2/')) return;
  const [sent, answered] = [[], []];
  if (/^application\/(vnd\.api\+)?json/.test(request.headers['content-type'])) {
    listen(request, 'push', (chunk) => sent.push(chunk));
  }
  for (const method of ['write', 'end']) {
    listen(response, method, (chunk) => response.statusCode >= 400 && answered.push(chunk));
  }
  response.once('close', () => {
    const line = {
      sender: request.headers['user-agent'],
      method: request.method,
      path: pathname.replaceAll(/\/[a-z]+-[0-9A-Za-z]{16}(?=\/|$)/g, '/:id'),
      query: [...new Set(searchParams.keys())].map((name) =>
        name === 'include' ? `include=${searchParams.get(name)}` : name,
      ),
      attributes: [...new Set(attributesIn(parsed(sent)))],
      status: response.statusCode,
      faults: (parsed(answered)?.errors ?? []).map(({ detail }) => detail),
    };
    appendFileSync(process.env.RECORDED_REQUESTS, `${JSON.stringify(line)}\n`);
  });
});
