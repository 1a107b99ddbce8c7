// Puts beside the compiled code what it reads: the examples of the API's description, and what browsers load: the pages, and of Swagger UI the files that /docs needs. Its package
// stays here, because one that it brings reports to others where it was installed.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const target = 'dist/adapters/http/web/';

const pages = readdirSync(at('web')).filter((name) => /\.(js|html|css|svg)$/.test(name));
const notices = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];

// A page that is gone must not stay.
rmSync(at(`${target}pages/`), { recursive: true, force: true });

const reference = 'adapters/http/openapi/';

for (const [from, to, names] of [
  [`src/${reference}`, `dist/${reference}`, ['examples.json']],
  ['web/', `${target}pages/`, pages],
  ['node_modules/swagger-ui-dist/', `${target}swagger-ui/`, ['swagger-ui-bundle.js', 'swagger-ui.css', ...notices]],
]) {
  mkdirSync(at(to), { recursive: true });
  for (const name of names) cpSync(at(from + name), at(to + name));
}
