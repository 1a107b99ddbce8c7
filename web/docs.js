/**
 * @typedef {{ servers: { url: string, description?: string }[], paths: Record<string, object> }} Description
 * @type {(options: Record<string, unknown>) => unknown}
 */
const showReference = Reflect.get(globalThis, 'SwaggerUIBundle');

const told = /** @type {HTMLElement} */ (document.getElementById('told'));

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
  const spec = await description();
  // Where this page came from, whatever the service is called elsewhere: the only place that it may call.
  const here = new URL('.', document.baseURI).href.replace(/\/$/, '');
  spec.servers = [{ url: here, description: 'this service' }];
  showReference({
    spec,
    dom_id: '#reference',
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    filter: true,
    tryItOutEnabled: true,
    deepLinking: true,
    persistAuthorization: false,
    queryConfigEnabled: false,
    validatorUrl: null,
  });
  told.hidden = true;
} catch (error) {
  told.textContent = `The API description could not be loaded: ${/** @type {Error} */ (error).message}. Reload the page.`;
  told.setAttribute('role', 'alert');
}
