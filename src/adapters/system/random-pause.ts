import { setTimeout as pause } from 'node:timers/promises';

/** At random and ever longer, so that those who met once do not meet again: at most 150 milliseconds in five attempts. */
export const randomPause = (attempt: number): Promise<void> => pause(Math.random() * 5 * 2 ** attempt);
