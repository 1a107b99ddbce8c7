import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ServiceProcess } from '../support/process.js';
import { ServiceSteps } from '../support/service-steps.js';
import { type Organization, unlimited, type World } from './world.js';

/** A list of 50 MB, and who may read it. */
export interface LongList {
  readonly path: string;
  readonly token: string;
}

const rows = 105_000;

/** Gives many teams of the first holder access to its workspace: one through the API, and copies of it. */
export async function makeLongList(world: World): Promise<LongList> {
  const [{ name, workspaceId, token }] = world.holders as readonly [Organization];
  const service = await ServiceProcess.start(unlimited(world.directory));
  try {
    const steps = new ServiceSteps(service);
    const team = await steps.ask('POST', `/organizations/${name}/teams`, {
      data: { type: 'teams', attributes: { name: 'copied', visibility: 'organization' } },
    });
    const grant = await steps.ask('POST', '/team-workspaces', {
      data: {
        type: 'team-workspaces',
        attributes: { access: 'read' },
        relationships: {
          team: { data: { type: 'teams', id: team.id } },
          workspace: { data: { type: 'workspaces', id: workspaceId } },
        },
      },
    });
    await service.end();
    copy(join(world.directory, 'data', 'gatehouse.sqlite'), team.id, grant.id);
  } finally {
    await service.end();
  }
  return { path: `/team-workspaces?filter[workspace][id]=${workspaceId}`, token };
}

function copy(file: string, teamId: string, grantId: string): void {
  const database = new Database(file);
  const copies = (table: string, id: string, changes: Readonly<Record<string, string>>) => {
    const names = (database.pragma(`table_info(${table})`) as { name: string }[]).map((column) => column.name);
    const values = names.map((name) => changes[name] ?? name);
    database.exec(
      `insert into ${table} (${names}) with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
       select ${values} from ${table}, n where id = '${id}'`,
    );
  };
  const [team, name] = ["'team-copy' || i", "'copy-' || i"];
  try {
    database.transaction(() => {
      copies('teams', teamId, { id: team, name, name_key: name });
      copies('team_workspaces', grantId, { id: "'tws-copy' || i", team_id: team, listed_name: name });
    })();
  } finally {
    database.close();
  }
}
