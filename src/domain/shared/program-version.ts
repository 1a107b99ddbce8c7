import { invalidAttribute } from './domain-error.js';

const constraint = /^(=|!=|>=?|<=?|~>)? *\d{1,5}(\.\d{1,5}){0,2}(-[0-9A-Za-z.-]{1,32})?$/;

/** A version of terraform, a list of constraints on it, or `latest`. Throws `attribute/invalid`. */
export function checkProgramVersion(text: string): string {
  const wellFormed = text === 'latest' || text.split(',').every((part) => constraint.test(part.trim()));
  if (!wellFormed) {
    throw invalidAttribute(
      'terraformVersion',
      'Terraform version must be latest, a version such as 1.11.4, or constraints such as ~> 1.11.0',
    );
  }
  return text;
}
