// Not from Jest: the script that takes the pictures uses this too.
import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type ElementHandle, Locator, type Page } from 'puppeteer-core';
import { until } from './service-steps.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Role =
  | 'button'
  | 'cell'
  | 'checkbox'
  | 'combobox'
  | 'heading'
  | 'link'
  | 'menuitem'
  | 'menuitemradio'
  | 'option'
  | 'rowheader'
  | 'searchbox'
  | 'spinbutton'
  | 'status'
  | 'textbox';

/**
 * In milliseconds. An attempt that takes longer is given up for another: the browser keeps an element that the page has
 * replaced meanwhile, and would wait for it without end.
 */
const attempt = 10_000;

const selectorOf = (role: Role, name: string): string => `aria/${name}[role="${role}"]`;

/** The console as a person uses it: everything is found by its role and accessible name. */
export class ConsolePage {
  constructor(
    readonly page: Page,
    private readonly site: string,
  ) {}

  /** The element, once it is there. */
  find(role: Role, name: string): Promise<ElementHandle> {
    return this.orText(role, name, async () => {
      const found = await this.page.waitForSelector(selectorOf(role, name), { timeout: attempt }).catch(() => null);
      return found ?? undefined;
    });
  }

  private async orText<T>(role: Role, name: string, ask: () => Promise<T | undefined>): Promise<T> {
    try {
      return await until(`there is the ${role} "${name}"`, ask);
    } catch (cause) {
      throw new Error(`no ${role} "${name}" in:\n${await this.text()}`, { cause });
    }
  }

  async has(role: Role, name: string): Promise<boolean> {
    return (await this.page.$(selectorOf(role, name))) !== null;
  }

  /** Resolves once there is none. */
  async lacks(role: Role, name: string): Promise<void> {
    await until(`there is no ${role} "${name}"`, async () => !(await this.has(role, name)));
  }

  /**
   * Presses what has these names, one after the other: the second may be in the dialog or menu that the first opens, where
   * it is a menuitem instead of a button.
   */
  async press(role: Role, ...names: readonly string[]): Promise<void> {
    for (const [index, name] of names.entries()) {
      const roles: readonly Role[] = role === 'button' && index > 0 ? ['button', 'menuitem'] : [role];
      // The locator waits until it stands still: what is read above it moves it, and a menu moves when it opens.
      const pressed = () =>
        Locator.race(roles.map((one) => this.page.locator(selectorOf(one, name))))
          .setTimeout(attempt)
          .click();
      await this.orText(role, name, () =>
        pressed().then(
          () => true,
          () => undefined,
        ),
      );
    }
  }

  /** Fills in fields, and presses the button of their form. */
  async submit(button: string, fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(fields)) await this.fill(name, text);
    await this.press('button', button);
  }

  async fill(name: string, text: string, role: Role = 'textbox'): Promise<void> {
    // A dialog that has just opened may take the focus for a moment.
    await until(`"${name}" has "${text}"`, async () => {
      const field = await this.find(role, name);
      await field.click({ count: 3 });
      await field.type(text);
      return text === (await field.evaluate((element) => Reflect.get(element, 'value')));
    });
  }

  /** Enters a date and a time, such as `2030-01-31T09:00`; how they are typed depends on the language of the browser. */
  async setInstant(name: string, local: string): Promise<void> {
    const field = await this.page.waitForSelector(`aria/${name}`);
    await field?.evaluate((element, value) => {
      const { prototype } = Reflect.get(globalThis, 'HTMLInputElement');
      Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(element, value);
      element.dispatchEvent(new Event('input', { bubbles: true }));
    }, local);
  }

  /** Chooses by the label of the option, which may still be read or searched for. */
  async choose(name: string, label: string): Promise<void> {
    const field = await this.find('combobox', name);
    if (await field.evaluate((element) => Reflect.get(element, 'tagName') === 'INPUT')) {
      await this.fill(name, label, 'combobox');
      return this.press('option', label);
    }
    await until(`"${name}" has "${label}"`, async () => {
      const list = await this.find('combobox', name);
      const value = await list.evaluate(
        (element, text) =>
          [...(element as unknown as { options: Iterable<{ text: string; value: string }> }).options].find(
            (option) => option.text === text,
          )?.value,
        label,
      );
      if (value !== undefined) await list.select(value);
      return value !== undefined;
    });
  }

  /** Drops a file on the first element that `selector` finds. */
  async drop(selector: string, file: string): Promise<void> {
    const place = await this.page.waitForSelector(selector);
    const { x, y } = (await place?.clickablePoint()) ?? { x: 0, y: 0 };
    const mouse = await this.page.createCDPSession();
    const data = { items: [], files: [file], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await mouse.send('Input.dispatchDragEvent', { type, x, y, data });
    }
  }

  async shows(text: string): Promise<void> {
    const there = `document.body.innerText.includes(${JSON.stringify(text)})`;
    await this.page.waitForFunction(there).catch(async () => {
      throw new Error(`"${text}" did not come; there is:\n${await this.text()}`);
    });
  }

  async text(): Promise<string> {
    return String(await this.page.evaluate('document.body.innerText'));
  }

  /** The texts of the cells of a row, by the name of its table and its first cell. */
  async rowOf(table: string, row: string): Promise<readonly string[]> {
    const cells = `[...document.querySelectorAll('table')]
      .filter(({ caption }) => caption.textContent === ${JSON.stringify(table)})
      .flatMap(({ rows }) => [...rows].map(({ cells }) => [...cells].map((cell) => cell.innerText.replace(/\\s+/g, ' '))))
      .find(([head]) => head === ${JSON.stringify(row)})`;
    const found = await this.page.waitForFunction(cells);
    return (await found.jsonValue()) as readonly string[];
  }

  /** The path and query of the address. */
  async address(): Promise<string> {
    return String(await this.page.evaluate('location.pathname + location.search'));
  }

  async open(path: string): Promise<void> {
    // All that may remain open is a stream of changes.
    await this.page.goto(this.site + path, { waitUntil: 'networkidle2' });
  }

  /** Opens an address and signs in there. */
  async signIn(path: string, token: string): Promise<void> {
    await this.open(path);
    await this.submit('Sign in', { 'API token': token });
  }

  /** Checks the current view with axe in both colour schemes, and that it fits a screen of 360 pixels. */
  async isAccessible(): Promise<void> {
    await this.page.evaluate(axe);
    const viewport = this.page.viewport();
    for (const value of ['light', 'dark']) {
      await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      for (const width of [1200, 360]) {
        await this.page.setViewport({ width, height: 900 });
        const faults = await this.page.evaluate(
          `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ' ' + html)))`,
        );
        const wider = await this.page.evaluate('document.documentElement.scrollWidth - innerWidth');
        const at = await this.address();
        deepStrictEqual({ at, value, width, faults, wider }, { at, value, width, faults: [], wider: 0 });
      }
    }
    await this.page.setViewport(viewport);
  }
}
