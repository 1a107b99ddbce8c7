import { useState } from 'react';
import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { StatusBadge } from '../../parts/status.tsx';
import { gravestFirst } from '../../run/policy-message.ts';
import { Messages } from '../../run/policy-messages.tsx';
import { Loading } from '../../shell/page.tsx';
import { type Case, casesOf, type Difference, type PolicyVerdict, type Result, type Verdict } from './verdicts.ts';

const path = '/policy-trials/{id}/results';

const groups: readonly { readonly difference: Difference; readonly title: string; readonly about: string }[] = [
  { difference: 'worse', title: 'Newly fail', about: 'Runs like these would fail the policy set.' },
  { difference: 'better', title: 'No longer fail', about: 'Runs like these would pass the policy set.' },
  {
    difference: 'unknown',
    title: 'Not comparable',
    about: 'The verdict may depend on values that are removed from stored plans, or no longer kept.',
  },
  { difference: 'same', title: 'Same as before', about: 'The verdict does not change.' },
];

interface Props {
  readonly organization: string;
  readonly trialId: string;
  readonly isOpen: boolean;
}

/** The verdicts on each plan: those that differ from the recorded ones first, and alike ones together. */
export function Results({ organization, trialId, isOpen }: Props) {
  const { data, error } = useMaybeRead(path, { path: { id: trialId }, query: { 'page[size]': 100 } });
  const workspaces = useWorkspaceNames(organization);
  if (error !== null) return <ProblemView problem={error} />;
  if (data === undefined) return <Loading />;
  const cases = casesOf(data.data);
  const shown = groups.filter(({ difference }) => cases[difference].length > 0);
  return (
    <>
      {shown.map(({ difference, title, about }) => (
        <section key={difference} className="card" aria-labelledby={difference}>
          <h2 id={difference}>
            {title}: {cases[difference].reduce((sum, { plans }) => sum + plans.length, 0)}
          </h2>
          <p className="quiet">{about}</p>
          <Cases
            cases={cases[difference]}
            nameOf={workspaces}
            organization={organization}
            isQuiet={difference === 'same'}
          />
        </section>
      ))}
      {!isOpen && cases.worse.length === 0 && data.data.length > 0 && <p>No plan fails that did not fail before.</p>}
    </>
  );
}

/** By id, those of the newest runs: the plans of a trial are among these. */
function useWorkspaceNames(organization: string): (id: string) => string | undefined {
  const { data } = useMaybeRead('/organizations/{organization}/workspaces', {
    path: { organization },
    query: { sort: '-current-run.created-at', 'page[size]': 100 },
  });
  return (id) => data?.data.find((workspace) => workspace.id === id)?.attributes.name;
}

interface CasesProps {
  readonly organization: string;
  readonly cases: readonly Case[];
  readonly nameOf: (workspaceId: string) => string | undefined;
  /** Whether the policies are left out. */
  readonly isQuiet: boolean;
}

const casesAtATime = 20;

function Cases({ organization, cases, nameOf, isQuiet }: CasesProps) {
  const [most, setMost] = useState(casesAtATime);
  return (
    <>
      {cases.slice(0, most).map((one) => (
        <section key={one.plans[0]?.id} className="policy-set">
          <h3 className="verdicts">
            <Verdicts before={one.before} now={one.now} />
          </h3>
          <Plans organization={organization} plans={one.plans} nameOf={nameOf} />
          {!isQuiet && <Reasons found={one} />}
        </section>
      ))}
      {cases.length > most && (
        <Button onPress={() => setMost(most + casesAtATime)}>Show {cases.length - most} more</Button>
      )}
    </>
  );
}

const Verdicts = ({ before, now }: { readonly before: Verdict | null; readonly now: Verdict }) => (
  <>
    {before === null ? 'Not recorded' : <StatusBadge of="verdict" status={before} />} <span aria-hidden="true">→</span>
    <span className="unseen">now</span> <StatusBadge of="verdict" status={now} />
  </>
);

interface PlansProps extends Pick<CasesProps, 'organization' | 'nameOf'> {
  readonly plans: readonly Result[];
}

const plansAtATime = 10;

/** Links to the runs of the plans. */
function Plans({ organization, plans, nameOf }: PlansProps) {
  const [most, setMost] = useState(plansAtATime);
  return (
    <ul className="plans" aria-label="Runs">
      {plans.slice(0, most).map(({ id, relationships: { run, workspace } }) => {
        const name = nameOf(workspace.data.id);
        return (
          <li key={id}>
            {name === undefined ? (
              <code>{run.data.id}</code>
            ) : (
              <Link href={addresses.run(organization, name, run.data.id)}>
                {name} <code>{run.data.id}</code>
              </Link>
            )}
          </li>
        );
      })}
      {plans.length > most && (
        <li>
          <Button kind="quiet" onPress={() => setMost(plans.length)}>
            {plans.length - most} more
          </Button>
        </li>
      )}
    </ul>
  );
}

const judged = ({ before, now }: PolicyVerdict) => ({
  status: now?.status ?? before?.status ?? 'passed',
  level: now?.['enforcement-level'] ?? null,
});

/** Why the verdict is what it is: the error of the whole set, or the policies with their messages. */
function Reasons({ found: { now, reason, policies } }: { readonly found: Case }) {
  const isShownBelow = policies.some((policy) => policy.now?.reason === reason);
  return (
    <>
      {reason !== null && !isShownBelow && <p className={now === 'errored' ? 'problem' : undefined}>{reason}</p>}
      {policies.length > 0 && (
        <ul className="policies">
          {gravestFirst(policies, judged).map((policy) => (
            <li key={policy.name}>
              {policy.now === null ? (
                <>
                  The set no longer contains <strong>{policy.name}</strong>.
                </>
              ) : (
                <>
                  <StatusBadge of="verdict" status={policy.now.status} /> <strong>{policy.name}</strong>{' '}
                  <span className="quiet">{policy.now['enforcement-level']}</span>
                  {policy.now.reason !== null && <p>{policy.now.reason}</p>}
                  <Messages policy={policy.name} output={policy.now.output} />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
