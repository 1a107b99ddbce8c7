import { z } from 'zod';
import {
  type Attention,
  attentionListed,
  attentionSearched,
  type Counted,
  type DueRun,
  type EndingToken,
  type ShownNamedRun,
} from '../../../../application/index.js';
import { dueDecisions, may, runStatuses } from '../../../../domain/index.js';
import { updatedAtOf } from '../../../../domain/supporting/runs/run.js';
import type { Members, Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, flag, maybeText, text } from '../../routing/resource-schema.js';

const maybeCount = count.nullable();
const runStatus = z.enum(runStatuses);
const decision = z.enum(dueDecisions);
const tokenKind = z.enum(['user', 'team', 'organization', 'auditor']);

const namedRun = ({ attribute }: ResourceBuilder, { run, workspaceName, createdBy, standing }: ShownNamedRun) => ({
  id: attribute(text, run.id),
  'workspace-id': attribute(text, run.workspaceId),
  'workspace-name': attribute(text, workspaceName),
  message: attribute(text, run.options.message),
  status: attribute(runStatus, run.status),
  since: attribute(dateTime, updatedAtOf(run), 'When it reached its status.'),
  'created-at': attribute(dateTime, run.createdAt),
  'created-by': attribute(maybeText, createdBy, 'The username of the member who created it; null for anyone else.'),
  'is-destroy': attribute(flag, run.options.isDestroy),
  'can-apply': attribute(flag, may(standing, 'runs/apply'), 'Whether the caller may confirm and discard it.'),
});

const dueRun = (words: ResourceBuilder) => (due: DueRun) => {
  const { attribute } = words;
  const { planned } = due.run;
  return {
    ...namedRun(words, due),
    decision: attribute(decision, due.decision, 'The decision that the caller may make.'),
    'resource-additions': attribute(maybeCount, planned?.additions ?? null),
    'resource-changes': attribute(maybeCount, planned?.changes ?? null),
    'resource-destructions': attribute(maybeCount, planned?.destructions ?? null),
    'resource-imports': attribute(maybeCount, planned?.imports ?? null),
    'failed-policy': attribute(maybeText, due.failedPolicy, 'The first by name of the policies that failed.'),
    'failed-policies': attribute(count, due.failedPolicies, 'The number of policies that failed.'),
  };
};

const failedRun =
  (words: ResourceBuilder) =>
  (failed: ShownNamedRun): Members => ({
    ...namedRun(words, failed),
    'error-message': words.attribute(maybeText, failed.run.failure),
  });

const unservedRun =
  (words: ResourceBuilder) =>
  (unserved: Attention['unserved']['items'][number]): Members => ({
    ...namedRun(words, unserved),
    'agent-pool-id': words.attribute(maybeText, unserved.poolId, 'Null for the pools of the site.'),
  });

const endingToken =
  ({ attribute }: ResourceBuilder) =>
  ({ token, teamName }: EndingToken): Members => ({
    id: attribute(text, token.id),
    kind: attribute(tokenKind, token.owner.kind),
    'owner-id': attribute(text, token.owner.id),
    'team-name': attribute(maybeText, teamName),
    description: attribute(maybeText, token.description),
    'expired-at': attribute(dateTime, token.expiresAt ?? ''),
  });

const counted = <Item>(
  { attribute, each, group }: ResourceBuilder,
  { items, total, complete }: Counted<Item>,
  present: (item: Item) => Members,
  about: string,
) =>
  group(
    {
      'total-count': attribute(count, total),
      complete: attribute(
        flag,
        complete,
        `False if more than ${attentionSearched} had to be looked at: the count is a minimum.`,
      ),
      items: each(items, present, `At most ${attentionListed}.`),
    },
    about,
  );

/** The resource's id is the organization's name. */
const attention =
  (words: ResourceBuilder) =>
  ({ organizationName, decisions, failures, unserved, tokens }: Attention): Resource => ({
    id: organizationName,
    type: 'attention',
    attributes: {
      decisions: counted(
        words,
        decisions,
        dueRun(words),
        'Runs that wait for a confirmation or an override that the caller may give, oldest first.',
      ),
      failures: counted(
        words,
        failures,
        failedRun(words),
        'The last runs of workspaces whose last run failed, newest first.',
      ),
      'without-agent': counted(
        words,
        unserved,
        unservedRun(words),
        'Runs that wait for an agent, where none of their pool was in contact for three minutes, oldest first.',
      ),
      tokens: counted(
        words,
        tokens,
        endingToken(words),
        "Tokens that end within 14 days: the caller's own, and those of teams and of the organization that the caller manages.",
      ),
    },
  });

export const presentAttention = attention(presenting);

export const attentionSchema = described(
  {
    name: 'Attention',
    about:
      'Decisions, failures and tokens that wait for the caller in an organization. Its id is the name of the organization.',
  },
  (words) => attention(words)(anyView()),
);
