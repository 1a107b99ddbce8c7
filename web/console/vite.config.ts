import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  // JSX is compiled by Vite itself; the types are checked by `npm run typecheck`.
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: at('../../dist/adapters/http/web/console'),
    emptyOutDir: true,
    assetsDir: 'assets/console',
    target: 'es2022',
    // Data URLs would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Libraries mark modules for servers that render; here there is only the browser.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
    // The notices of what is bundled.
    license: { fileName: 'licenses.md' },
  },
  // `npm run console` serves the sources; a service on port 8080 answers the API.
  server: {
    port: 5173,
    proxy: { '^/(api|v1|session|assets/icon\\.svg)': { target: 'http://127.0.0.1:8080', changeOrigin: false } },
  },
});
