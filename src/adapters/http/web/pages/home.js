import { Client, Pages, Refused } from './api.js';

/** @typedef {import('./api.js').Resource} Resource */

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const health = byId('health');
const enter = /** @type {HTMLFormElement} */ (byId('enter'));
const tokenField = /** @type {HTMLInputElement} */ (byId('token'));
const refused = byId('refused');
const sessionPart = byId('session');
const organizations = /** @type {HTMLSelectElement} */ (byId('organization'));
const moreOrganizations = /** @type {HTMLButtonElement} */ (byId('more-organizations'));
const progress = byId('progress');
const organizationView = byId('organization-view');

/**
 * An element. Text is only ever set as text: what an organization calls its things is not ours to trust.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * @param {string} label
 * @param {() => unknown} onClick
 * @param {Record<string, string>} attributes
 */
function button(label, onClick, attributes = {}) {
  const element = make('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', onClick);
  return element;
}

/** @param {string} text */
const say = (text) => {
  progress.textContent = text;
};

/** @param {string} instant */
const shortInstant = (instant) => `${instant.slice(0, 10)} ${instant.slice(11, 16)}`;

/** @param {string | null | undefined} instant */
const when = (instant) => (instant ? make('time', { datetime: instant }, `${shortInstant(instant)} UTC`) : '–');

/** @param {number} count @param {string} one */
const counted = (count, one) => `${count} ${one}${count === 1 ? '' : 's'}`;

/** @param {string} word */
const plain = (word) => word.replaceAll(/[_-]/g, ' ');

/**
 * A word with a sign before it and a colour: each says the same.
 * @param {'good' | 'bad' | 'warn' | 'none'} kind
 * @param {string} text
 */
const mark = (kind, text) =>
  make('span', { class: `mark ${kind}` }, make('span', { 'aria-hidden': 'true' }, signs[kind]), ` ${text}`);

const signs = { good: '✓', bad: '✕', warn: '!', none: '·' };

/**
 * A table in a box of its own that scrolls, also by keyboard.
 * @param {string} caption
 * @param {readonly string[]} heads
 */
function tableOf(caption, heads) {
  const head = make('tr');
  const body = make('tbody');
  const label = `table-${Math.random().toString(36).slice(2)}`;
  const table = make(
    'table',
    {},
    make('caption', { id: label }, make('span', {}, caption)),
    make('thead', {}, head),
    body,
  );
  const box = make('div', { class: 'box', role: 'region', tabindex: '0', 'aria-labelledby': label }, table);
  const setHeads = (/** @type {readonly string[]} */ texts) =>
    head.replaceChildren(...texts.map((text) => make('th', { scope: 'col' }, text)));
  setHeads(heads);
  return { box, body, setHeads };
}

/**
 * A row whose first cell is its head.
 * @param {Node | string} first
 * @param {(Node | string)[]} others
 */
const row = (first, ...others) =>
  make('tr', {}, make('th', { scope: 'row' }, first), ...others.map((cell) => make('td', {}, cell)));

/** @param {string | null | undefined} text What stands below it in small. */
const detail = (text) => make('span', { class: 'detail' }, text ?? '');

/** @param {string} text */
const quiet = (text) => make('p', { class: 'quiet' }, text);

/**
 * Where what had the focus goes away; left alone, the browser would begin at the top again.
 * @param {Element} place
 */
function focusOn(place) {
  place.setAttribute('tabindex', '-1');
  /** @type {HTMLElement} */ (place).focus();
}

/** @param {unknown} error */
const isAbort = (error) => error instanceof DOMException && error.name === 'AbortError';

/**
 * Does what reads from the service, and tells at `place` what kept it from it.
 * @param {Element} place
 * @param {() => Promise<unknown>} work
 */
