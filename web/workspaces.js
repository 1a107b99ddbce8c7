import { button, counted, detail, make, mark, plain, quiet, row, tableOf } from './elements.js';
import { eachWorkspace, fill, say } from './lists.js';
import { showRunsOf } from './policies.js';

/** @typedef {import('./api.js').Resource} Resource */
/** @typedef {import('./lists.js').Organization} Organization */

const badStatuses = ['errored', 'backing_data_permanently_deleted', 'backing_data_soft_deleted'];

/**
 * @param {Organization} organization
 * @param {HTMLElement} panel
 */
export async function showWorkspaces(organization, panel) {
  say('Loading workspaces…');
  await organization.workspaces.begin();
  if (organization.workspaces.total === 0) {
    panel.append(quiet('This token cannot see any workspace.'));
    return say('');
  }
  const table = tableOf('Workspaces and their current configuration versions', [
    'Workspace',
    'Current version',
    'Status',
    'Source',
    'Lock',
    'Runs',
  ]);
  panel.append(table.box);
  await eachWorkspace(organization, panel, (fresh) => Promise.all(fresh.map((workspace) => add(workspace))));
  say(`${counted(organization.workspaces.items.length, 'workspace')} shown.`);

  /** @param {Resource} workspace */
  async function add({ attributes, relationships }) {
    const id = relationships['current-configuration-version']?.data?.id;
    const status = make('td', {}, id === undefined ? '–' : '…');
    const source = make('td', {}, id === undefined ? '–' : '…');
    const line = row(attributes.name, id === undefined ? 'none yet' : make('code', {}, id));
    const runs = button('Runs', () => showRunsOf(attributes.name), {
      class: 'small',
      'aria-label': `Runs of ${attributes.name}`,
    });
    line.append(
      status,
      source,
      make('td', {}, ...(attributes.locked ? [mark('warn', 'locked'), detail(attributes['locked-reason'])] : ['open'])),
      make('td', {}, runs),
    );
    table.body.append(line);
    if (id === undefined) return;
    await fill(status, async () => {
      const { data } = await organization.client.get(
        `configuration-versions/${encodeURIComponent(id)}`,
        organization.signal,
      );
      const { status: word, 'error-message': fault, source: from } = data.attributes;
      source.textContent = from;
      const kind = word === 'uploaded' ? 'good' : badStatuses.includes(word) ? 'bad' : 'none';
      return [mark(kind, plain(word)), detail(fault)];
    });
    if (source.textContent === '…') source.textContent = '–';
  }
}
