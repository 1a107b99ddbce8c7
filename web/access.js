import { Pages, Refused } from './api.js';
import { counted, detail, make, quiet, row, tableOf } from './elements.js';
import { eachWorkspace, say, teamName } from './lists.js';

/** @typedef {import('./api.js').Resource} Resource */
/** @typedef {import('./lists.js').Organization} Organization */

/** Rights on every workspace that come with the organization. @param {Resource} team */
function everywhere({ attributes }) {
  const flags = attributes['organization-access'] ?? {};
  if (attributes.name === 'owners') return 'everything';
  if (flags['manage-workspaces']) return 'admin';
  if (flags['read-workspaces']) return 'read';
  return flags['manage-policies'] || flags['manage-policy-overrides'] ? 'read runs' : undefined;
}

/** From least to most. @type {Readonly<Record<string, readonly string[]>>} */
const scales = {
  runs: ['none', 'read', 'plan', 'apply'],
  variables: ['none', 'read', 'write'],
  'state-versions': ['none', 'read-outputs', 'read', 'write'],
};

/**
 * What may be read everywhere, on each scale that it is on.
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
const readEverywhere = {
  read: { runs: 'read', variables: 'read', 'state-versions': 'read' },
  'read runs': { runs: 'read' },
};

/**
 * A custom level with what the team may read everywhere: the higher of the two on every scale.
 * @param {Resource['attributes']} granted
 * @param {string | undefined} inherited
 */
function together(granted, inherited = '') {
  const all = { ...granted };
  for (const [scale, level] of Object.entries(readEverywhere[inherited] ?? {})) {
    const order = scales[scale] ?? [];
    if (order.indexOf(level) > order.indexOf(granted[scale])) all[scale] = level;
  }
  return all;
}

/** What a custom level allows, in words. @param {Resource['attributes']} attributes */
const permissionsInWords = (attributes) =>
  [
    `runs ${attributes.runs}`,
    `variables ${attributes.variables}`,
    `state ${attributes['state-versions']}`,
    `mocks ${attributes['policy-mocks']}`,
    attributes['workspace-locking'] ? 'locking' : 'no locking',
    attributes['run-tasks'] ? 'run tasks' : 'no run tasks',
    ...(attributes['policy-overrides'] ? ['policy overrides'] : []),
  ].join(', ');

/**
 * @param {Organization} organization
 * @param {HTMLElement} panel
 */
export async function showAccess(organization, panel) {
  const { client, signal, teams, workspaces } = organization;
  say('Loading team access…');
  await Promise.all([teams.readMost(), workspaces.begin()]);
  const table = tableOf('Team access: one row per workspace, one column per team', []);
  const left = quiet('');
  panel.append(
    quiet(
      'Access in italics is from organization-level permissions, which the first row shows. Other access is set on the workspace.',
    ),
    table.box,
    left,
  );
  /** @typedef {{ grants: Map<string, Resource['attributes']>, cut: string }} Grants */
  /**
   * By workspace, then by team; the cells that were made, because what is opened in them is to stay open.
   * @type {{ name: string, grants: Grants | string, cells: Map<string, Node> }[]}
   */
  const rows = [];
  await eachWorkspace(organization, panel, async (fresh) => {
    const read = fresh.map(async ({ id, attributes: { name } }) => ({
      name,
      grants: await grantsOn(id),
      cells: new Map(),
    }));
    rows.push(...(await Promise.all(read)));
    draw();
  });
  say(`Access to ${counted(rows.length, 'workspace')} shown.`);

  /** @param {string} id */
  async function grantsOn(id) {
    try {
      const path = `team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${encodeURIComponent(id)}`;
      const list = new Pages(client, path, signal, 100);
      await list.readMost();
      return {
        grants: new Map(list.items.map((grant) => [grant.relationships.team?.data.id, grant.attributes])),
        cut: list.hasMore ? `${list.items.length} of ${counted(list.total, 'grant')} loaded` : '',
      };
    } catch (error) {
      if (!(error instanceof Refused) || error.status === 401) throw error;
      return error.status === 404 ? 'not accessible' : `not loaded: ${error.message}`;
    }
  }

  function draw() {
    const everyone = new Map(
      teams.items.flatMap((team) => (everywhere(team) ? [[team.id, everywhere(team) ?? '']] : [])),
    );
    const granted = rows.flatMap(({ grants }) => (typeof grants === 'string' ? [] : [...grants.grants.keys()]));
    const columns = [...new Set([...everyone.keys(), ...granted])];
    table.setHeads(['Workspace', ...columns.map((id) => teamName(teams, id))]);
    const everywhereRow = row(make('em', {}, 'Every workspace'), ...columns.map((id) => everyone.get(id) ?? none()));
    everywhereRow.className = 'first';
    table.body.replaceChildren(
      everywhereRow,
      ...rows.map(({ name, grants: read, cells }) => {
        if (typeof read === 'string') {
          const line = row(name);
          line.append(make('td', { colspan: String(Math.max(1, columns.length)) }, read));
          return line;
        }
        const { grants, cut } = read;
        for (const id of columns)
          if (!cells.has(id)) cells.set(id, level(grants.get(id), everyone.get(id), cut !== ''));
        const head = cut === '' ? name : make('span', {}, name, detail(cut));
        return row(head, ...columns.map((id) => cells.get(id) ?? ''));
      }),
    );
    const others = teams.total - columns.filter((id) => teams.items.some((team) => team.id === id)).length;
    left.textContent =
      others > 0
        ? `${counted(others, 'more team')} ${others === 1 ? 'has' : 'have'} no access to the workspaces shown.`
        : '';
    if (teams.hasMore)
      left.textContent = `The names of ${teams.items.length} of ${teams.total} teams were loaded; the others are shown by id.`;
  }
}

const none = () =>
  make(
    'span',
    { class: 'none' },
    make('span', { 'aria-hidden': 'true' }, '–'),
    make('span', { class: 'unseen' }, 'none'),
  );

/**
 * What a team has on a workspace, by what was granted there and what it has everywhere. Nothing that is granted reaches
 * further than administering everywhere; a fixed level reaches at least as far as reading does; a custom one may not.
 * @param {Resource['attributes'] | undefined} granted
 * @param {string | undefined} inherited
 * @param {boolean} isCut Whether there may be a grant that was not read.
 */
function level(granted, inherited, isCut) {
  if (inherited !== undefined && (granted === undefined || !(inherited in readEverywhere))) {
    return make('span', { class: 'inherited' }, inherited);
  }
  if (granted === undefined) return isCut ? make('span', { class: 'none' }, 'not loaded') : none();
  if (granted.access !== 'custom') return make('span', { class: `level ${granted.access}` }, granted.access);
  const words = permissionsInWords(together(granted, inherited));
  const more = inherited === undefined ? '' : '; plus organization-level read access';
  return make('details', {}, make('summary', {}, 'custom'), detail(words + more));
}