async function attempt(place, work) {
  const problem = place.querySelector(':scope > .problem');
  const had = problem?.contains(document.activeElement);
  problem?.remove();
  if (had) focusOn(place);
  place.setAttribute('aria-busy', 'true');
  try {
    await work();
  } catch (error) {
    if (isAbort(error)) return;
    if (error instanceof Refused && error.status === 401) return forget(error.message);
    const text = error instanceof Refused ? error.message : `This page failed: ${error}`;
    say('');
    const again = button('Try again', () => attempt(place, work), { class: 'small' });
    place.append(make('p', { class: 'problem', role: 'alert' }, `${text} `, again));
    if (had && document.activeElement === place) again.focus();
  } finally {
    place.removeAttribute('aria-busy');
  }
}

/**
 * Says how much of a list is there, with a way to the rest of it.
 * @param {Pages} pages
 * @param {string} one What there are several of.
 * @param {Element} place Where a failure is told.
 * @param {() => Promise<unknown>} onMore
 */
function rest(pages, one, place, onMore) {
  const line = make('p', { class: 'rest' });
  const show = () => {
    const had = line.contains(document.activeElement);
    line.replaceChildren(`${pages.items.length} of ${counted(pages.total, one)} `);
    if (pages.hasMore) line.append(button(`More ${one}s`, () => attempt(place, more), { class: 'small' }));
    if (had) /** @type {HTMLElement | null} */ (line.querySelector('button') ?? place.querySelector('.box'))?.focus();
  };
  const more = async () => {
    say(`Loading more ${one}s…`);
    await pages.more();
    await onMore();
    show();
    say(`${pages.items.length} of ${counted(pages.total, one)} shown.`);
  };
  show();
  return { line, show };
}

// Health

async function askHealth() {
  health.replaceChildren('Asking…');
  const status = await fetch('readyz', { cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(10_000) })
    .then((answer) => answer.text().then(() => answer.status))
    .catch(() => 0);
  if (status === 200) health.replaceChildren(mark('good', 'Ready'));
  else if (status === 0) health.replaceChildren(mark('bad', 'No answer'));
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
    return forget('This is no token: tokens have no spaces and no letters beyond ASCII.');
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
// A page that is kept for the way back would keep the token with it, also one that was typed and never used.
addEventListener('pagehide', () => forget(''));

// One organization

/**
 * @typedef {{
 *   client: Client,
 *   path: string,
 *   signal: AbortSignal,
 *   workspaces: Pages,
 *   teams: Pages,
 * }} Organization
 */

/** What each panel does when it is first looked at. @type {Map<string, () => void>} */
const unopened = new Map();

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
    unopened.set(what, () => attempt(panel, () => show(organization, panel)));
  }
  organizationView.hidden = false;
  select(tabs.find((tab) => tab.getAttribute('aria-selected') === 'true') ?? tabs[0]);
}

const tabs = /** @type {HTMLElement[]} */ ([...organizationView.querySelectorAll('[role=tab]')]);

/** @param {HTMLElement | undefined} chosen */
function select(chosen) {
  for (const tab of tabs) {
    tab.setAttribute('aria-selected', String(tab === chosen));
    tab.tabIndex = tab === chosen ? 0 : -1;
    byId(tab.getAttribute('aria-controls') ?? '').hidden = tab !== chosen;
  }
  const what = chosen?.id.replace('tab-', '') ?? '';
  const show = unopened.get(what);
  unopened.delete(what);
  show?.();
}

for (const [index, tab] of tabs.entries()) {
  tab.addEventListener('click', () => select(tab));
  tab.addEventListener('keydown', (event) => {
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
    // With another key they are the browser's, which goes back and forth with them.
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    select(next);
    next?.focus();
  });
}
for (const tab of tabs) tab.tabIndex = -1;

/**
 * Rows for the workspaces that are there, and for more of them when asked; others may read on in the same list.
 * @param {Organization} organization
 * @param {Element} panel
 * @param {(fresh: Resource[]) => Promise<unknown>} add
 */
async function eachWorkspace({ workspaces }, panel, add) {
  let shown = 0;
  const catchUp = async () => {
    const fresh = workspaces.items.slice(shown);
    shown = workspaces.items.length;
    await add(fresh);
  };
  const { line } = rest(workspaces, 'workspace', panel, catchUp);
  panel.append(line);
  await catchUp();
}

