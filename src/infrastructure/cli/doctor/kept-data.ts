import { maxWorkspacesCounted } from '../../../application/background/list-removals.js';
import { neverEnded, type OrganizationBytes, type UnitOfWork } from '../../../application/index.js';
import type { Organization } from '../../../domain/index.js';
import { exceedsLifetime } from '../../../domain/shared/token-lifetimes.js';
import type { Config } from '../../config.js';
import type { Call } from '../toolkit/command.js';
import { operatorId } from '../toolkit/operator.js';
import { counted, fillsSentence, size } from '../toolkit/output.js';
import { type CheckResults, type Found, ok, warning } from './finding.js';

/** The only change the doctor makes, on request. */
export const recount = 'recount';

async function failingEffects(unitOfWork: UnitOfWork): Promise<readonly Found[]> {
  const { total, aside } = await unitOfWork.read(async (tx) => ({
    total: (await tx.effects.failing({ number: 1, size: 1 })).total,
    aside: await tx.effects.countAside(),
  }));
  const failing = total - aside;
  return [
    failing === 0
      ? ok('no background job keeps failing')
      : warning(
          `${counted(failing, 'background job')} ${failing === 1 ? 'keeps' : 'keep'} failing`,
          'gatehouse effect list shows which, and why',
        ),
    aside === 0
      ? ok('no background job is put aside')
      : warning(
          `${counted(aside, 'background job')} ${aside === 1 ? 'is' : 'are'} put aside, because the service ended in ${neverEnded.max} attempts in a row`,
          'find out why with gatehouse effect list and the logs, then retry each with gatehouse effect retry ID',
        ),
  ];
}

const maxListed = 20;

async function removals(unitOfWork: UnitOfWork): Promise<Found> {
  const { items, total } = await unitOfWork.read((tx) =>
    tx.removals.organizations({ number: 1, size: maxNamed }, maxWorkspacesCounted),
  );
  const named = items.map(({ organizationName, workspacesLeft, begunAt }) => {
    const atLeast = workspacesLeft === maxWorkspacesCounted ? 'at least ' : '';
    return `${organizationName} (${atLeast}${counted(workspacesLeft, 'workspace')} left, deleted at ${begunAt})`;
  });
  if (total > maxNamed) named.push(`${total - maxNamed} more`);
  return ok(total === 0 ? 'no deleted organization has data left' : `data is being removed of ${named.join(', ')}`);
}

/** Excludes tokens issued by the operator, who is not a member. */
async function leftTokens(unitOfWork: UnitOfWork): Promise<Found> {
  const tokens = await unitOfWork.read((tx) => tx.tokens.ofFormerMembers(operatorId, maxListed + 1));
  const named = tokens.slice(0, maxListed).map(({ id, organizationName, teamName, createdBy }) => {
    return `${organizationName}/${teamName} (${id}, issued by ${createdBy})`;
  });
  const more = tokens.length > maxListed ? ', and more' : '';
  return tokens.length === 0
    ? ok('every team token was issued by a member or by the operator')
    : warning(
        `team tokens issued by users who are no longer members: ${named.join(', ')}${more}`,
        'issue each token again, or revoke it with gatehouse token revoke --team ORGANIZATION/TEAM',
      );
}

/** The tokens that were issued before an organization limited their lifetime, as `organization (id)`. */
async function* tokensBeyond(unitOfWork: UnitOfWork): AsyncGenerator<string> {
  for await (const organization of eachOrganization(unitOfWork)) {
    if (!organization.settings.maxTtlEnabled) continue;
    for (let after = ''; ; ) {
      const tokens = await unitOfWork.read((tx) => tx.tokens.actingIn(organization.id, after, batch));
      for (const token of tokens) {
        if (exceedsLifetime(token, organization)) yield `${organization.name} (${token.owner.kind} token ${token.id})`;
      }
      const last = tokens.at(-1);
      if (last === undefined || tokens.length < batch) break;
      after = last.id;
    }
  }
}

const batch = 500;

async function* eachOrganization(unitOfWork: UnitOfWork): AsyncGenerator<Organization> {
  for (let number = 1; ; number += 1) {
    const { items } = await unitOfWork.read((tx) => tx.organizations.pageOfAll({ number, size: 100 }));
    yield* items;
    if (items.length < 100) return;
  }
}

