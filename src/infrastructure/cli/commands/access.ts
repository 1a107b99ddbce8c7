import { heldActions } from '../../../adapters/http/team-access/access-holder-requests.js';
import { presentMayBecome, presentRightHolder } from '../../../adapters/http/team-access/access-holder-resource.js';
import { reportText } from '../../../adapters/http/team-access/access-report-format.js';
import type { AccessHoldersPage, AccessHoldersQuery, RightHolder } from '../../../application/index.js';
import type { Action } from '../../../domain/index.js';
import { type Call, type Command, UsageError } from '../toolkit/command.js';
import { all, atWork, findOrFail, type Workplace } from '../toolkit/operator.js';
import { listing } from '../toolkit/output.js';

const actionIn = (call: Call): Action => {
  const action = heldActions.find((known) => known === call.arg(1));
  if (action !== undefined) return action;
  throw new UsageError(`ACTION must be a right, as effective access names it: ${heldActions.join(', ')}`);
};

/** The workspace or the project, which is given by name. Undefined for the organization. */
async function placeIn(call: Call, { unitOfWork, operator }: Workplace): Promise<AccessHoldersQuery['on']> {
  const [workspace, project] = [call.option('workspace'), call.option('project')];
  const organization = call.arg(0);
  if (workspace !== undefined) {
    const found = unitOfWork.read((tx) => tx.workspaces.findByNameFor(operator, organization, workspace));
    return { workspaceId: (await findOrFail(`workspace ${workspace}`, found)).subject.id };
  }
  if (project === undefined) return undefined;
  const found = unitOfWork.read(async (tx) => {
    const seen = await tx.organizations.findFor(operator, organization);
    const page = { number: 1, size: 1 };
    return seen && tx.projects.page(seen.subject.id, seen.standing, 'all', page, { names: [project] });
  });
  const [named] = (await findOrFail(`organization ${organization}`, found)).items;
  const { subject } = await findOrFail(`project ${project}`, Promise.resolve(named));
  return { projectId: subject.id };
}

const through = ({ right, teamNames }: RightHolder): string => {
  const names = right.claims.map(({ teamId }) => (teamId === null ? null : (teamNames.get(teamId) ?? teamId)));
  return [...new Set(names)].map((name) => name ?? 'membership').join(', ');
};

const whoCan: Command = {
  name: 'access who-can',
  does: 'lists who can do something, and what gives it',
  about: 'ACTION is a right, such as runs/apply.',
  args: ['ORGANIZATION', 'ACTION'],
  options: {
    workspace: { value: 'NAME', about: 'on this workspace' },
    project: { value: 'NAME', about: 'on this project' },
  },
  run: async (call) => {
    const action = actionIn(call);
    if (call.option('workspace') !== undefined && call.option('project') !== undefined) {
      throw new UsageError('only one of --workspace and --project is allowed');
    }
    return atWork(call, async (place) => {
      const query = { organizationName: call.arg(0), action, on: await placeIn(call, place) };
      let last: AccessHoldersPage | undefined;
      const holders = await all(async (page) => {
        const read = place.use.listAccessHolders.execute(place.operator, query, page);
        last = await findOrFail(`organization ${query.organizationName}`, read);
        return last;
      });
      const mayBecome = last && presentMayBecome(last);
      const rows = holders.map((one) => [
        one.name,
        one.holder.kind,
        one.invited ? 'invited' : null,
        one.right.until ?? null,
        through(one),
      ]);
      const others = mayBecome?.holders.map(({ name, by }) => `${name} (${by.join(', ')})`) ?? [];
      const text = listing(['name', 'kind', 'is', 'until', 'through'], rows, 'holder');
      return {
        json: {
          data: holders.map((one) => ({ id: one.holder.id, ...presentRightHolder(one).attributes })),
          'organization-token': last?.organizationToken ?? false,
          'may-become': mayBecome,
        },
        text: others.length === 0 ? text : `${text}\n\nCan become one: ${others.join(', ')}`,
      };
    });
  },
};

const report: Command = {
  name: 'access report',
  does: 'prints who has access to what, as CSV',
  about: 'With --json, as JSON lines.',
  args: ['ORGANIZATION'],
  run: async (call) => {
    await atWork(call, async (place) => {
      const organization = call.arg(0);
      const read = place.use.readAccessReport.execute(place.operator, organization);
      const parts = await findOrFail(`organization ${organization}`, read);
      const format = call.switch('json') ? 'lines' : 'csv';
      for await (const text of reportText(format, parts, async () => undefined)) call.print(text);
    });
    return undefined;
  },
};

export const accessCommands: readonly Command[] = [whoCan, report];
