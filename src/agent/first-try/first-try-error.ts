/** The reason a first try cannot start, worded for the user. */
export class FirstTryError extends Error {
  override readonly name = 'FirstTryError';
}
