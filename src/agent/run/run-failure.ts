/** Why a run ends as errored, in a sentence for whoever looks at the run. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
}
