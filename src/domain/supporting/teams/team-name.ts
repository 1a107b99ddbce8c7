import { invalidAttribute } from '../../shared/domain-error.js';

/** Letters, marks, numbers, punctuation, symbols and the blank: what can be seen, and nothing that moves or hides it. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,90}$/u;

/** Zero-width characters, and those that only choose how others look. Some of them count as letters and marks. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Teams stand in URLs by their ids, so their names may be nearly anything a person can read. Throws `attribute/invalid`. */
export function checkTeamName(name: string): string {
  if (!printable.test(name) || invisible.test(name) || name !== name.trim()) {
    throw invalidAttribute('name', 'Name must be 1 to 90 printable characters and must not begin or end with a space');
  }
  return name;
}

/** What names are compared, sorted and searched by: no two teams of an organization have the same. */
export const teamNameKey = (name: string): string =>
  // Some letters have two lower cases (σ and ς, s and ſ), and one upper case.
  name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
