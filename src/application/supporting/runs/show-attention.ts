import {
  type Action,
  type Actor,
  type AgentPoolId,
  type ApiToken,
  authorizedView,
  type DueDecision,
  decisionsDue,
  dueDecisions,
  later,
  may,
  type Organization,
  type RunId,
  type RunState,
  type Standing,
  type TeamId,
  teamTokenVisibility,
  type WithStanding,
  type WorkspaceVisibility,
  workspaceVisibility,
} from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { LocatedRun, NamedRun } from '../../ports/repositories/attention.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** The items that one list has at most. */
export const attentionListed = 50;
/** The oldest runs that are looked at for a list: beyond them, its count is a minimum. */
export const attentionSearched = 500;

/** Agents ask at least every minute, and the time of a token's last use is accurate to one more. */
const silenceInSeconds = 3 * 60;
const tokensEndInSeconds = 14 * 24 * 60 * 60;

export interface Counted<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** False if there may be more than `total`. */
  readonly complete: boolean;
}

/** With the caller's standing on its workspace. */
export interface ShownNamedRun extends NamedRun {
  readonly standing: Standing;
}

export interface DueRun extends ShownNamedRun {
  readonly decision: DueDecision;
}

export interface EndingToken {
  readonly token: ApiToken;
  /** Null for a token that is not of a team. */
  readonly teamName: string | null;
}

/** The things that wait for the caller in one organization. */
export interface Attention {
  readonly organizationName: string;
  /** Oldest first. */
  readonly decisions: Counted<DueRun>;
  /** Newest first. */
  readonly failures: Counted<ShownNamedRun>;
  /** Oldest first. */
  readonly unserved: Counted<ShownNamedRun & { readonly poolId: AgentPoolId | null }>;
  /** The earliest first. */
  readonly tokens: Counted<EndingToken>;
}

type Reads = 'organizations' | 'workspaces' | 'runs' | 'attention' | 'tokens';

/** GET /organizations/:name/attention, and GET /attention for every organization of the caller. */
export class ShowAttention {
  constructor(
    private readonly unitOfWork: UnitOfWork<Reads>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, organizationName: string): Promise<Attention> {
    return this.unitOfWork.read(async (tx) =>
      this.attentionIn(
        tx,
        actor,
        authorizedView(await tx.organizations.findFor(actor, organizationName), 'organizations/read'),
      ),
    );
  }

  /** By name, without organizations that refuse the caller's token or session. */
  ofAll(actor: Actor, page: PageRequest): Promise<Page<Attention>> {
    return this.unitOfWork.read(async (tx) => {
      const found = await tx.organizations.page(actor, page);
      const standingIn = await tx.organizations.standingIn(
        actor,
        found.items.map(({ id }) => id),
      );
      const items: Attention[] = [];
      for (const subject of found.items) {
        items.push(await this.attentionIn(tx, actor, { subject, standing: standingIn(subject.id) }));
      }
      return { ...found, items };
    });
  }

  private async attentionIn(
    tx: Transaction<Reads>,
    actor: Actor,
    seen: WithStanding<Organization>,
  ): Promise<Attention> {
    const { subject: organization, standing } = seen;
    const [decisions, failures, unserved, tokens] = await Promise.all([
      decisionsFor(tx, seen),
      lastFailures(tx, seen),
      tx.attention.withoutAgent(
        { organizationId: organization.id, standing, visibility: workspaceVisibility(standing) },
        later(this.clock.now(), -silenceInSeconds),
        attentionSearched,
      ),
      this.endingTokens(tx, actor, seen),
    ]);
    const listed = [decisions.items, failures.items, unserved.slice(0, attentionListed)];
    const named = await tx.attention.runs(standing, [...new Set(listed.flat().map(({ id }) => id))]);
    const byId = new Map(named.map(({ subject, standing }) => [subject.run.id, { ...subject, standing }]));
    const withNames = <Item extends { readonly id: RunId }>({ items, ...counted }: Counted<Item>) => ({
      ...counted,
      items: items.flatMap((item) => {
        const found = byId.get(item.id);
        return found === undefined ? [] : { ...found, ...item };
      }),
    });
    return {
      organizationName: organization.name,
      decisions: withNames(decisions),
      failures: withNames(failures),
      unserved: withNames(counted(unserved, unserved.length < attentionSearched)),
      tokens,
    };
  }

