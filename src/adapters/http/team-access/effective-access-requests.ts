import type { AccessHolder } from '../../../application/index.js';
import type { TeamId } from '../../../domain/index.js';
import { texts, textual, valuesOf } from '../routing/parameters.js';
import { invalid, RequestError } from '../routing/request-error.js';
import type { Call } from '../routing/route.js';

const byUser = 'filter[user][id]';
const byTeam = 'filter[team][id]';

export const effectiveAccessParameters = {
  [byUser]: textual(`The id of the user. Either this or \`${byTeam}\` is required.`),
  [byTeam]: textual(`The id of the team. Either this or \`${byUser}\` is required.`),
};

const maxTeams = 100;

export const effectiveAccessesParameters = {
  [byTeam]: texts(`Only these teams: at most ${maxTeams} ids, separated by commas.`),
};

/** Undefined for all teams. Throws a 422 for too many. */
export const teamsNamed = ({ query }: Call): readonly TeamId[] | undefined => {
  const { [byTeam]: ids } = valuesOf(effectiveAccessesParameters, query);
  if (ids === undefined || ids.length <= maxTeams) return ids;
  throw invalid([{ parameter: byTeam, detail: `${byTeam} must name at most ${maxTeams} teams` }]);
};

/** Throws a 400 unless exactly one of the filters is given. */
export const accessHolder = ({ query }: Call): AccessHolder => {
  const { [byUser]: user, [byTeam]: team } = valuesOf(effectiveAccessParameters, query);
  if (user !== undefined && team === undefined) return { kind: 'user', id: user };
  if (team !== undefined && user === undefined) return { kind: 'team', id: team };
  const detail = `exactly one of ${byUser} and ${byTeam} is required`;
  throw new RequestError(400, 'bad request', [{ parameter: team === undefined ? byUser : byTeam, detail }]);
};
