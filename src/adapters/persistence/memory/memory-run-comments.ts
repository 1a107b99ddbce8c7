import type { RunComments } from '../../../application/ports/repositories/run-comments.js';
import type { RunComment, RunCommentId, RunId } from '../../../domain/index.js';
import { byText, type CurrentTables } from './memory-tables.js';

export class MemoryRunComments implements RunComments {
  constructor(private readonly tables: CurrentTables) {}

  async find(id: RunCommentId): Promise<RunComment | undefined> {
    return this.tables().runComments.get(id);
  }

  async ofRun(id: RunId): Promise<readonly RunComment[]> {
    const comments = [...this.tables().runComments.values()].filter(({ runId }) => runId === id);
    return comments.sort(byText(({ createdAt }) => createdAt));
  }

  async add(comment: RunComment): Promise<void> {
    this.tables().runComments.set(comment.id, comment);
  }
}