/** Loads what a cell is to say; what may not be seen does not keep the others from being shown.
 * @param {HTMLElement} cell
 * @param {() => Promise<(Node | string)[]>} load
 */
async function fill(cell, load) {
  try {
    cell.replaceChildren(...(await load()));
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 401) throw error;
    cell.replaceChildren(error.status === 404 ? 'not to be seen' : `not loaded: ${error.message}`);
  }
}

const panels = { workspaces: showWorkspaces, access: showAccess, tokens: showTokens, policies: showPolicies };

// Workspaces

const badStatuses = ['errored', 'backing_data_permanently_deleted', 'backing_data_soft_deleted'];

/**
 * @param {Organization} organization
 * @param {HTMLElement} panel
 */
async function showWorkspaces(organization, panel) {
  say('Loading workspaces…');
  await organization.workspaces.begin();
  if (organization.workspaces.total === 0) {
    panel.append(quiet('There is no workspace that this token may see.'));
    return say('');
  }
  const table = tableOf('Workspaces, each with its current configuration version', [
    'Workspace',
    'Current version',
    'Status',
    'Source',
    'Lock',
    'Runs',
  ]);
  panel.append(table.box);
  await eachWorkspace(organization, panel, (fresh) => Promise.all(fresh.map((workspace) => add(workspace))));
  say(`${counted(organization.workspaces.items.length, 'workspace')} shown.`);

  /** @param {Resource} workspace */
  async function add({ attributes, relationships }) {
    const id = relationships['current-configuration-version']?.data?.id;
    const status = make('td', {}, id === undefined ? '–' : '…');
    const source = make('td', {}, id === undefined ? '–' : '…');
    const line = row(attributes.name, id === undefined ? 'none yet' : make('code', {}, id));
    const runs = button('Runs', () => showRunsOf(attributes.name), {
      class: 'small',
      'aria-label': `Runs of ${attributes.name}`,
    });
    line.append(
      status,
      source,
      make('td', {}, ...(attributes.locked ? [mark('warn', 'locked'), detail(attributes['locked-reason'])] : ['open'])),
      make('td', {}, runs),
    );
    table.body.append(line);
    if (id === undefined) return;
    await fill(status, async () => {
      const { data } = await organization.client.get(
        `configuration-versions/${encodeURIComponent(id)}`,
        organization.signal,
      );
      const { status: word, 'error-message': fault, source: from } = data.attributes;
      source.textContent = from;
      const kind = word === 'uploaded' ? 'good' : badStatuses.includes(word) ? 'bad' : 'none';
      return [mark(kind, plain(word)), detail(fault)];
    });
    if (source.textContent === '…') source.textContent = '–';
  }
}

// Team access

/** Rights on every workspace that come with the organization. @param {Resource} team */
function everywhere({ attributes }) {
  const flags = attributes['organization-access'] ?? {};
  if (attributes.name === 'owners') return 'everything';
  if (flags['manage-workspaces']) return 'admin';
  if (flags['read-workspaces']) return 'read';
  return flags['manage-policies'] || flags['manage-policy-overrides'] ? 'read runs' : undefined;
}

/** From least to most. @type {Readonly<Record<string, readonly string[]>>} */
const scales = {
  runs: ['none', 'read', 'plan', 'apply'],
  variables: ['none', 'read', 'write'],
  'state-versions': ['none', 'read-outputs', 'read', 'write'],
};

/**
 * What may be read everywhere, on each scale that it is on.
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
const readEverywhere = {
  read: { runs: 'read', variables: 'read', 'state-versions': 'read' },
  'read runs': { runs: 'read' },
};

/**
 * A custom level with what the team may read everywhere: the higher of the two on every scale.
 * @param {Resource['attributes']} granted
 * @param {string | undefined} inherited
 */
function together(granted, inherited = '') {
  const all = { ...granted };
  for (const [scale, level] of Object.entries(readEverywhere[inherited] ?? {})) {
    const order = scales[scale] ?? [];
    if (order.indexOf(level) > order.indexOf(granted[scale])) all[scale] = level;
  }
  return all;
}

