import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { PlainRoute } from '../routing/route.js';
import { avatarRoute } from './avatars.js';
import { consoleRoutes } from './console-routes.js';
import { KeptContent } from './kept-content.js';

/** The directory of a build, and that of a service that runs from source. */
const folders = {
  pages: ['pages/', '../../../../web/'],
  swaggerUi: ['swagger-ui/', '../../../../node_modules/swagger-ui-dist/'],
};

const fileOf = (from: keyof typeof folders, name: string) => async () => {
  const files = folders[from].map((folder) => new URL(folder + name, import.meta.url));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) throw new Error(`${name} is missing: run npm run build`);
  return readFile(file);
};

const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

const assets: readonly (readonly [from: keyof typeof folders, name: string, type: string])[] = [
  ['pages', 'docs.js', script],
  ['pages', 'icon.svg', 'image/svg+xml'],
  ['pages', 'pages.css', css],
  ['swaggerUi', 'swagger-ui-bundle.js', script],
  ['swaggerUi', 'swagger-ui.css', css],
];

/** For a page that loads everything from this service, and sends nothing elsewhere. */
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
  console: policy("img-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"),
  // Swagger UI's style sheet contains its icons as data URLs.
  docs: policy("img-src 'self' data:"),
};

/** The web pages and their files. Nothing is read from disk before the first request. */
export const webRoutes = (version: string): PlainRoute[] => {
  const docs = new KeptContent('text/html; charset=utf-8', async () =>
    Buffer.from((await fileOf('pages', 'docs.html')()).toString().replaceAll('{{version}}', version)),
  );
  return [
    {
      method: 'get',
      path: '/',
      countedAs: 'caller',
      handle: (exchange) => {
        exchange.writeHead(302, { Location: 'app', 'Content-Length': 0 }).end();
      },
    },
    {
      method: 'get',
      path: '/docs',
      countedAs: 'caller',
      handle: (exchange) => {
        // The page's links are relative, and would resolve one level too deep.
        if (exchange.request.path.endsWith('/')) {
          exchange.writeHead(308, { Location: '../docs', 'Content-Length': 0 }).end();
          return;
        }
        return docs.answer(exchange, { 'Content-Security-Policy': policies.docs });
      },
    },
    ...consoleRoutes(version, policies.console),
    avatarRoute,
    ...assets.map(([from, name, type]): PlainRoute => {
      const content = new KeptContent(type, fileOf(from, name));
      return {
        method: 'get',
        path: `/assets/${name}`,
        countedAs: 'page',
        handle: (exchange) => content.answer(exchange),
      };
    }),
  ];
};
