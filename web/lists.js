import { Refused } from './api.js';
import { button, byId, counted, focusOn, make } from './elements.js';

/** @typedef {import('./api.js').Client} Client */
/** @typedef {import('./api.js').Pages} Pages */
/** @typedef {import('./api.js').Resource} Resource */

/**
 * @typedef {{
 *   client: Client,
 *   path: string,
 *   signal: AbortSignal,
 *   workspaces: Pages,
 *   teams: Pages,
 * }} Organization
 */

const progress = byId('progress');

/** @param {string} text */
export const say = (text) => {
  progress.textContent = text;
};

/** @type {(reason: string) => void} */
let tokenRefused = () => {};

/** @param {(reason: string) => void} listener Called when the service no longer takes the token. */
export const onTokenRefused = (listener) => {
  tokenRefused = listener;
};

/** @param {unknown} error */
const isAbort = (error) => error instanceof DOMException && error.name === 'AbortError';

/**
 * Does what reads from the service, and tells at `place` what kept it from it.
 * @param {Element} place
 * @param {() => Promise<unknown>} work
 */
export async function attempt(place, work) {
  const problem = place.querySelector(':scope > .problem');
  const had = problem?.contains(document.activeElement);
  problem?.remove();
  if (had) focusOn(place);
  place.setAttribute('aria-busy', 'true');
  try {
    await work();
  } catch (error) {
    if (isAbort(error)) return;
    if (error instanceof Refused && error.status === 401) return tokenRefused(error.message);
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
export function rest(pages, one, place, onMore) {
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

/**
 * Rows for the workspaces that are there, and for more of them when asked; others may read on in the same list.
 * @param {Organization} organization
 * @param {Element} panel
 * @param {(fresh: Resource[]) => Promise<unknown>} add
 */
export async function eachWorkspace({ workspaces }, panel, add) {
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
export async function fill(cell, load) {
  try {
    cell.replaceChildren(...(await load()));
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 401) throw error;
    cell.replaceChildren(error.status === 404 ? 'not accessible' : `not loaded: ${error.message}`);
  }
}

/** @param {Pages} teams @param {string} id */
export const teamName = (teams, id) => teams.items.find((team) => team.id === id)?.attributes.name ?? id;
