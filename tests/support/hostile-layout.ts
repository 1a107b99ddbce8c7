import type { Page } from 'puppeteer-core';

/**
 * Runs in the page. Returns a sentence for each text that leaves the screen, that lies on a control, or that another
 * text on its line has put out of its order.
 */
const look = `(() => {
  const faults = [];
  const quote = (text) => JSON.stringify(text.trim().slice(0, 40));
  const styleOf = (element) => getComputedStyle(element);
  // Words for screen readers are clipped, and notices lie above the page.
  const isSeen = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    for (let at = element; at !== null; at = at.parentElement) {
      const { clipPath, position } = styleOf(at);
      if (clipPath !== 'none' || position === 'fixed') return false;
    }
    return true;
  };
  const scrolls = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      if (at !== document.documentElement && styleOf(at).overflowX !== 'visible') return true;
    }
    return false;
  };
  const rectsOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
  };
  const isBlock = ({ display }) => !/^(inline$|contents)/.test(display);
  const blockOf = (node) => {
    let at = node.parentElement;
    while (!isBlock(styleOf(at))) at = at.parentElement;
    return at;
  };

  const wider = document.documentElement.scrollWidth - innerWidth;
  if (wider > 0) faults.push('the page is ' + wider + ' pixels wider than the screen');

  const controls = [...document.querySelectorAll('a, button, input, select, textarea, summary')]
    .filter(isSeen)
    .map((element) => ({ element, rects: [...element.getClientRects()] }));
  const meet = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3;
  const nameOf = (element) => element.tagName.toLowerCase() + ' ' + quote(element.innerText || element.ariaLabel || element.name || '');

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const parent = node.parentElement;
    if (node.data.trim() === '' || /^(SCRIPT|STYLE|OPTION|NOSCRIPT)$/.test(parent.tagName) || !isSeen(parent)) continue;
    const rects = rectsOf(node);
    if (rects.length > 0) texts.push({ node, parent, rects, block: blockOf(node) });
  }

  for (const { node, parent, rects } of texts) {
    const out = rects.find(({ left, right }) => right > innerWidth + 1 || left < -1);
    if (out !== undefined && !scrolls(parent)) faults.push(quote(node.data) + ' leaves the screen');
    for (const { element, rects: taken } of controls) {
      if (element.contains(node) || scrolls(parent)) continue;
      if (rects.some((rect) => taken.some((one) => meet(rect, one)))) {
        faults.push(quote(node.data) + ' lies on the ' + nameOf(element));
      }
    }
  }
  for (const [index, { element, rects }] of controls.entries()) {
    for (const other of controls.slice(index + 1)) {
      if (element.contains(other.element) || other.element.contains(element) || scrolls(element)) continue;
      if (rects.some((rect) => other.rects.some((one) => meet(rect, one)))) {
        faults.push('the ' + nameOf(element) + ' lies on the ' + nameOf(other.element));
      }
    }
  }

  // Words of the page are from left to right: texts that follow each other on a line do so to the right.
  for (const [index, { node, block, rects }] of texts.entries()) {
    const next = texts[index + 1];
    if (next === undefined || next.block !== block) continue;
    const end = rects.at(-1);
    const line = next.rects.filter(({ top, bottom }) => top < end.bottom - 2 && bottom > end.top + 2);
    const own = rects.filter(({ top, bottom }) => top < end.bottom - 2 && bottom > end.top + 2);
    if (line.length === 0) continue;
    if (Math.min(...line.map(({ left }) => left)) < Math.max(...own.map(({ right }) => right)) - 2) {
      faults.push(quote(node.data) + ' and ' + quote(next.node.data) + ' are out of their order');
    }
  }
  return [...new Set(faults)];
})()`;

/** The faults in the layout of the whole page, as sentences. */
export const layoutFaults = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate(look)) as readonly string[];