/** What a custom level allows, in words. @param {Resource['attributes']} attributes */
const permissionsInWords = (attributes) =>
  [
    `runs ${attributes.runs}`,
    `variables ${attributes.variables}`,
    `state ${attributes['state-versions']}`,
    `mocks ${attributes['policy-mocks']}`,
    attributes['workspace-locking'] ? 'locking' : 'no locking',
    attributes['run-tasks'] ? 'run tasks' : 'no run tasks',
  ].join(', ');

/** @param {Pages} teams @param {string} id */
const teamName = (teams, id) => teams.items.find((team) => team.id === id)?.attributes.name ?? id;

/**
 * @param {Organization} organization
 * @param {HTMLElement} panel
 */
async function showAccess(organization, panel) {
  const { client, signal, teams, workspaces } = organization;
  say('Loading teams and their access…');
  await Promise.all([teams.readMost(), workspaces.begin()]);
  const table = tableOf('Team access: a row for each workspace, a column for each team', []);
  const left = quiet('');
  panel.append(
    quiet('In italics what a team has everywhere, as the first row says; the rest was given on the workspace.'),
    table.box,
    left,
  );
  /** @typedef {{ grants: Map<string, Resource['attributes']>, cut: string }} Grants */
  /**
   * By workspace, then by team; the cells that were made, because what is opened in them is to stay open.
   * @type {{ name: string, grants: Grants | string, cells: Map<string, Node> }[]}
   */
  const rows = [];
  await eachWorkspace(organization, panel, async (fresh) => {
    const read = fresh.map(async ({ id, attributes: { name } }) => ({
      name,
      grants: await grantsOn(id),
      cells: new Map(),
    }));
    rows.push(...(await Promise.all(read)));
    draw();
  });
  say(`Access to ${counted(rows.length, 'workspace')} shown.`);

  /** @param {string} id */
  async function grantsOn(id) {
    try {
      const path = `team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${encodeURIComponent(id)}`;
      const list = new Pages(client, path, signal, 100);
      await list.readMost();
      return {
        grants: new Map(list.items.map((grant) => [grant.relationships.team?.data.id, grant.attributes])),
        cut: list.hasMore ? `${list.items.length} of ${counted(list.total, 'grant')} read` : '',
      };
    } catch (error) {
      if (!(error instanceof Refused) || error.status === 401) throw error;
      return error.status === 404 ? 'not to be seen' : `not loaded: ${error.message}`;
    }
  }

  function draw() {
    const everyone = new Map(
      teams.items.flatMap((team) => (everywhere(team) ? [[team.id, everywhere(team) ?? '']] : [])),
    );
    const granted = rows.flatMap(({ grants }) => (typeof grants === 'string' ? [] : [...grants.grants.keys()]));
    const columns = [...new Set([...everyone.keys(), ...granted])];
    table.setHeads(['Workspace', ...columns.map((id) => teamName(teams, id))]);
    const everywhereRow = row(make('em', {}, 'Every workspace'), ...columns.map((id) => everyone.get(id) ?? none()));
    everywhereRow.className = 'first';
    table.body.replaceChildren(
      everywhereRow,
      ...rows.map(({ name, grants: read, cells }) => {
        if (typeof read === 'string') {
          const line = row(name);
          line.append(make('td', { colspan: String(Math.max(1, columns.length)) }, read));
          return line;
        }
        const { grants, cut } = read;
        for (const id of columns)
          if (!cells.has(id)) cells.set(id, level(grants.get(id), everyone.get(id), cut !== ''));
        const head = cut === '' ? name : make('span', {}, name, detail(cut));
        return row(head, ...columns.map((id) => cells.get(id) ?? ''));
      }),
    );
    const others = teams.total - columns.filter((id) => teams.items.some((team) => team.id === id)).length;
    left.textContent =
      others > 0
        ? `${counted(others, 'more team')} ${others === 1 ? 'has' : 'have'} no access to the workspaces shown.`
        : '';
    if (teams.hasMore)
      left.textContent = `Of ${teams.total} teams, the names of ${teams.items.length} were read; others go by their id.`;
  }
}

