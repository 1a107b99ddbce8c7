import type { RunComments } from '../../../../../../application/ports/repositories/run-comments.js';
import type { DatedComment, RunComment, RunCommentId, RunId } from '../../../../../../domain/index.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import type { Statements } from '../../../engine/statements.js';

const datedRows = rowsOf<DatedComment>((row) => ({
  id: row.id,
  runId: row.run_id,
  createdBy: { kind: row.created_by_kind, id: row.created_by },
  createdAt: row.created_at,
}));

const commentRows = rowsOf<RunComment>((row, as) => ({ ...datedRows.literal(row, as), body: row.body }));

const byId = prepared((sql, { id }: { readonly id: RunCommentId }) =>
  sql('run_comments').where({ id }).select(commentRows.columns),
);

const ofRun = prepared((sql, { id }: { readonly id: RunId }) =>
  sql('run_comments').where('run_id', id).select(commentRows.columns).orderBy(['created_at', 'id']),
);

const datesOfRuns = prepared((sql, { ids }: { readonly ids: readonly RunId[] }) =>
  sql('run_comments').whereIn('run_id', ids).select(datedRows.columns).orderBy(['created_at', 'id']),
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

  async datesOfRuns(ids: readonly RunId[]): Promise<ReadonlyMap<RunId, readonly DatedComment[]>> {
    if (ids.length === 0) return new Map();
    const comments = (await this.db.all<object>(datesOfRuns(this.db, { ids }))).map(datedRows.read);
    return Map.groupBy(comments, ({ runId }) => runId);
  }

  add(comment: RunComment): Promise<void> {
    return this.db.runLater(inserted(this.db, 'run_comments', commentRows.write(comment)));
  }
}
