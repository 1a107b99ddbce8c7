import type { AuditEvent } from '../../../domain/index.js';
import { type Call, type Command, UsageError } from '../toolkit/command.js';
import { atWork, findOrFail, type Workplace } from '../toolkit/operator.js';
import { listing } from '../toolkit/output.js';

const presented = (event: AuditEvent) => ({
  id: event.id,
  at: event.at,
  action: event.action,
  outcome: event.outcome,
  count: event.count,
  'actor-kind': event.actor.kind,
  'actor-id': event.actor.id,
  'actor-name': event.names.actor,
  subject: event.subject,
  'subject-name': event.names.subject,
  'workspace-id': event.workspaceId,
  'workspace-name': event.names.workspace,
  comment: event.comment,
  detail: event.detail,
});

/** The most events that one call prints. */
const most = 1_000;
const usual = 50;

function limitIn(call: Call): number {
  const given = call.option('limit');
  if (given === undefined) return usual;
  const limit = Number(given);
  if (!Number.isInteger(limit) || limit < 1 || limit > most) {
    throw new UsageError(`--limit must be a whole number from 1 to ${most}`);
  }
  return limit;
}

function instantIn(call: Call, name: string): string | undefined {
  const given = call.option(name);
  if (given === undefined) return undefined;
  const time = Date.parse(given);
  if (Number.isNaN(time)) throw new UsageError(`--${name} must be an ISO 8601 date-time, such as 2030-01-31T09:00:00Z`);
  return new Date(time).toISOString();
}

const refused = 'refused';

function outcomeIn(call: Call): 'done' | typeof refused | undefined {
  const given = call.option('outcome');
  if (given === undefined || given === 'done' || given === refused) return given;
  throw new UsageError('--outcome must be done or refused');
}

/** The id of the workspace, which is given by name. Undefined without one. */
async function workspaceIn(call: Call, place: Workplace, organization: string): Promise<string | undefined> {
  const name = call.option('workspace');
  if (name === undefined) return undefined;
  const found = place.unitOfWork.read((tx) => tx.workspaces.findByNameFor(place.operator, organization, name));
  return (await findOrFail(`workspace ${name}`, found)).subject.id;
}

const list: Command = {
  name: 'audit list',
  does: 'lists the audit events of an organization, newest first',
  args: ['ORGANIZATION'],
  options: {
    user: { value: 'NAME', about: 'by this person, also a deleted one' },
    workspace: { value: 'NAME', about: 'about this workspace' },
    outcome: { value: 'OUTCOME', about: 'done or refused' },
    since: { value: 'TIME', about: 'at or after this time' },
    until: { value: 'TIME', about: 'before this time' },
    'without-routine': { about: 'without what agents claim and report, but with refusals' },
    limit: { value: 'NUMBER', about: `at most this many, ${usual} by default` },
  },
  run: async (call) => {
    const [limit, since, until, outcome] = [
      limitIn(call),
      instantIn(call, 'since'),
      instantIn(call, 'until'),
      outcomeIn(call),
    ];
    return atWork(call, async (place) => {
      const organization = call.arg(0);
      const filter = {
        actorId: undefined,
        username: call.option('user'),
        workspaceId: await workspaceIn(call, place, organization),
        action: undefined,
        outcome,
        withoutRoutine: call.switch('without-routine'),
        since,
        until,
        oldestFirst: false,
      };
      const events: AuditEvent[] = [];
      for (let after: string | undefined; ; ) {
        const part = { after, limit: limit - events.length };
        const read = place.use.listAuditEvents.execute(place.operator, organization, filter, part);
        const { items, last } = await findOrFail(`organization ${organization}`, read);
        events.push(...items);
        if (last === undefined || events.length >= limit) break;
        after = last;
      }
      const rows = events.map(({ at, action, outcome: result, actor, names, subject }) => [
        at,
        names.actor ?? actor.id ?? actor.kind,
        action,
        names.subject ?? subject,
        names.workspace,
        result,
      ]);
      return {
        json: events.map(presented),
        text: listing(['at', 'actor', 'action', 'subject', 'workspace', 'outcome'], rows, 'event'),
      };
    });
  },
};

export const auditCommands: readonly Command[] = [list];
