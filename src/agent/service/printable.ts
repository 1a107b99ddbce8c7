import { stripVTControlCharacters } from 'node:util';

/** Without what steers a terminal, and what the service takes in no text. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .toWellFormed();
