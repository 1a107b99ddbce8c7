import { access, readFile } from 'node:fs/promises';
import type { PlainRoute } from '../routing/route.js';
import { KeptContent } from './kept-content.js';

const pages = new URL('pages/', import.meta.url);

/** Where the build puts Swagger UI, and where npm puts it for who runs the service from source. */
const swaggerUi = ['swagger-ui/', '../../../../node_modules/swagger-ui-dist/'].map(
  (path) => new URL(path, import.meta.url),
);

const ownFile = (name: string) => () => readFile(new URL(name, pages));

const fileOfSwaggerUi = (name: string) => async () => {
  for (const folder of swaggerUi) {
    const file = new URL(name, folder);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return readFile(file);
  }
  throw new Error(`${name} is missing: the package was not built whole`);
};

const html = 'text/html; charset=utf-8';
const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

const page = (name: string, version: string): KeptContent =>
  new KeptContent(html, async () =>
    Buffer.from((await readFile(new URL(name, pages), 'utf8')).replaceAll('{{version}}', version)),
  );

const assets = {
  'api.js': [script, ownFile('api.js')],
  'docs.js': [script, ownFile('docs.js')],
  'home.js': [script, ownFile('home.js')],
  'icon.svg': ['image/svg+xml', ownFile('icon.svg')],
  'pages.css': [css, ownFile('pages.css')],
  'swagger-ui-bundle.js': [script, fileOfSwaggerUi('swagger-ui-bundle.js')],
  'swagger-ui.css': [css, fileOfSwaggerUi('swagger-ui.css')],
} as const satisfies Readonly<Record<string, readonly [type: string, make: () => Promise<Uint8Array>]>>;

/** For a page whose parts all come from this service, and that sends nothing elsewhere. */
const policy = (...more: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...more,
  ].join('; ');

const policies = {
  home: policy("img-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"),
  // The signs of Swagger UI stand in its style sheet as data.
  docs: policy("img-src 'self' data:"),
};

/** The pages for people, and what they are made of. Nothing is read from disk before somebody looks. */
export const webRoutes = (version: string): PlainRoute[] => {
  const home = page('home.html', version);
  const docs = page('docs.html', version);
  return [
    {
      method: 'get',
      path: '/',
      countedAs: 'caller',
      handle: (exchange) => home.answer(exchange, { 'Content-Security-Policy': policies.home }),
    },
    {
      method: 'get',
      path: '/docs',
      countedAs: 'caller',
      handle: (exchange) => {
        // What the page names is relative to it, and would be looked for one level too deep.
        if (exchange.request.path.endsWith('/')) {
          exchange.writeHead(308, { Location: '../docs', 'Content-Length': 0 }).end();
          return;
        }
        return docs.answer(exchange, { 'Content-Security-Policy': policies.docs });
      },
    },
    ...Object.entries(assets).map(([name, [type, make]]): PlainRoute => {
      const content = new KeptContent(type, make);
      return {
        method: 'get',
        path: `/assets/${name}`,
        countedAs: 'page',
        handle: (exchange) => content.answer(exchange),
      };
    }),
  ];
};