const none = () =>
  make(
    'span',
    { class: 'none' },
    make('span', { 'aria-hidden': 'true' }, '–'),
    make('span', { class: 'unseen' }, 'none'),
  );

/**
 * What a team has on a workspace, by what was granted there and what it has everywhere. Nothing that is granted reaches
 * further than administering everywhere; a fixed level reaches at least as far as reading does; a custom one may not.
 * @param {Resource['attributes'] | undefined} granted
 * @param {string | undefined} inherited
 * @param {boolean} isCut Whether there may be a grant that was not read.
 */
function level(granted, inherited, isCut) {
  if (inherited !== undefined && (granted === undefined || !(inherited in readEverywhere))) {
    return make('span', { class: 'inherited' }, inherited);
  }
  if (granted === undefined) return isCut ? make('span', { class: 'none' }, 'not read') : none();
  if (granted.access !== 'custom') return make('span', { class: `level ${granted.access}` }, granted.access);
  const words = permissionsInWords(together(granted, inherited));
  const more = inherited === undefined ? '' : '; with what it may read everywhere';
  return make('details', {}, make('summary', {}, 'custom'), detail(words + more));
}

// Team tokens

const day = 24 * 3600 * 1000;
const soonDays = 7;

/** @param {string | null} instant */
function expiry(instant) {
  if (instant === null) return ['never'];
  const left = Date.parse(instant) - Date.now();
  const at = when(instant);
  if (left <= 0) return [mark('bad', 'expired'), ' ', at];
  const days = Math.floor(left / day);
  const inDays = days === 0 ? 'today or tomorrow' : `in ${counted(days, 'day')}`;
  return days < soonDays ? [mark('warn', `soon, ${inDays}`), ' ', at] : [`${inDays} `, at];
}

/**
 * @param {Organization} organization
 * @param {HTMLElement} panel
 */
async function showTokens({ client, path, signal, teams }, panel) {
  say('Loading team tokens…');
  const tokens = new Pages(client, `${path}/team-tokens`, signal, 20);
  await Promise.all([tokens.begin(), teams.readMost()]);
  if (tokens.total === 0) {
    panel.append(quiet('There is no team token that this token may manage.'));
    return say('');
  }
  const table = tableOf('Team tokens: what expires first comes first', ['Team', 'Expires', 'Last used', 'Created']);
  let shown = 0;
  const add = async () => {
    for (const { attributes, relationships } of tokens.items.slice(shown)) {
      const expires = make('span', {}, ...expiry(attributes['expired-at']));
      const used = attributes['last-used-at'] === null ? 'never' : when(attributes['last-used-at']);
      const team = teamName(teams, relationships.team?.data.id);
      table.body.append(row(team, expires, used, when(attributes['created-at'])));
    }
    shown = tokens.items.length;
  };
  await add();
  panel.append(table.box, rest(tokens, 'token', panel, add).line);
  say(`${counted(shown, 'team token')} shown.`);
}

// Policy outcomes

/** @param {string} name */
function showRunsOf(name) {
  const tab = byId('tab-policies');
  select(tab);
  const field = /** @type {HTMLInputElement} */ (byId('workspace-name'));
  field.value = name;
  field.form?.requestSubmit();
  field.focus();
}

/** Aborted when another workspace is asked for. */
let runsView = new AbortController();
/** Aborted when another run is. */
let runView = new AbortController();

/**
 * @param {Organization} organization
 * @param {HTMLElement} panel
 */