  /** The caller's own, those of teams, and those of the organization, as far as the caller manages them. */
  private async endingTokens(
    tx: Transaction<Reads>,
    actor: Actor,
    { subject: { id }, standing }: WithStanding<Organization>,
  ): Promise<Counted<EndingToken>> {
    const now = this.clock.now();
    const range = { after: now, until: later(now, tokensEndInSeconds) };
    const owners = [
      ...(actor.kind === 'user' ? [{ kind: actor.kind, id: actor.userId }] : []),
      ...(may(standing, 'organization-tokens/manage')
        ? [{ kind: 'organization', id } as const, { kind: 'auditor', id } as const]
        : []),
    ];
    const own = await tx.tokens.expiringOf(owners, range, attentionListed);
    const ofTeams = await tx.tokens.pageOfTeams(
      {
        organizationId: id,
        visibility: teamTokenVisibility(standing),
        search: undefined,
        expiry: [range],
        sort: { key: 'expired-at', descending: false },
      },
      { number: 1, size: attentionListed },
    );
    const tokens = [...own, ...ofTeams.items].sort((a, b) => ((a.expiresAt ?? '') < (b.expiresAt ?? '') ? -1 : 1));
    const teamNames = await tx.attention.teamNames(
      tokens.flatMap(({ owner }) => (owner.kind === 'team' ? [owner.id] : [])),
    );
    return {
      total: own.length + ofTeams.total,
      complete: own.length < attentionListed,
      items: tokens
        .slice(0, attentionListed)
        .map((token) => ({ token, teamName: teamNames.get(token.owner.id as TeamId) ?? null })),
    };
  }
}

const counted = <Item>(all: readonly Item[], complete: boolean): Counted<Item> => ({
  items: all.slice(0, attentionListed),
  total: all.length,
  complete,
});

/** Those with a right that the organization gives everywhere are all; others are the ones that own teams have grants on. */
const within = (standing: Standing, action: Action): WorkspaceVisibility =>
  may(standing, action) ? 'all' : { throughTeams: standing.teams.map(({ teamId }) => teamId) };

async function decisionsFor(
  tx: Transaction<'attention'>,
  { subject: { id: organizationId }, standing }: WithStanding<Organization>,
): Promise<Counted<LocatedRun & Pick<DueRun, 'decision'>>> {
  const due: (LocatedRun & Pick<DueRun, 'decision'>)[] = [];
  let complete = true;
  for (const decision of dueDecisions) {
    const { action } = decisionsDue[decision];
    const scope = { organizationId, standing, visibility: within(standing, action) };
    const found = await tx.attention.awaitingDecision(scope, decision, attentionSearched);
    if (found.length === attentionSearched) complete = false;
    const decided = found.filter((run) => may(run.standing, action));
    due.push(...decided.map(({ subject }) => ({ ...subject, decision })));
  }
  due.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  return counted(due, complete);
}

async function lastFailures(
  tx: Transaction<'workspaces' | 'runs'>,
  { subject: { id }, standing }: WithStanding<Organization>,
): Promise<Counted<Pick<RunState, 'id'>>> {
  const workspaces = await tx.workspaces.page(
    id,
    standing,
    workspaceVisibility(standing),
    { number: 1, size: attentionListed },
    { currentRun: ['errored'], sort: { key: 'current-run.created-at', descending: true } },
  );
  const ids = workspaces.items.map(({ subject }) => subject.id);
  const activities = await tx.runs.activityOf(ids);
  const runs = ids.flatMap((workspaceId) => activities.get(workspaceId)?.currentRunId ?? []);
  return { items: runs.map((runId) => ({ id: runId })), total: workspaces.total, complete: true };
}
