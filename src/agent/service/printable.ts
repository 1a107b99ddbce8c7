import { stripVTControlCharacters } from 'node:util';

/** Removes terminal control characters, and characters the service does not accept in text. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .toWellFormed();
