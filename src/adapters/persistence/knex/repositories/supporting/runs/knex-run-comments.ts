import type { RunComments } from '../../../../../../application/ports/repositories/run-comments.js';
import type { RunComment, RunCommentId, RunId } from '../../../../../../domain/index.js';
import { prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import type { Statements } from '../../../engine/statements.js';

const commentRows = rowsOf<RunComment>((row) => ({
  id: row.id,
  runId: row.run_id,
  body: row.body,
  createdBy: { kind: row.created_by_kind, id: row.created_by },
  createdAt: row.created_at,
}));

const byId = prepared((sql, { id }: { readonly id: RunCommentId }) =>
  sql('run_comments').where({ id }).select(commentRows.columns),
);

const ofRun = prepared((sql, { id }: { readonly id: RunId }) =>
  sql('run_comments').where('run_id', id).select(commentRows.columns).orderBy(['created_at', 'id']),
);

export class KnexRunComments implements RunComments {
  constructor(private readonly db: Statements) {}

  async find(id: RunCommentId): Promise<RunComment | undefined> {
    const row = await this.db.first<object>(byId(this.db, { id }));
    return row && commentRows.read(row);
  }

  async ofRun(id: RunId): Promise<readonly RunComment[]> {
    return (await this.db.all<object>(ofRun(this.db, { id }))).map(commentRows.read);
  }

  add(comment: RunComment): Promise<void> {
    return this.db.runLater(this.db.sql('run_comments').insert(commentRows.write(comment)));
  }
}
