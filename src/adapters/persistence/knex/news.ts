import type { ChangeKind, ChangeListener } from '../../../application/ports/outside/changes.js';
import type { Effect } from '../../../application/ports/repositories/effect.js';
import type { WorkspaceId } from '../../../domain/index.js';

/** Called after a commit, of this process or of another one. Must not throw. */
export interface NewsListeners {
  /** With the kinds of due effects that were ordered; with undefined where orders may have been missed. */
  readonly ordered: (kinds: readonly Effect['kind'][] | undefined) => void;
  readonly changed: ChangeListener;
}

/** The orders and changes of a transaction. Listeners receive them once it is committed. */
export class News {
  readonly ordered = new Set<Effect['kind']>();
  readonly changed = new Map<WorkspaceId, ChangeKind>();

  notify({ ordered, changed }: NewsListeners): void {
    if (this.ordered.size > 0) ordered([...this.ordered]);
    if (this.changed.size > 0) changed(this.changed);
  }
}
