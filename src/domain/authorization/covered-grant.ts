import { DomainError } from '../shared/domain-error.js';
import type { ProjectGrant } from '../team-access/project-access-level.js';
import type { Timed } from '../team-access/timed-grant.js';
import { covers } from './claims.js';
import type { Standing } from './standing.js';

/**
 * Throws `resource/not-found` for a grant that gives, now or after its end, more than the caller has in the project: they
 * may neither give nor change nor remove it.
 */
export function checkCovered(standing: Standing, grant: Timed<ProjectGrant>): void {
  if ([grant, grant.ends?.fallback].every((given) => !given || covers(standing, given))) return;
  throw new DomainError('resource/not-found', 'not authorized: requires every permission that the access gives');
}