async function showPolicies(organization, panel) {
  const field = make('input', {
    id: 'workspace-name',
    autocomplete: 'off',
    spellcheck: 'false',
    required: '',
    list: 'workspace-names',
  });
  const names = make('datalist', { id: 'workspace-names' });
  const runs = make('div');
  const form = make(
    'form',
    {},
    make('label', { for: 'workspace-name' }, 'Name of the workspace'),
    make('div', { class: 'line' }, field, make('button', { type: 'submit' }, 'Show its runs')),
    names,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    runsView.abort();
    runView.abort();
    runsView = new AbortController();
    const signal = AbortSignal.any([organization.signal, runsView.signal]);
    runs.replaceChildren();
    void attempt(runs, () => showRuns(organization, field.value.trim(), signal, runs));
  });
  say('');
  panel.append(form, runs);
  // By itself: the form works without, and is not to be made again when only this is tried again.
  await attempt(panel, async () => {
    await organization.workspaces.begin();
    names.append(...organization.workspaces.items.map(({ attributes }) => make('option', { value: attributes.name })));
  });
}

/**
 * @param {Organization} organization
 * @param {string} name
 * @param {AbortSignal} signal
 * @param {HTMLElement} place
 */
async function showRuns({ client, path }, name, signal, place) {
  say(`Loading the runs of ${name}…`);
  const workspace = await client.get(`${path}/workspaces/${encodeURIComponent(name)}`, signal);
  const runs = new Pages(client, `workspaces/${encodeURIComponent(workspace.data.id)}/runs`, signal, 10);
  await runs.begin();
  if (runs.total === 0) {
    place.append(quiet(`${name} has no run.`));
    return say('');
  }
  const table = tableOf(`Runs of ${name}: the newest comes first`, ['Run', 'Status', 'Created', 'Policies']);
  const outcomes = make('div', { class: 'outcomes' });
  let shown = 0;
  const add = async () => {
    for (const { id, attributes } of runs.items.slice(shown)) {
      const label = make('span', {}, make('code', {}, id), detail(attributes.message));
      const show = button('Outcomes', () => openRun(id), { class: 'small', 'aria-label': `Policy outcomes of ${id}` });
      table.body.append(row(label, plain(attributes.status), when(attributes['created-at']), show));
    }
    shown = runs.items.length;
  };
  await add();
  place.append(table.box, rest(runs, 'run', place, add).line, outcomes);
  say(`${counted(runs.total, 'run')} of ${name}.`);

  /** @param {string} id */
  function openRun(id) {
    runView.abort();
    runView = new AbortController();
    const wanted = AbortSignal.any([signal, runView.signal]);
    outcomes.replaceChildren();
    void attempt(outcomes, () => showOutcomes(client, id, wanted, outcomes));
  }
}

/** By how they are told, the gravest first. @type {readonly (readonly ['bad' | 'warn' | 'good', string])[]} */
const results = [
  ['bad', 'Failed'],
  ['bad', 'Errored'],
  ['warn', 'Advisory'],
  ['good', 'Passed'],
];

/** @param {{ status: string, enforcement_level: string | null }} outcome */
function resultOf({ status, enforcement_level }) {
  if (status === 'passed') return 'Passed';
  if (status === 'errored') return 'Errored';
  return enforcement_level === 'advisory' ? 'Advisory' : 'Failed';
}

/** The most of one policy's output that is shown. */
const mostOutput = 4000;

/** @param {unknown[] | null} output */
function said(output) {
  if (output === null || output.length === 0) return '–';
  const text = output.map((part) => (typeof part === 'string' ? part : JSON.stringify(part, null, 2))).join('\n');
  const cut = text.length > mostOutput ? `${text.slice(0, mostOutput)}…` : text;
  return make('details', {}, make('summary', {}, 'Output'), make('pre', {}, cut));
}

/**
 * @param {Client} client
 * @param {string} runId
 * @param {AbortSignal} signal
 * @param {HTMLElement} place
 */
