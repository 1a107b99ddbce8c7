/** The key by which names are compared, sorted and searched; unique within an organization. */
export const teamNameKey = (name: string): string =>
  // Some letters have two lower-case forms (σ and ς, s and ſ) and one upper-case form.
  name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
