import type { RunComment, RunCommentId, RunId } from '../../../domain/index.js';

/** Comments on runs. They are removed with their run. */
export interface RunComments {
  /** Also of a run whose workspace or organization was deleted. */
  find(id: RunCommentId): Promise<RunComment | undefined>;
  /** Oldest first. */
  ofRun(id: RunId): Promise<readonly RunComment[]>;
  add(comment: RunComment): Promise<void>;
}
