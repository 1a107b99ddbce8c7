import { showAccess } from './access.js';
import { Client, Pages } from './api.js';
import { byId, make, mark } from './elements.js';
import { attempt, onTokenRefused, say } from './lists.js';
import { showPolicies } from './policies.js';
import { selectAgain, whenOpened } from './tabs.js';
import { showTokens } from './tokens.js';
import { showWorkspaces } from './workspaces.js';

const health = byId('health');
const enter = /** @type {HTMLFormElement} */ (byId('enter'));
const tokenField = /** @type {HTMLInputElement} */ (byId('token'));
const refused = byId('refused');
const sessionPart = byId('session');
const organizations = /** @type {HTMLSelectElement} */ (byId('organization'));
const moreOrganizations = /** @type {HTMLButtonElement} */ (byId('more-organizations'));
const organizationView = byId('organization-view');

const panels = { workspaces: showWorkspaces, access: showAccess, tokens: showTokens, policies: showPolicies };

// Health

async function askHealth() {
  health.replaceChildren('Checking…');
  const status = await fetch('readyz', { cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(10_000) })
    .then((answer) => answer.text().then(() => answer.status))
    .catch(() => 0);
  if (status === 200) health.replaceChildren(mark('good', 'Ready'));
  else if (status === 0) health.replaceChildren(mark('bad', 'No response'));
  else health.replaceChildren(mark('bad', `Not ready (${status})`));
}

byId('check').addEventListener('click', askHealth);
void askHealth();

// The token, and the organizations it opens

/** @type {{ client: Client, organizations: Pages } | undefined} */
let session;
/** What belongs to the organization that is being looked at; aborted with it. */
let view = new AbortController();

/** @param {string} reason Empty when the user asked for it. */
function forget(reason) {
  session?.client.forget();
  session = undefined;
  view.abort();
  tokenField.value = '';
  organizations.replaceChildren();
  for (const panel of organizationView.querySelectorAll('[role=tabpanel]')) panel.replaceChildren();
  organizationView.hidden = true;
  sessionPart.hidden = true;
  enter.hidden = false;
  say('');
  refused.textContent = reason;
  refused.hidden = reason === '';
  tokenField.focus();
}

enter.addEventListener('submit', (event) => {
  event.preventDefault();
  const token = tokenField.value.trim();
  if (token === '') return;
  tokenField.value = '';
  refused.hidden = true;
  if (!/^[\x21-\x7e]+$/.test(token))
    return forget('This is not a token: tokens contain only ASCII characters and no spaces.');
  const client = new Client(token);
  session = { client, organizations: new Pages(client, 'organizations', new AbortController().signal, 100) };
  enter.hidden = true;
  sessionPart.hidden = false;
  organizations.focus();
  void attempt(sessionPart, readOrganizations);
});

async function readOrganizations() {
  if (session === undefined) return;
  const { organizations: pages } = session;
  const before = pages.items.length;
  say('Loading organizations…');
  await pages.more();
  for (const { id, attributes } of pages.items.slice(before)) {
    organizations.append(make('option', { value: attributes.name ?? id }, attributes.name ?? id));
  }
  if (!pages.hasMore && document.activeElement === moreOrganizations) organizations.focus();
  moreOrganizations.hidden = !pages.hasMore;
  say(pages.total === 0 ? 'This token belongs to no organization.' : '');
  if (before === 0 && pages.total > 0) open(organizations.value);
}

moreOrganizations.addEventListener('click', () => attempt(sessionPart, readOrganizations));
organizations.addEventListener('change', () => open(organizations.value));
byId('choose').addEventListener('submit', (event) => event.preventDefault());
byId('forget').addEventListener('click', () => forget(''));
onTokenRefused(forget);
// A page that is kept for the way back would keep the token with it, also one that was typed and never used.
addEventListener('pagehide', () => forget(''));

// One organization

/** @param {string} name */
function open(name) {
  if (session === undefined) return;
  view.abort();
  view = new AbortController();
  const { client } = session;
  const { signal } = view;
  const path = `organizations/${encodeURIComponent(name)}`;
  const organization = {
    client,
    path,
    signal,
    workspaces: new Pages(client, `${path}/workspaces`, signal, 20),
    teams: new Pages(client, `${path}/teams`, signal, 100),
  };
  say('');
  for (const [what, show] of Object.entries(panels)) {
    const panel = byId(`panel-${what}`);
    panel.replaceChildren();
    whenOpened(what, () => attempt(panel, () => show(organization, panel)));
  }
  organizationView.hidden = false;
  selectAgain();
}
