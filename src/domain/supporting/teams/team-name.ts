import { invalidAttribute } from '../../shared/domain-error.js';

/** Letters, marks, numbers, punctuation, symbols and the space: visible characters that do not move or hide others. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,90}$/u;

/** Zero-width characters and those that only select how others are displayed. Some count as letters and marks. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Team URLs use ids, so a name may be nearly any readable text. Throws `attribute/invalid`. */
export function checkTeamName(name: string): string {
  if (!printable.test(name) || invisible.test(name) || name !== name.trim()) {
    throw invalidAttribute('name', 'Name must be 1 to 90 printable characters and must not begin or end with a space');
  }
  return name;
}

/** The key by which names are compared, sorted and searched; unique within an organization. */
export const teamNameKey = (name: string): string =>
  // Some letters have two lower-case forms (σ and ς, s and ſ) and one upper-case form.
  name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
