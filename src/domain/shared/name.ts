import { invalidAttribute } from './domain-error.js';

const wellFormed = /^[A-Za-z0-9_-]{1,90}$/;

export const isWellFormedName = (name: string): boolean => wellFormed.test(name);

/** The rule for names used in URLs: organizations and workspaces. Throws `attribute/invalid`. */
export function checkName(name: string): string {
  if (!isWellFormedName(name)) {
    throw invalidAttribute('name', 'Name must be 1 to 90 letters, digits, dashes and underscores');
  }
  return name;
}

/** Letters, marks, numbers, punctuation, symbols and the space: visible characters that do not move or hide others. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,90}$/u;

/** Zero-width characters and those that only select how others are displayed. Some count as letters and marks. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800]/u;

/** For what URLs name by an id: a name may be nearly any readable text. Throws `attribute/invalid`. */
export function checkPrintableName(name: string): string {
  if (!printable.test(name) || invisible.test(name) || name !== name.trim()) {
    throw invalidAttribute('name', 'Name must be 1 to 90 printable characters and must not begin or end with a space');
  }
  return name;
}
