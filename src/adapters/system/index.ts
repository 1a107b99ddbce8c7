/**
 * The clock, ids and secrets that the service uses, and those to use in tests, for programs that embed the use cases.
 * They need Node, and no package.
 */

export { FixedClock } from './fixed-clock.js';
export { NumberedIds } from './numbered-ids.js';
export { RandomIds } from './random-ids.js';
export { RandomSecrets } from './random-secrets.js';
export { SystemClock } from './system-clock.js';
