import { describe, expect, it } from '@jest/globals';
import { statuses, statusTraits } from '../../src/domain/configuration-versions/lifecycle.js';
import { outcomeStatuses } from '../../src/domain/policy-outcomes/policy-set-outcome.js';
import { trialStatuses, trialVerdicts } from '../../src/domain/policy-outcomes/policy-trial.js';
import { evaluationStatuses, taskStageStatuses } from '../../src/domain/policy-outcomes/task-stage.js';
import { membershipStatuses } from '../../src/domain/supporting/organizations/organization.js';
import { taskResultStatuses } from '../../src/domain/supporting/run-tasks/task-result.js';
import { runEventActions } from '../../src/domain/supporting/runs/run-event.js';
import { runLifecycle } from '../../src/domain/supporting/runs/run-lifecycle.js';
import { phaseStatuses } from '../../src/domain/supporting/runs/run-phase.js';
import { runStatuses } from '../../src/domain/supporting/runs/run-status.js';
import { stateVersionStatuses } from '../../src/domain/supporting/state-versions/state-version.js';
import {
  runGroups,
  runStatusesIn,
  statusWords,
  unusableVersions,
  waitsFor,
} from '../../web/console/parts/status-words.js';

describe('the words of the console', () => {
  it.each([
    ['run', runStatuses],
    ['event', runEventActions],
    ['phase', phaseStatuses],
    ['stage', taskStageStatuses],
    ['evaluation', evaluationStatuses],
    ['task', taskResultStatuses],
    ['outcome', outcomeStatuses],
    ['trial', trialStatuses],
    ['verdict', trialVerdicts],
    ['version', statuses],
    ['state', stateVersionStatuses],
    ['membership', membershipStatuses],
  ] as const)('exist for every status of a %s', (subject, known) => {
    expect(Object.keys(statusWords[subject]).sort()).toEqual([...known].sort());
  });

  it('never show a status as the API has it', () => {
    const labels = Object.values(statusWords).flatMap((words) => Object.values(words).map(([label]) => label));
    expect(labels.filter((label) => !/^[A-Z][a-z, -]+$/.test(label))).toEqual([]);
  });
});

describe('the filter of runs by status', () => {
  it('has each status in one group', () => {
    expect(runGroups.flatMap((group) => group.statuses).sort()).toEqual([...runStatuses].sort());
  });

  it('finds what can be confirmed or overridden under "Needs a decision"', () => {
    const decided = runLifecycle
      .filter(({ trigger }) => trigger === 'confirm' || trigger === 'override-policies')
      .flatMap(({ from }) => from);
    expect(runGroups.find(({ label }) => label === 'Needs a decision')?.statuses.toSorted()).toEqual(
      decided.toSorted(),
    );
  });

  it('leaves out what an old address names', () => {
    expect(runStatusesIn('non_final,applied,toString')).toEqual(['applied']);
  });
});

describe('a run that waits', () => {
  it('says for what, where the lifecycle has it wait', () => {
    const forWorkspace = runLifecycle.flatMap(({ guards, from }) =>
      (guards as readonly string[]).includes('workspace available') ? from : [],
    );
    const forAgent = runLifecycle.flatMap(({ trigger, from }) =>
      trigger === 'start-plan' || trigger === 'start-apply' ? from : [],
    );
    const waiting = (what: string) => runStatuses.filter((status) => waitsFor(status) === what);
    // The tasks before an apply have the workspace already.
    const held = ['pre_apply_completed'];
    expect(waiting('workspace').toSorted()).toEqual(
      [...new Set(forWorkspace)].filter((one) => !held.includes(one)).sort(),
    );
    expect(waiting('agent').toSorted()).toEqual([...new Set(forAgent)].sort());
  });
});

describe('a configuration version that no run can use', () => {
  it('has a reason', () => {
    const unusable = statuses.filter(
      (status) => statusTraits[status].readable && statusTraits[status].usableInRuns.length === 0,
    );
    expect(Object.keys(unusableVersions)).toEqual(unusable);
  });
});
