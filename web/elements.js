/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * An element. Text is only ever set as text: what an organization calls its things is not ours to trust.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
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
export function button(label, onClick, attributes = {}) {
  const element = make('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', onClick);
  return element;
}

/** @param {string} instant */
const shortInstant = (instant) => `${instant.slice(0, 10)} ${instant.slice(11, 16)}`;

/** @param {string | null | undefined} instant */
export const when = (instant) => (instant ? make('time', { datetime: instant }, `${shortInstant(instant)} UTC`) : '–');

/** @param {number} count @param {string} one */
export const counted = (count, one) => `${count} ${one}${count === 1 ? '' : 's'}`;

/** @param {string} word */
export const plain = (word) => word.replaceAll(/[_-]/g, ' ');

/**
 * A word with a sign before it and a colour: each says the same.
 * @param {'good' | 'bad' | 'warn' | 'none'} kind
 * @param {string} text
 */
export const mark = (kind, text) =>
  make('span', { class: `mark ${kind}` }, make('span', { 'aria-hidden': 'true' }, signs[kind]), ` ${text}`);

const signs = { good: '✓', bad: '✕', warn: '!', none: '·' };

/**
 * A table in a box of its own that scrolls, also by keyboard.
 * @param {string} caption
 * @param {readonly string[]} heads
 */
export function tableOf(caption, heads) {
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
export const row = (first, ...others) =>
  make('tr', {}, make('th', { scope: 'row' }, first), ...others.map((cell) => make('td', {}, cell)));

/** @param {string | null | undefined} text What stands below it in small. */
export const detail = (text) => make('span', { class: 'detail' }, text ?? '');

/** @param {string} text */
export const quiet = (text) => make('p', { class: 'quiet' }, text);

/**
 * Where what had the focus goes away; left alone, the browser would begin at the top again.
 * @param {Element} place
 */
export function focusOn(place) {
  place.setAttribute('tabindex', '-1');
  /** @type {HTMLElement} */ (place).focus();
}
