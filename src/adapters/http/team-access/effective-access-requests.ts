import type { AccessHolder } from '../../../application/index.js';
import { textual, valuesOf } from '../routing/parameters.js';
import { RequestError } from '../routing/request-error.js';
import type { Call } from '../routing/route.js';

const byUser = 'filter[user][id]';
const byTeam = 'filter[team][id]';

export const effectiveAccessParameters = {
  [byUser]: textual(`The id of the user. Either this or \`${byTeam}\` is required.`),
  [byTeam]: textual(`The id of the team. Either this or \`${byUser}\` is required.`),
};

/** Throws a 400 unless exactly one of the filters is given. */
export const accessHolder = ({ query }: Call): AccessHolder => {
  const { [byUser]: user, [byTeam]: team } = valuesOf(effectiveAccessParameters, query);
  if (user !== undefined && team === undefined) return { kind: 'user', id: user };
  if (team !== undefined && user === undefined) return { kind: 'team', id: team };
  const detail = `exactly one of ${byUser} and ${byTeam} is required`;
  throw new RequestError(400, 'bad request', [{ parameter: team === undefined ? byUser : byTeam, detail }]);
};
