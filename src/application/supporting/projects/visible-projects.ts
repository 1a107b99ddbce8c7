import {
  type Actor,
  may,
  type Project,
  type ProjectId,
  projectVisibility,
  type Standing,
  type WithStanding,
} from '../../../domain/index.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** Those of the projects that the caller can see. `standing` is the caller's on their organization. */
export async function visibleProjects(
  tx: Transaction<'projects'>,
  actor: Actor,
  standing: Standing,
  ids: readonly ProjectId[],
): Promise<readonly WithStanding<Project>[]> {
  if (ids.length === 0) return [];
  if (projectVisibility(standing) === 'all') {
    return (await tx.projects.among(ids)).map((subject) => ({ subject, standing }));
  }
  const found = await Promise.all(ids.map((id) => tx.projects.findFor(actor, id)));
  return found.flatMap((seen) => (seen !== undefined && may(seen.standing, 'projects/read') ? seen : []));
}
