/**
 * @typedef {{ tags: string[], operationId: string, summary: string }} Operation
 * @typedef {Record<string, Record<string, Operation>>} Paths
 * @typedef {Record<string, Record<string, unknown>>} Components
 * @typedef {{ name: string }} Area
 * @typedef {{ openapi: string, info: { title: string, version: string }, servers: { url: string, description?: string }[], tags: Area[], paths: Paths, components: Components }} Description
 * @type {(options: Record<string, unknown>) => { specActions: { updateSpec: (text: string) => void } }}
 */
const showReference = Reflect.get(globalThis, 'SwaggerUIBundle');

/** @type {(id: string) => HTMLElement} */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const told = element('told');

/** How long typing must pause before operations are listed, in milliseconds. */
const pause = 100;

/** The operations that are listed at most. */
const longest = 100;

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
 * An operation with its place in the description.
 *
 * @typedef {{ area: string, method: string, path: string, operation: Operation, href: string }} Entry
 * @type {(whole: Description) => Entry[]}
 */
const entriesOf = (whole) =>
  whole.tags.flatMap(({ name: area }) =>
    Object.entries(whole.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { tags }]) => tags.includes(area))
        .map(([method, operation]) => ({
          area,
          method,
          path,
          operation,
          // As Swagger UI writes addresses.
          href: `#/${encodeURIComponent(area)}/${operation.operationId}`,
        })),
    ),
  );

/**
 * A schema of OpenAPI 3.1 as 3.0 writes it: without the type `null`.
 *
 * @type {(schema: any) => unknown}
 */
function older({ type, anyOf, const: only, ...schema }) {
  if (only !== undefined) return { ...schema, enum: [only] };
  const kinds = anyOf ?? type.map((/** @type {string} */ one) => ({ type: one }));
  const others = kinds.filter((/** @type {{ type?: string }} */ one) => one.type !== 'null');
  const isNullable = others.length < kinds.length && { nullable: true };
  if (others.length === 1 && !('$ref' in others[0])) return { ...others[0], ...schema, ...isNullable };
  return { ...schema, anyOf: others, ...isNullable };
}

/**
 * The part of a description that is about one operation. Swagger UI takes seconds of the processor for more of it.
 *
 * @type {(whole: Description, entry: Entry) => Description}
 */
function partOf(whole, { area, method, path, operation }) {
  const paths = { [path]: { [method]: operation } };
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
  const part = { paths, components };
  // Swagger UI takes a third of the time for 3.0.
  const schemas = JSON.parse(JSON.stringify(part), (_, value) =>
    Array.isArray(value?.type ?? value?.anyOf) || value?.const !== undefined ? older(value) : value,
  );
  return { ...whole, openapi: '3.0.3', tags: whole.tags.filter(({ name }) => name === area), ...schemas };
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
  const entries = entriesOf(whole);
  const links = whole.tags.map(({ name }) => {
    const link = document.createElement('a');
    link.href = `#/${encodeURIComponent(name)}`;
    link.textContent = name;
    return link;
  });
  element('areas').append(...links);

  /** The operation that the address names, or the first of its area. */
  const named = () =>
    entries.find(({ href }) => href === location.hash) ??
    entries.find(({ href }) => href.startsWith(`${location.hash}/`)) ??
    entries[0];
  let current = named();

  const search = /** @type {HTMLInputElement} */ (element('search'));
  /** Lists what is searched for, or else the operations of the current area. */
  const list = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries.filter(({ area, method, path, operation: { summary, operationId } }) => {
      if (words.length === 0) return area === current?.area;
      const text = `${method} ${path} ${summary} ${operationId}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    element('listed').replaceChildren(
      ...found.slice(0, longest).map(({ href, method, path, operation: { summary } }) => {
        const item = document.createElement('li');
        const link = document.createElement('a');
        link.href = href;
        link.dataset.path = path;
        link.ariaCurrent = href === current?.href ? 'true' : null;
        const place = document.createElement('code');
        place.textContent = `${method.toUpperCase()} ${path}`;
        link.append(summary, ' ', place);
        item.append(link);
        return item;
      }),
    );
    element('found').textContent =
      found.length > longest ? `The first ${longest} of ${found.length} operations are listed.` : '';
    for (const link of links) link.ariaCurrent = link.textContent === current?.area ? 'true' : null;
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing;
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(list, pause);
  });
  list();

  const { title, version } = whole.info;
  /** The introduction is shown until an operation is chosen. */
  const introduced = () => (location.hash === current?.href ? { ...whole, info: { title, version } } : whole);
  const part = () => (current === undefined ? whole : partOf(introduced(), current));
  const { specActions } = showReference({
    spec: part(),
    dom_id: '#reference',
    docExpansion: 'full',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    deepLinking: false,
    persistAuthorization: false,
    queryConfigEnabled: false,
    syntaxHighlight: false,
    validatorUrl: null,
  });
  // The same instance, which keeps the token.
  addEventListener('hashchange', () => {
    const next = named();
    if (next === current) return;
    current = next;
    list();
    element('reference').scrollIntoView();
    specActions.updateSpec(JSON.stringify(part()));
  });
  told.hidden = true;
} catch (error) {
  told.textContent = `The API description could not be loaded: ${/** @type {Error} */ (error).message}. Reload the page.`;
  told.setAttribute('role', 'alert');
}
