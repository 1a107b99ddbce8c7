import type { Schemas } from '../../api/client.ts';
import { useMaybeRead, useMaybeReadEach } from '../../api/reading.ts';
import { StatusBadge } from '../../parts/status.tsx';
import type { Workspace } from '../../workspace/workspace.ts';

interface Props {
  readonly workspace: Workspace;
}

/** The policy sets that checked the latest run; absent where none did. */
export function CheckedBy({ workspace: { attributes, relationships } }: Props) {
  const id = relationships['latest-run']?.data?.id;
  const stages = useMaybeRead(
    '/runs/{runId}/task-stages',
    { path: { runId: id ?? '' } },
    { enabled: id !== undefined && attributes.permissions['can-read-run'] },
  ).data?.data;
  const evaluations = (stages ?? []).flatMap((stage) => stage.relationships['policy-evaluations'].data);
  const reads = useMaybeReadEach(
    '/policy-evaluations/{policyEvaluationId}/policy-set-outcomes',
    evaluations.map((one) => ({ path: { policyEvaluationId: one.id }, query: { 'page[size]': 100 } })),
  );
  const outcomes = reads.flatMap(({ data }): readonly Schemas['client.PolicySetOutcome'][] => data?.data ?? []);
  if (outcomes.length === 0) return null;
  return (
    <section className="card" aria-labelledby="policy-sets">
      <h2 id="policy-sets">Policy sets of the latest run</h2>
      <ul className="plain">
        {outcomes.map(({ id: outcomeId, attributes: outcome }) => (
          <li key={outcomeId}>
            {outcome['policy-set-name']} <StatusBadge of="outcome" status={outcome.status} />
          </li>
        ))}
      </ul>
    </section>
  );
}
