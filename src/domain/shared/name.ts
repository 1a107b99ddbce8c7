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
