import { describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { HeaderList } from '../../src/adapters/http/server/fast.js';
import { startApi } from '../support/api.js';

const script = 'text/javascript; charset=utf-8';
const css = 'text/css; charset=utf-8';
const assets = [
  { path: '/assets/docs.js', type: script },
  { path: '/assets/icon.svg', type: 'image/svg+xml' },
  { path: '/assets/pages.css', type: css },
  { path: '/assets/swagger-ui-bundle.js', type: script },
  { path: '/assets/swagger-ui.css', type: css },
];
const kept = ['/docs', '/openapi.json', ...assets.map(({ path }) => path)];

const policyOf = (answer: Response): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (answer.headers['content-security-policy'] as string).split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );

/** Checks that a page loads, runs and calls nothing but the service, and stands in no frame. */
const isClosed = (answer: Response): void => {
  expect(policyOf(answer)).toMatchObject({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  });
  expect(answer.headers).toMatchObject({
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  expect(answer.text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|\{\{/);
};

const api = await startApi();

describe('the start page', () => {
  it.each(['get', 'head'] as const)('is the console, also below a path: %s is redirected there', async (method) => {
    const answer = await api.anonymous.send(method, '/').expect(302);
    expect(answer.headers).toMatchObject({ location: 'app', 'content-length': '0', 'cache-control': 'no-store' });
  });
});

describe('the API reference', () => {
  it('is HTML that loads, runs and calls nothing but the service, and stands in no frame', async () => {
    const answer = await api.anonymous.get('/docs').expect(200).expect('Content-Type', 'text/html; charset=utf-8');
    isClosed(answer);
    expect(policyOf(answer)['img-src']).toBe("'self' data:");
    const named = [...answer.text.matchAll(/\b(?:src|href)="([^"#][^"]*)"/g)].map(([, url]) => url as string);
    expect(named.length).toBeGreaterThan(3);
    // Relative, for a service below a path.
    for (const url of named) expect(url).not.toMatch(/^\/|:/);
    for (const url of named) await api.anonymous.get(`/${url}`).expect(200);
  });

  it('sends /docs/ to where its names are right', async () => {
    await api.anonymous.get('/docs/').expect(308).expect('Location', '../docs');
  });

  it.each(assets)('has $path', async ({ path, type }) => {
    const answer = await api.anonymous
      .get(path)
      .expect(200)
      .expect('Content-Type', type ?? '');
    expect(policyOf(answer)['default-src']).toBe("'none'");
  });

  it.each(kept)('%s is sent once to who keeps it, and compressed to who can read that', async (path) => {
    const plain = await api.anonymous.get(path).set('Accept-Encoding', 'identity').buffer(true).expect(200);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const small = await api.anonymous.get(path).set('Accept-Encoding', 'br, gzip;q=0.8').expect(200);
    expect(small.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(Number(small.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) + 30);
    const etag = plain.headers.etag as string;
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(small.headers.etag).toBe(etag);
    for (const condition of [etag, `"another", ${etag}`, '*']) {
      const again = await api.anonymous.get(path).set('If-None-Match', condition).expect(304);
      expect(again.headers).toMatchObject({ etag, 'cache-control': 'no-cache' });
      expect(again.headers['content-length']).toBeUndefined();
    }
    await api.anonymous.get(path).set('If-None-Match', 'W/"another"').expect(200);
    const head = await api.anonymous.send('head', path).set('Accept-Encoding', 'identity').expect(200);
    expect(head.headers).toMatchObject({ etag, 'content-length': plain.headers['content-length'] });
  });

  it.each(['/', '/docs', '/assets/docs.js'])('%s is there to be read only', async (path) => {
    await api.anonymous.post(path).expect(405).expect('Allow', 'GET, HEAD');
  });

  it.each(['/assets/', '/assets/docs.html', '/assets/../pages/tsconfig.json', '/assets/swagger-ui-bundle.js.map'])(
    'has no %s',
    async (path) => {
      await api.anonymous.get(path).expect(404);
    },
  );
});

describe('the console', () => {
  const addresses = [
    '/app',
    '/app/',
    '/app/acme/network/runs/run-1',
    '/app/settings/tokens',
    '/app/a%2Fb/workspaces?page=2',
  ];
  const html = async (): Promise<string> => (await api.anonymous.get('/app').expect(200)).text;
  const assetsOf = (text: string): readonly string[] =>
    [...text.matchAll(/\b(?:src|href)="([^"#]+)"/g)].map(([, link]) => link as string);

  it.each(addresses)('is the same page at %s, which runs only what the service sends', async (address) => {
    const answer = await api.anonymous.get(address).expect(200).expect('Content-Type', 'text/html; charset=utf-8');
    expect(answer.text).toBe(await html());
    isClosed(answer);
    expect(policyOf(answer)).toMatchObject({
      'img-src': "'self'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    });
    const { etag } = answer.headers;
    await api.anonymous.get(address).set('If-None-Match', String(etag)).expect(304);
  });

  it('has files whose names change with their content, so that browsers keep them', async () => {
    const named = assetsOf(await html()).filter((link) => link.startsWith('/assets/console/'));
    expect([...new Set(named.map((link) => link.split('.').at(-1)))].sort()).toEqual(['css', 'js']);
    for (const link of named) {
      expect(link).toMatch(/^\/assets\/console\/[\w-]+-[\w-]{8}\.\w+$/);
      const answer = await api.anonymous.get(link).set('Accept-Encoding', 'gzip').expect(200);
      expect(answer.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-encoding': 'gzip',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it.each([
    '/assets/console/',
    '/assets/console/none.js',
    '/assets/console/..%2Findex.html',
    '/assets/console/licenses.md',
  ])('has no %s', async (path) => {
    await api.anonymous.get(path).expect(404);
  });

  it('is there to be read only', async () => {
    await api.anonymous.post('/app/acme').expect(405).expect('Allow', 'GET, HEAD');
  });
});

describe('the rate limit', () => {
  it('counts pages like other requests without a token, and their assets separately', async () => {
    const api = await startApi({ environment: { RATE_LIMIT_PER_SECOND: '4' } });
    const counted = ['/', '/app', '/docs', '/openapi.json'];
    // At once, and more than are allowed in six seconds.
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => api.anonymous.get(counted[index % counted.length] as string)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 302, 429]));
    const asset = await api.anonymous.get('/assets/docs.js').expect(200);
    expect(asset.headers).toMatchObject({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '29' });
  });

  it.each(['/app', '/docs', '/openapi.json'])('counts %s, also where it is not sent again', async (path) => {
    const api = await startApi({ environment: { RATE_LIMIT_PER_SECOND: '4' } });
    const { headers } = await api.anonymous.get(path).set('If-None-Match', '*').expect(304);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '4', 'x-ratelimit-remaining': '3' });
  });
});

describe('a header that takes the place of another', () => {
  it('is refused where there is none', () => {
    const headers = new HeaderList(['Cache-Control', 'no-store'], 'id');
    expect(() => headers.replace({ 'Content-Security-Policy': "default-src 'none'" })).toThrow(
      'not every response has Content-Security-Policy',
    );
  });
});
