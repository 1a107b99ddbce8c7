import { type ReactNode, useEffect, useState } from 'react';
import { Link, Redirect } from 'wouter';
import { addresses } from '../addresses.ts';
import { included, type Schemas } from '../api/client.ts';
import { useRead } from '../api/reading.ts';
import { Id } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import type { Params } from '../parts/params.ts';
import { StatusBadge } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { Decision } from '../run/decision.tsx';
import { StageLinks } from '../run/stage-links.tsx';
import { WorkspacePage } from '../workspace/workspace-page.tsx';
import { RunActions } from './run/actions.tsx';
import { PlannedChanges } from './run/changes.tsx';
import { LogView, useLinkedLine } from './run/log-view.tsx';
import { Policies } from './run/policies.tsx';
import { Timeline } from './run/timeline.tsx';
import { Waiting } from './run/waiting.tsx';

type Names = Params<'organization' | 'workspace' | 'id'>;
type Run = Schemas['client.Run'];

/** The address that terraform prints. */
export const PrintedRunPage = ({ params: { organization, workspace, id } }: Names) => (
  <Redirect to={addresses.run(organization, workspace, id)} replace />
);

export function RunPage({ params: { organization, workspace, id } }: Names) {
  const document = useRead('/runs/{id}', { path: { id }, query: { include: ['plan', 'apply', 'created_by'] } });
  const run = document.data;
  const { attributes, relationships } = run;
  const plan = included<Schemas['client.Plan']>(document, 'plans', relationships.plan.data.id);
  const apply = included<Schemas['client.Apply']>(document, 'applies', relationships.apply.data.id);
  const by = included<Schemas['client.Member']>(document, 'users', relationships['created-by'].data?.id);
  return (
    <WorkspacePage
      organization={organization}
      name={workspace}
      tab="runs"
      title={attributes.message || id}
      badges={<StatusBadge of="run" status={attributes.status} />}
      actions={() => <RunActions run={run} />}
    >
      {(shown) => (
        <>
          <p className="quiet">
            {kindOf(attributes)} by {by?.attributes.username ?? 'the service'} <Time at={attributes['created-at']} />
          </p>
          <StageLinks run={run} plan={plan} apply={apply} />
          {attributes['error-message'] !== null && <p className="problem">{attributes['error-message']}</p>}
          <Decision organization={organization} run={run} plan={plan} />
          <Waiting organization={organization} workspace={shown} run={run} />
          <div className="beside">
            <div>
              {plan !== undefined && (
                <Phase title="Plan" phase={plan}>
                  {plan.attributes.status === 'finished' && <PlannedChanges planId={plan.id} />}
                </Phase>
              )}
              <Policies runId={id} />
              {apply !== undefined && !['pending', 'unreachable'].includes(apply.attributes.status) && (
                <Phase title="Apply" phase={apply} />
              )}
            </div>
            <div className="stays">
              <Timeline run={run} />
              <section className="card" aria-labelledby="about">
                <h2 id="about">About</h2>
                <Facts facts={factsOf(run)} />
                <Link href={addresses.inWorkspace(organization, workspace, 'runs')}>All runs of this workspace</Link>
              </section>
            </div>
          </div>
        </>
      )}
    </WorkspacePage>
  );
}

const factsOf = ({ id, attributes }: Run) =>
  [
    ['ID', <Id key="id" id={id} />],
    ['Apply', attributes['auto-apply'] ? 'automatically' : 'after confirmation'],
    ['Terraform', attributes['terraform-version'] ?? "the workspace's"],
    ...(attributes['position-in-queue'] > 0
      ? [['Place in the queue of the organization', attributes['position-in-queue']] as const]
      : []),
    ...(attributes['target-addrs'] ? [['Targets', attributes['target-addrs'].join(', ')] as const] : []),
    ...(attributes['replace-addrs'] ? [['Replaces', attributes['replace-addrs'].join(', ')] as const] : []),
  ] as const;

function kindOf(attributes: Run['attributes']): string {
  if (attributes['is-destroy']) return 'Destroys everything,';
  if (attributes['plan-only']) return 'Plan only,';
  if (attributes['refresh-only']) return 'Refreshes the state only,';
  return attributes['save-plan'] ? 'Saved plan,' : 'Plan and apply,';
}

interface PhaseProps {
  readonly title: string;
  readonly phase: Schemas['client.Plan'] | Schemas['client.Apply'];
  readonly children?: ReactNode;
}

function Phase({ title, phase, children }: PhaseProps) {
  const { status, 'log-read-url': url } = phase.attributes;
  const hasBegun = !['pending', 'queued', 'unreachable'].includes(status);
  // The log of a phase that failed says why.
  const isOfInterest = ['pending', 'queued', 'running', 'errored'].includes(status);
  const name = title.toLowerCase();
  return (
    <section className="card" aria-labelledby={name}>
      <div className="heading">
        <h2 id={name}>{title}</h2>
        <StatusBadge of="phase" status={status} />
        <Counts phase={phase} />
      </div>
      {children}
      {status !== 'unreachable' && (
        // Another one, closed again, once the phase is over.
        <LogPart key={String(isOfInterest)} isOpenAtFirst={isOfInterest} name={name} url={url} hasBegun={hasBegun} />
      )}
    </section>
  );
}

interface LogPartProps {
  readonly isOpenAtFirst: boolean;
  readonly name: string;
  readonly url: string;
  readonly hasBegun: boolean;
}

/** The log, which is read while it is open. A link to one of its lines opens it. */
function LogPart({ isOpenAtFirst, ...log }: LogPartProps) {
  const linked = useLinkedLine(log.name);
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  useEffect(() => {
    if (linked !== undefined) setOpen(true);
  }, [linked]);
  return (
    <details className="log-part" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Log</summary>
      {isOpen && <LogView {...log} />}
    </details>
  );
}

const Counts = ({ phase: { attributes } }: Pick<PhaseProps, 'phase'>) =>
  attributes['resource-additions'] === null ? null : (
    <span>
      {attributes['resource-additions']} to add, {attributes['resource-changes']} to change,{' '}
      {attributes['resource-destructions']} to destroy
      {(attributes['resource-imports'] ?? 0) > 0 && `, ${attributes['resource-imports']} to import`}
    </span>
  );
