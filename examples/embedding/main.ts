// A host stores people, their grants and configuration versions in its own tables, and Gatehouse decides.
// Run it next to an installed package: npm install gatehouse-tf && node main.ts
import type { CapabilityUrls, Clock, IdGenerator, Transaction, UnitOfWork } from 'gatehouse-tf/application';
import { ByteQuota, CreateConfigurationVersion } from 'gatehouse-tf/application';
import type { Actor, ConfigurationVersionState, Standing } from 'gatehouse-tf/domain';
import { isDomainError } from 'gatehouse-tf/domain';

const grants = [
  { user: 'ada', workspace: 'ws-network', access: 'plan' },
  { user: 'ben', workspace: 'ws-network', access: 'read' },
] as const;
let versions: readonly ConfigurationVersionState[] = [];

const standingOf = (actor: Actor, workspaceId: string): Standing => ({
  actor: actor.kind,
  siteAdministrator: false,
  member: true,
  teams: grants
    .filter(({ user, workspace }) => actor.kind === 'user' && user === actor.userId && workspace === workspaceId)
    .map(({ user, access }) => ({ teamId: user, owners: false, access: new Set(), grant: { access } })),
});

// Only what this use case calls: the compiler checks each method against its port.
const transactionOn = (rows: ConfigurationVersionState[]): Transaction => {
  const workspaces: Pick<Transaction['workspaces'], 'findIdFor'> = {
    findIdFor: async (actor, id) => ({ subject: id, standing: standingOf(actor, id) }),
  };
  const configurationVersions: Pick<Transaction['configurationVersions'], 'add'> = {
    add: async ({ state }) => void rows.push(state),
  };
  // A host with its own audit trail stores the event there.
  const audit: Pick<Transaction['audit'], 'add'> = { add: async () => undefined };
  return { workspaces, configurationVersions, audit } as Transaction;
};

const unitOfWork: UnitOfWork = {
  async run(work) {
    const rows = [...versions];
    const result = await work(transactionOn(rows));
    versions = rows; // Only now, so that refused work leaves nothing behind.
    return result;
  },
  read: (work) => work(transactionOn([...versions])),
};
const clock: Clock = { now: () => new Date().toISOString() };
const ids: IdGenerator = { next: (kind) => `${kind}-${crypto.randomUUID()}`, ofAddress: () => [] };
const urls: CapabilityUrls = { issue: (_, id) => `https://files.example/${id}`, open: () => undefined };

const quota = new ByteQuota({ maxOrganizationBytes: 0 });
const createVersion = new CreateConfigurationVersion(unitOfWork, clock, ids, urls, quota);
const settings = { autoQueueRuns: false, speculative: false, provisional: false, source: 'us' };
for (const userId of ['ada', 'ben', 'eve']) {
  const actor: Actor = { kind: 'user', userId, siteAdministrator: false, tokenId: `${userId}'s session` };
  const wanted = { workspaceId: 'ws-network', ...settings };
  const answer = await createVersion.execute(actor, wanted).catch((error: unknown) => error);
  if (isDomainError(answer)) console.log(`${userId}: ${answer.code}: ${answer.message}`);
  else if (answer instanceof Error) throw answer;
  else console.log(`${userId}: version ${versions.length} is ${versions.at(-1)?.status}`);
}
