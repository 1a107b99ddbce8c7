import { type AtFault, DomainError } from '../shared/domain-error.js';
import type { Instant } from '../shared/id.js';
import { grantAt } from '../team-access/timed-grant.js';
import { type Action, may } from './policy.js';
import type { Standing, TeamStanding } from './standing.js';

const teamAt = ({ grant, projectGrant, ...team }: TeamStanding, at: Instant): TeamStanding => {
  const own = grant && grantAt(grant, at);
  const inProject = projectGrant && grantAt(projectGrant, at);
  return { ...team, ...(own && { grant: own }), ...(inProject && { projectGrant: inProject }) };
};

/** The standing with the grants that are in force at an instant, if nothing changes them before. */
export const standingAt = (standing: Standing, at: Instant): Standing => ({
  ...standing,
  teams: standing.teams.map((team) => teamAt(team, at)),
});

/** The first instant from which `holds` is false of the standing, of which it is true now; null for never. */
export function endOf(standing: Standing, holds: (standing: Standing) => boolean): Instant | null {
  const ends = standing.teams.flatMap(({ grant, projectGrant }) => [
    ...(grant?.ends ? [grant.ends.at] : []),
    ...(projectGrant?.ends ? [projectGrant.ends.at] : []),
  ]);
  return ends.sort().find((at) => !holds(standingAt(standing, at))) ?? null;
}

/**
 * Throws `attribute/invalid` if the caller may perform the action only until an instant. For what gives others permanent
 * access, as moving a workspace to a project does.
 */
export function checkLasting(standing: Standing, action: Action, where: AtFault): void {
  const until = endOf(standing, (future) => may(future, action));
  if (until === null) return;
  const sentence = `A workspace can be moved only by a right that has no end: yours ends at ${until}`;
  throw new DomainError('attribute/invalid', sentence, { ...where, until });
}
