import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const page = at('./index.html');
/** Drag and drop has sentences in thirty languages, and only the page of a workspace uses it. */
const laterOnly = /\/dnd\/|\/(DropZone|FileTrigger)\.mjs$/;

/** The page and the modules that it imports, directly or not. */
const first = new Set<string>();

function isInFirstScript(id: string, importedBy: (id: string) => readonly string[]): boolean {
  if (first.size === 0) {
    first.add(page);
    // A set goes on to what is added to it meanwhile.
    for (const one of first) for (const next of importedBy(one)) first.add(next);
  }
  return first.has(id) && !laterOnly.test(id);
}

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
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
      output: {
        // The first page is one script. Each page that is visited later adds its own.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              debugName: 'console',
              name: (id, graph) =>
                isInFirstScript(id, (one) => graph.getModuleInfo(one)?.importedIds ?? []) ? 'console' : null,
            },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 700,
    // The notices of what is bundled.
    license: { fileName: 'licenses.md' },
  },
  // `npm run console` serves the sources; a service on port 8080 answers the API.
  server: {
    port: 5173,
    proxy: { '^/(api|v1|session|assets/icon\\.svg)': { target: 'http://127.0.0.1:8080', changeOrigin: false } },
  },
});
