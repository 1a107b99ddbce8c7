import { z } from 'zod';
import type { OutcomeCount, OutcomeCountsPage } from '../../../application/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Document, Resource } from '../routing/document.js';
import { pageDocument } from '../routing/pagination.js';
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
import { count, maybeText, pageSchema, text } from '../routing/resource-schema.js';
import type { Call } from '../routing/route.js';

const outcomeCount =
  ({ attribute, toOneOrNone }: ResourceBuilder) =>
  ({ policySet, policy, workspaceId, workspaceName, day, ...counts }: OutcomeCount): Resource => ({
    id: [day, workspaceId, policySet, policy]
      .flatMap((part) => part ?? [])
      .map(encodeURIComponent)
      .join('/'),
    type: 'policy-outcome-counts',
    attributes: {
      'policy-set-name': attribute(maybeText, policySet, 'Null unless counted by policy or policy set.'),
      'policy-name': attribute(
        maybeText,
        policy,
        'Null unless counted by policy; also for a set that errored before any policy was evaluated.',
      ),
      'workspace-name': attribute(maybeText, workspaceName, 'Null unless counted by workspace.'),
      day: attribute(maybeText, day, 'In UTC; null unless counted by day.'),
      passed: attribute(count, counts.passed),
      failed: attribute(count, counts.failed),
      overridden: attribute(
        count,
        counts.overridden,
        'Failed or errored, unless advisory, and then overridden. They do not count as failed or errored.',
      ),
      errored: attribute(count, counts.errored),
    },
    relationships: { workspace: toOneOrNone('workspaces', workspaceId) },
  });

export const outcomeCountSchema = described(
  { name: 'PolicyOutcomeCount', about: 'How often policies passed and did not, of one policy, set, workspace or day.' },
  (words) => outcomeCount(words)(anyView()),
);

const present = outcomeCount(presenting);

export const outcomeCountsSchema = (dialect: Dialect) => {
  const page = pageSchema(outcomeCountSchema(dialect));
  const meta = {
    pagination: page.shape.meta.shape.pagination,
    from: text.describe('The first day that is counted.'),
    until: text.describe('The last day that is counted: today, in UTC.'),
  };
  return z.strictObject({ ...page.shape, meta: z.strictObject(meta) });
};

export function outcomeCountsDocument({ path, query }: Call, page: OutcomeCountsPage): Document {
  const { meta, ...document } = pageDocument(path, query, page, present);
  return { ...document, meta: { ...meta, from: page.from, until: page.until } };
}
