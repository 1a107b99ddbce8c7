/**
 * @typedef {{ tags: string[], operationId: string }} Operation
 * @typedef {Record<string, Record<string, Operation>>} Paths
 * @typedef {Record<string, Record<string, unknown>>} Components
 * @typedef {{ name: string }} Area
 * @typedef {{ servers: { url: string, description?: string }[], tags: Area[], paths: Paths, components: Components }} Description
 * @type {(options: Record<string, unknown>) => { specActions: { updateSpec: (text: string) => void } }}
 */
const showReference = Reflect.get(globalThis, 'SwaggerUIBundle');

/** @type {(id: string) => HTMLElement} */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const told = element('told');

/** As often as a page that is opened when its address has asked for enough may need. */
const tries = 5;

/** @returns {Promise<Description>} */
async function description() {
  for (let left = tries - 1; ; left -= 1) {
    const answer = await fetch(`openapi.json?dialect=${dialect}`);
    if (answer.ok) return await answer.json();
    if (answer.status !== 429 || left === 0) throw new Error(`the service responded with ${answer.status}`);
    const seconds = Number(answer.headers.get('Retry-After')) || 1;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

/**
 * The part of a description that is about an area. Swagger UI reads all that it is given again for each operation that
 * is opened, which takes it seconds for the whole.
 *
 * @type {(whole: Description, area: string) => Description}
 */
function partOf(whole, area) {
  /** @type {Paths} */
  const paths = {};
  for (const [path, item] of Object.entries(whole.paths)) {
    const operations = Object.entries(item).filter(([, { tags }]) => tags.includes(area));
    if (operations.length > 0) paths[path] = Object.fromEntries(operations);
  }
  const { securitySchemes = {}, ...others } = whole.components;
  /** @type {Components} */
  const components = { securitySchemes };
  /** @type {unknown[]} */
  const unread = [paths];
  while (unread.length > 0) {
    for (const [, kind, name] of JSON.stringify(unread.pop()).matchAll(/"#\/components\/(\w+)\/([^"/]+)"/g)) {
      if (kind === undefined || name === undefined || components[kind]?.[name] !== undefined) continue;
      const component = others[kind]?.[name];
      components[kind] = { ...components[kind], [name]: component };
      unread.push(component);
    }
  }
  return { ...whole, tags: whole.tags.filter(({ name }) => name === area), paths, components };
}

const dialect = new URLSearchParams(location.search).get('dialect') === 'contract' ? 'contract' : 'client';
document.querySelector(`[data-dialect="${dialect}"]`)?.setAttribute('aria-current', 'page');

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

// A page that is kept for the way back would show the token again, in what was asked with it, and still use it.
addEventListener('pagehide', () => document.querySelector('main')?.remove());
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());

try {
  const whole = await description();
  // Where this page came from, whatever the service is called elsewhere: the only place that it may call.
  const here = new URL('.', document.baseURI).href.replace(/\/$/, '');
  whole.servers = [{ url: here, description: 'this service' }];
  const links = whole.tags.map(({ name }) => {
    const link = document.createElement('a');
    link.href = `#/${encodeURIComponent(name)}`;
    link.textContent = name;
    return link;
  });
  element('areas').append(...links);
  /** The link to the area that the address names, as Swagger UI writes addresses: `#/area/operation`. */
  const named = () => links.find(({ hash }) => `${location.hash}/`.startsWith(`${hash}/`)) ?? links[0];
  let current = named();
  const part = () => {
    for (const link of links) link.ariaCurrent = link === current ? 'true' : null;
    return partOf(whole, current?.textContent ?? '');
  };
  const { specActions } = showReference({
    spec: part(),
    dom_id: '#reference',
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    deepLinking: true,
    persistAuthorization: false,
    queryConfigEnabled: false,
    validatorUrl: null,
  });
  // The same instance, which keeps the token.
  addEventListener('hashchange', () => {
    const next = named();
    if (next === current) return;
    current = next;
    specActions.updateSpec(JSON.stringify(part()));
  });
  told.hidden = true;
} catch (error) {
  told.textContent = `The API description could not be loaded: ${/** @type {Error} */ (error).message}. Reload the page.`;
  told.setAttribute('role', 'alert');
}
