import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { noSuchRoute } from '../routing/request-error.js';
import type { PlainRoute } from '../routing/route.js';
import { KeptContent } from './kept-content.js';

/** In a build it is next to this file; a service that runs from source serves that of the last build. */
const folders = ['console/', '../../../../dist/adapters/http/web/console/'];

const folder = (): URL => {
  const built = folders.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
  if (built === undefined) throw new Error('the console is missing: run npm run build');
  return built;
};

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** A name contains the digest of its content, so a browser never has to ask again. */
const immutable = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** The console: one HTML page for every address below `/app`, which its script reads, and the files of the build. */
export const consoleRoutes = (version: string, policy: string): PlainRoute[] => {
  const html = new KeptContent('text/html; charset=utf-8', async () =>
    Buffer.from((await readFile(new URL('index.html', folder()))).toString().replaceAll('{{version}}', () => version)),
  );
  let files: Promise<ReadonlyMap<string, KeptContent>> | undefined;
  const kept = async (): Promise<ReadonlyMap<string, KeptContent>> => {
    const assets = new URL('assets/console/', folder());
    const served = (await readdir(assets)).flatMap((name): [string, KeptContent][] => {
      const type = types[name.slice(name.lastIndexOf('.') + 1)];
      return type === undefined ? [] : [[name, new KeptContent(type, () => readFile(new URL(name, assets)))]];
    });
    return new Map(served);
  };
  return [
    {
      method: 'get',
      path: '/app{/*address}',
      countedAs: 'caller',
      handle: (exchange) => html.answer(exchange, { 'Content-Security-Policy': policy }),
    },
    {
      method: 'get',
      path: '/assets/console/:name',
      countedAs: 'page',
      handle: async (exchange) => {
        files ??= kept();
        const file = (await files).get(String(exchange.request.params.name));
        if (file === undefined) throw noSuchRoute();
        return file.answer(exchange, immutable);
      },
    },
  ];
};