async function showOutcomes(client, runId, signal, place) {
  say(`Loading the policy outcomes of ${runId}…`);
  const stages = await client.get(`runs/${encodeURIComponent(runId)}/task-stages`, signal);
  const heading = make('h3', { tabindex: '-1' }, 'Policy outcomes of ', make('code', {}, runId));
  const tally = make('ul', { class: 'tally' });
  const counts = quiet('');
  const warnings = make('ul', { class: 'quiet' });
  const table = tableOf(`What the policies said of ${runId}`, [
    'Result',
    'Policy',
    'Policy set',
    'Enforcement',
    'It said',
  ]);
  /** @type {Resource[]} */
  const evaluations = [];
  for (const stage of stages.data) {
    const { data } = await client.get(`task-stages/${encodeURIComponent(stage.id)}/policy-evaluations`, signal);
    evaluations.push(...data);
  }
  if (evaluations.length === 0) {
    place.append(heading, quiet('No policy applied to this run.'));
    heading.focus();
    return say('');
  }
  const lists = evaluations.map(
    ({ id }) => new Pages(client, `policy-evaluations/${encodeURIComponent(id)}/policy-set-outcomes`, signal, 100),
  );
  await Promise.all(lists.map((list) => list.readMost()));
  const statuses = [
    ...stages.data.map(
      (/** @type {Resource} */ { attributes: { stage, status } }) => `${plain(stage)}: ${plain(status)}`,
    ),
    ...evaluations.map(({ attributes }) => `${attributes['policy-kind']} policies: ${plain(attributes.status)}`),
  ];
  place.append(heading, quiet(`${statuses.join('; ')}.`), tally, counts, warnings, table.box);
  /** What is opened in them is to stay open. @type {Map<Resource, ReturnType<typeof outcomesOf>>} */
  const made = new Map();
  draw();
  for (const list of lists) {
    if (!list.hasMore) continue;
    const { line } = rest(list, 'policy set', place, async () => draw());
    place.append(line);
  }
  heading.focus();

  function draw() {
    const sets = lists.flatMap(({ items }) => items);
    for (const set of sets) if (!made.has(set)) made.set(set, outcomesOf(set.attributes));
    const all = sets.flatMap((set) => made.get(set) ?? []);
    const total = lists.reduce((sum, list) => sum + list.total, 0);
    const part = lists.some((list) => list.hasMore) ? `${sets.length} of ${counted(total, 'policy set')}` : '';
    counts.textContent = part === '' ? '' : `Counted in ${part}. What the others said is not known yet.`;
    counts.hidden = part === '';
    warnings.replaceChildren(
      ...sets.flatMap(({ attributes }) =>
        attributes.warnings.map((/** @type {string} */ text) =>
          make('li', {}, mark('warn', 'warning'), ` of ${attributes['policy-set-name']}: ${text}`),
        ),
      ),
    );
    warnings.hidden = warnings.childElementCount === 0;
    tally.replaceChildren(
      ...results.map(([kind, result]) => {
        const count = all.filter((outcome) => outcome.result === result).length;
        return make(
          'li',
          {},
          make('strong', {}, String(count)),
          ' ',
          mark(count === 0 ? 'none' : kind, result.toLowerCase()),
        );
      }),
    );
    table.body.replaceChildren(
      ...results.flatMap(([kind, result]) =>
        all
          .filter((outcome) => outcome.result === result)
          .map(({ policy, about, set, enforcement, output }) =>
            row(mark(kind, result), make('span', {}, policy, detail(about)), set, enforcement, output),
          ),
      ),
    );
    say(
      `${counted(all.length, 'policy outcome')} of ${runId}${part && `, in ${part}`}: ${results.map(([, result]) => `${all.filter((outcome) => outcome.result === result).length} ${result.toLowerCase()}`).join(', ')}.`,
    );
  }
}

/** @param {Resource['attributes']} set */
function outcomesOf(set) {
  const name = set['policy-set-name'];
  const whole = set.error
    ? [{ result: 'Errored', policy: 'the whole set', about: '', set: name, enforcement: '–', output: set.error }]
    : [];
  return [
    ...whole,
    ...set.outcomes.map((/** @type {any} */ outcome) => ({
      result: resultOf(outcome),
      policy: outcome.policy_name,
      about: outcome.description ?? '',
      set: name,
      enforcement: outcome.enforcement_level ?? '–',
      output: said(outcome.output),
    })),
  ];
}
