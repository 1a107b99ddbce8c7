import type { DatedComment, RunComment, RunCommentId, RunId } from '../../../domain/index.js';

/** Comments on runs. They are removed with their run. */
export interface RunComments {
  /** Also of a run whose workspace or organization was deleted. */
  find(id: RunCommentId): Promise<RunComment | undefined>;
  /** Oldest first. */
  ofRun(id: RunId): Promise<readonly RunComment[]>;
  /** Without their text, oldest first, by run; a run without comments has no entry. One statement. */
  datesOfRuns(ids: readonly RunId[]): Promise<ReadonlyMap<RunId, readonly DatedComment[]>>;
  add(comment: RunComment): Promise<void>;
}
