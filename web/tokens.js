import { Pages } from './api.js';
import { counted, make, mark, quiet, row, tableOf, when } from './elements.js';
import { rest, say, teamName } from './lists.js';

/** @typedef {import('./lists.js').Organization} Organization */

const day = 24 * 3600 * 1000;
const soonDays = 7;

/** @param {string | null} instant */
function expiry(instant) {
  if (instant === null) return ['never'];
  const left = Date.parse(instant) - Date.now();
  const at = when(instant);
  if (left <= 0) return [mark('bad', 'expired'), ' ', at];
  const days = Math.floor(left / day);
  const inDays = days === 0 ? 'today or tomorrow' : `in ${counted(days, 'day')}`;
  return days < soonDays ? [mark('warn', `soon, ${inDays}`), ' ', at] : [`${inDays} `, at];
}

/**
 * @param {Organization} organization
 * @param {HTMLElement} panel
 */
export async function showTokens({ client, path, signal, teams }, panel) {
  say('Loading team tokens…');
  const tokens = new Pages(client, `${path}/team-tokens`, signal, 20);
  await Promise.all([tokens.begin(), teams.readMost()]);
  if (tokens.total === 0) {
    panel.append(quiet('This token cannot manage any team token.'));
    return say('');
  }
  const table = tableOf('Team tokens, sorted by expiry', ['Team', 'Expires', 'Last used', 'Created']);
  let shown = 0;
  const add = async () => {
    for (const { attributes, relationships } of tokens.items.slice(shown)) {
      const expires = make('span', {}, ...expiry(attributes['expired-at']));
      const used = attributes['last-used-at'] === null ? 'never' : when(attributes['last-used-at']);
      const team = teamName(teams, relationships.team?.data.id);
      table.body.append(row(team, expires, used, when(attributes['created-at'])));
    }
    shown = tokens.items.length;
  };
  await add();
  panel.append(table.box, rest(tokens, 'token', panel, add).line);
  say(`${counted(shown, 'team token')} shown.`);
}
