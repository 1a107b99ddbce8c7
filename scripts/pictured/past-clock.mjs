/** Loaded before the service, sets its clock back by the milliseconds in the file CLOCK_BEHIND, which may change meanwhile. */
import { readFileSync } from 'node:fs';

const Present = Date;

const now = () => Present.now() - Number(readFileSync(String(process.env.CLOCK_BEHIND), 'utf8'));

globalThis.Date = class PastDate extends Present {
  static now = now;

  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
};
