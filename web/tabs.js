import { byId } from './elements.js';

/** What each panel does when it is first looked at. @type {Map<string, () => void>} */
const unopened = new Map();

/**
 * Has `show` called when the panel is looked at next.
 * @param {string} what
 * @param {() => void} show
 */
export const whenOpened = (what, show) => unopened.set(what, show);

const tabs = /** @type {HTMLElement[]} */ ([...byId('organization-view').querySelectorAll('[role=tab]')]);

/** @param {HTMLElement | undefined} chosen */
export function select(chosen) {
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

/** Looks at the panel that was looked at, or at the first. */
export const selectAgain = () => select(tabs.find((tab) => tab.getAttribute('aria-selected') === 'true') ?? tabs[0]);
