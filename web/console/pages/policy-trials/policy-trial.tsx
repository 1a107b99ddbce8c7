import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api, type Schemas } from '../../api/client.ts';
import { outdated, useMaybeRead, usePolled, useRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Creator } from '../../parts/creator.tsx';
import { Facts } from '../../parts/facts.tsx';
import type { Params } from '../../parts/params.ts';
import { StatusBadge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { agentCommand } from '../../parts/token-lines.ts';
import { type Organization, OrganizationPage } from '../../shell/organization-page.tsx';
import { Results } from './results.tsx';
import { differenceOf, isOpen } from './verdicts.ts';

type Trial = Schemas['client.PolicyTrial'];

const one = '/policy-trials/{id}';
const results = '/policy-trials/{id}/results';

/** Between two reads of a trial that has not ended, in milliseconds: the stream of changes does not report trials. */
const interval = 3_000;

export function PolicyTrialPage({ params: { organization: name, id } }: Params<'organization' | 'id'>) {
  const { data: trial } = useRead(one, { path: { id } });
  useNewResults(trial);
  return (
    <OrganizationPage
      organization={name}
      section="policy-trials"
      title="Policy trial"
      badges={<StatusBadge of="trial" status={trial.attributes.status} />}
      actions={(organization) => isOpen(trial) && <Cancel organization={organization} trial={trial} />}
    >
      {() => (
        <>
          {isOpen(trial) && <Followed id={id} />}
          <div className="beside">
            <div>
              <Progress trial={trial} />
              <Summary trial={trial} />
              <Results organization={name} trialId={id} isOpen={isOpen(trial)} />
            </div>
            <section className="card" aria-labelledby="about">
              <h2 id="about">About</h2>
              <About organization={name} trial={trial} />
            </section>
          </div>
        </>
      )}
    </OrganizationPage>
  );
}

/** Reads the results again once the counts differ. */
function useNewResults({ attributes: { verdicts = [] } }: Trial): void {
  const counts = verdicts
    .map((one) => JSON.stringify(one))
    .toSorted()
    .join();
  const seen = useRef(counts);
  useEffect(() => {
    if (seen.current === counts) return;
    seen.current = counts;
    void outdated(results);
  }, [counts]);
}

/** Reads the trial at intervals while this is shown. */
function Followed({ id }: { readonly id: string }) {
  usePolled(one, { path: { id } }, interval);
  return null;
}

function About({ organization, trial }: { readonly organization: string; readonly trial: Trial }) {
  const { attributes, relationships } = trial;
  const setId = relationships['policy-set'].data?.id;
  const set = useMaybeRead('/policy-sets/{id}', { path: { id: setId ?? '' } }, { enabled: setId !== undefined });
  const names = attributes.policies.map((policy) => `${policy.name} (${policy['enforcement-level']})`);
  const parameters = attributes.parameters.map(({ key, value }) => `${key} = ${value}`);
  return (
    <Facts
      facts={[
        ...(setId === undefined
          ? []
          : [
              [
                'Compared with',
                <Link key="set" href={addresses.inSection(organization, 'policy-sets', setId)}>
                  {set.data?.data.attributes.name ?? setId}
                </Link>,
              ] as const,
            ]),
        ['Policies', names.join(', ')],
        ...(parameters.length === 0 ? [] : [['Parameters', parameters.join(', ')] as const]),
        ['Started by', <Creator key="creator" organization={organization} of={relationships['created-by'].data} />],
        ['Created', <Time key="created" at={attributes['created-at']} />],
        ['Kept until', <Time key="kept" at={attributes['expires-at']} />],
        ['ID', <code key="id">{trial.id}</code>],
      ]}
    />
  );
}

interface CancelProps {
  readonly organization: Organization;
  readonly trial: Trial;
}

/** For the person who asked, and for owners. */
function Cancel({ organization, trial }: CancelProps) {
  const own = useMaybeRead('/account/details', {}).data?.data.id;
  const cancel = useChange(() => api.post('/policy-trials/{id}/actions/cancel', { path: { id: trial.id } }), {
    done: 'The trial was canceled.',
    outdates: [one, '/organizations/{organization}/policy-trials'],
  });
  const isOwner = organization.attributes.permissions?.['can-update'] === true;
  if (!isOwner && trial.relationships['created-by'].data.id !== own) return null;
  return (
    <Confirm
      trigger="Cancel trial"
      title="Cancel this trial?"
      confirm="Cancel the trial"
      onConfirm={() => cancel.run(undefined)}
    >
      <p>The plans that were evaluated so far keep their results.</p>
    </Confirm>
  );
}

/** The reason why there are no results yet, or not all. Screen readers announce a new reason; they do not announce counts. */
function Progress({ trial }: { readonly trial: Trial }) {
  const { status, verdicts = [], 'error-message': failure } = trial.attributes;
  const plans = verdicts.reduce((sum, verdict) => sum + verdict.plans, 0);
  const waiting = verdicts.reduce((sum, verdict) => sum + (verdict.now === null ? verdict.plans : 0), 0);
  return (
    <>
      <div role="status">
        {status === 'queued' && <Queued />}
        {status === 'running' && <p className="notice">Agents evaluate the plans.</p>}
        {status === 'errored' && <p className="problem">{failure}.</p>}
        {status === 'canceled' && waiting > 0 && (
          <p className="notice">
            The trial was canceled before {waiting} of {plans} plans were evaluated.
          </p>
        )}
        {status === 'finished' && plans === 0 && (
          <p className="notice">
            The policy set applies to no workspace with a plan that you may read. Start a run in one of its workspaces
            first.
          </p>
        )}
      </div>
      {isOpen(trial) && plans > 0 && (
        <label className="field">
          <span>
            Evaluated: {plans - waiting} of {plans} plans
          </span>
          <progress value={plans - waiting} max={plans} />
        </label>
      )}
    </>
  );
}

const Queued = () => (
  <div className="notice">
    <p>
      No agent evaluates this trial yet. An agent that serves its workspaces, and has OPA, takes it once no run waits
      for it. After an hour without one, the trial fails. To start one, with a token of the agent pool:
    </p>
    <code>{agentCommand(location.origin)}</code>
  </div>
);

const order = ['worse', 'better', 'unknown', 'same'];

/** How many plans had which verdict before, and have which now; those that fail newly come first. */
function Summary({ trial }: { readonly trial: Trial }) {
  const { verdicts = [] } = trial.attributes;
  if (verdicts.length === 0) return null;
  const rankOf = ({ before, now }: (typeof verdicts)[number]): number =>
    now === null ? order.length : order.indexOf(differenceOf(before, now));
  return (
    <section className="card" aria-labelledby="summary">
      <h2 id="summary">Summary</h2>
      <Table
        caption="Summary"
        rows={verdicts.toSorted((first, second) => rankOf(first) - rankOf(second))}
        keyOf={({ before, now }) => `${before} ${now}`}
        empty={null}
        columns={[
          {
            head: 'Before',
            cell: ({ before }) =>
              before === null ? (
                <span className="quiet">not recorded</span>
              ) : (
                <StatusBadge of="verdict" status={before} />
              ),
          },
          {
            head: 'Now',
            cell: ({ now }) =>
              now === null ? <span className="quiet">not evaluated</span> : <StatusBadge of="verdict" status={now} />,
          },
          { head: 'Plans', isNumber: true, cell: ({ plans }) => plans },
        ]}
      />
    </section>
  );
}
