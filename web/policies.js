import { Pages } from './api.js';
import { button, byId, counted, detail, make, plain, quiet, row, tableOf, when } from './elements.js';
import { attempt, rest, say } from './lists.js';
import { showOutcomes } from './outcomes.js';
import { select } from './tabs.js';

/** @typedef {import('./lists.js').Organization} Organization */

/** @param {string} name */
export function showRunsOf(name) {
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
export async function showPolicies(organization, panel) {
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
    make('label', { for: 'workspace-name' }, 'Workspace name'),
    make('div', { class: 'line' }, field, make('button', { type: 'submit' }, 'Show runs')),
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
    place.append(quiet(`${name} has no runs.`));
    return say('');
  }
  const table = tableOf(`Runs of ${name}, newest first`, ['Run', 'Status', 'Created', 'Policies']);
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