async function longTokens(unitOfWork: UnitOfWork): Promise<Found> {
  const named: string[] = [];
  for await (const name of tokensBeyond(unitOfWork)) {
    named.push(name);
    if (named.length > maxListed) break;
  }
  const more = named.length > maxListed ? ', and more' : '';
  return named.length === 0
    ? ok('no token lives for longer than its organization allows')
    : warning(
        `tokens that live for longer than their organization allows: ${named.slice(0, maxListed).join(', ')}${more}`,
        'they stay valid; issue each again with an expiry, or revoke it with gatehouse token revoke --id',
      );
}

const nearLimit = 0.9;
/** Further ones are counted but not named. */
const maxNamed = 10;

const namesOf = (organizations: readonly OrganizationBytes[]): string =>
  [
    ...organizations.slice(0, maxNamed).map(({ name, bytes }) => `${name} (${size(bytes)})`),
    ...(organizations.length > maxNamed ? [`${organizations.length - maxNamed} more`] : []),
  ].join(', ');

/** The bytes organizations keep, and whether the counters match the rows, all of which are read. */
async function keptBytes(unitOfWork: UnitOfWork, limit: number, call: Call): Promise<CheckResults> {
  if (call.switch(recount)) {
    for (const { id } of await unitOfWork.read((tx) => tx.keptBytes.drifts())) {
      await unitOfWork.run((tx) => tx.keptBytes.recount(id));
    }
  }
  const { drifts, largest } = await unitOfWork.read(async (tx) => ({
    drifts: await tx.keptBytes.drifts(),
    largest: await tx.keptBytes.largest(100),
  }));
  const near = largest.filter(({ bytes }) => bytes >= limit * nearLimit);
  return [
    drifts.length === 0
      ? ok('the storage counters agree with the stored data')
      : warning(
          `the storage counter differs from the stored data for ${namesOf(drifts)}`,
          `run gatehouse doctor --${recount} to correct it`,
        ),
    limit !== 0 &&
      (near.length === 0
        ? ok(`every organization stores less than 90 % of MAX_ORGANIZATION_BYTES (${size(limit)})`)
        : warning(
            `these organizations store 90 % of MAX_ORGANIZATION_BYTES (${size(limit)}) or more: ${namesOf(near)}`,
            'archive or permanently delete configuration versions, set ARCHIVE_AFTER_DAYS, or raise MAX_ORGANIZATION_BYTES',
          )),
  ];
}

/** Every group of one organization is a group of another once there is another. */
async function givenGroups(unitOfWork: UnitOfWork): Promise<Found> {
  const { organizations, names } = await unitOfWork.read(async (tx) => ({
    organizations: await tx.organizations.pageOfAll({ number: 1, size: 1 }),
    names: await tx.teamGroups.withEveryGroup(maxNamed + 1),
  }));
  const more = names.length > maxNamed ? ', and more' : '';
  return organizations.total < 2 || names.length === 0
    ? ok('no organization may map the groups of another to its teams')
    : warning(
        `these organizations may map every group at the identity provider to their teams: ${names.slice(0, maxNamed).join(', ')}${more}`,
        'give each its own groups with gatehouse organization groups NAME --give GROUP, and take * away with --take *',
      );
}

async function fillsFound(unitOfWork: UnitOfWork): Promise<CheckResults> {
  const fills = await unitOfWork.read((tx) => tx.fills.pending());
  return [fills.length > 0 && ok(fillsSentence(fills))];
}

/** The findings in a database with this release's schema. */
export const keptData = async (
  unitOfWork: UnitOfWork,
  { MAX_ORGANIZATION_BYTES: limit }: Config,
  call: Call,
): Promise<CheckResults> => [
  ...(await fillsFound(unitOfWork)),
  ...(await failingEffects(unitOfWork)),
  await removals(unitOfWork),
  await leftTokens(unitOfWork),
  await givenGroups(unitOfWork),
  await longTokens(unitOfWork),
  ...(await keptBytes(unitOfWork, limit, call)),
];
