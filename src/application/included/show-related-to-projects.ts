import type { Project } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { effectiveBindings } from './effective-bindings.js';
import type { Related } from './related.js';

/** The resources that may be included with projects. */
export type ProjectInclude = 'effective-tag-bindings';

/** Resources to include with projects that the caller may read. */
export class ShowRelatedToProjects {
  constructor(private readonly unitOfWork: UnitOfWork<'tagBindings'>) {}

  async execute(projects: readonly Project[], include: ReadonlySet<ProjectInclude>): Promise<readonly Related[]> {
    if (!include.has('effective-tag-bindings')) return [];
    const ids = projects.map(({ id }) => id);
    return this.unitOfWork.read((tx) => effectiveBindings(tx, 'project', ids));
  }
}
