/** Why a first try does not begin, for whoever asked for it. */
export class FirstTryError extends Error {
  override readonly name = 'FirstTryError';
}
