import type { Page } from 'puppeteer-core';

/**
 * Runs in the page and returns its accessibility faults: text with too little contrast (WCAG 2.2, AA), controls
 * without a name, tables without headers, images without alternative text, headings that skip a level, duplicate ids.
 */
const look = `(() => {
  const faults = [];
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const excerpt = (element) => element.outerHTML.slice(0, 100);

  const paper = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    paper.clearRect(0, 0, 1, 1);
    paper.fillStyle = color;
    paper.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paper.getImageData(0, 0, 1, 1).data;
    return { red, green, blue, alpha: alpha / 255 };
  };
  const luminance = ({ red, green, blue }) => {
    const [r, g, b] = [red, green, blue].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color.alpha === 1) return color;
      if (color.alpha > 0) faults.push('a background that is seen through: ' + excerpt(at));
    }
    return rgba('Canvas');
  };
  for (const element of all('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (!own || element.closest('.unseen, .skip, option, noscript')) continue;
    const { color, fontSize, fontWeight, opacity } = getComputedStyle(element);
    const [light, dark] = [luminance(rgba(color)), luminance(behind(element))].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
    if (opacity !== '1' || ratio < (large ? 3 : 4.5)) faults.push('contrast ' + ratio.toFixed(2) + ': ' + excerpt(element));
  }

  for (const element of all('a, button, input, select, [tabindex="0"]')) {
    const labels = [...(element.labels ?? [])].map((label) => label.textContent).join('');
    const by = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '');
    const text = ['INPUT', 'SELECT'].includes(element.tagName) || element.hasAttribute('tabindex') && !element.matches('a, button') ? '' : element.textContent;
    const name = [labels, element.getAttribute('aria-label') ?? '', ...by, text].join('').trim();
    if (name === '') faults.push('no name: ' + excerpt(element));
  }
  for (const table of all('table')) {
    if (table.caption === null) faults.push('no caption: ' + excerpt(table));
    if (table.querySelector('th:not([scope])') !== null) faults.push('a head without scope: ' + excerpt(table));
    for (const row of table.tBodies[0].rows) {
      if (row.cells[0].tagName !== 'TH') faults.push('no head: ' + excerpt(row));
    }
  }
  for (const picture of all('img:not([alt])')) faults.push('no text: ' + excerpt(picture));
  let level = 0;
  for (const heading of all('h1, h2, h3, h4')) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) faults.push('skips a level: ' + excerpt(heading));
    level = next;
  }
  for (const [selector, count] of [['h1', 1], ['main', 1], ['body > header', 1], ['nav[aria-label]', 1]]) {
    if (all(selector).length !== count) faults.push(all(selector).length + ' of ' + selector);
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  faults.push(...ids.filter((id, index) => ids.indexOf(id) < index).map((id) => 'twice: ' + id));
  if (document.documentElement.lang === '' || document.title === '') faults.push('no language, or no title');
  const wider = document.documentElement.scrollWidth - innerWidth;
  if (wider > 0) faults.push('wider than the screen by ' + wider);
  return faults;
})()`;

/** The faults of the current page, as sentences. */
export const faultsOn = async (page: Page): Promise<readonly string[]> => (await page.evaluate(look)) as string[];
