type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

const tones: Readonly<Record<string, Tone>> = {
  applied: 'good',
  planned_and_finished: 'good',
  planned_and_saved: 'warn',
  uploaded: 'good',
  finished: 'good',
  finalized: 'good',
  passed: 'good',
  active: 'good',
  current: 'good',
  added: 'good',
  planned: 'warn',
  post_plan_completed: 'warn',
  post_plan_awaiting_decision: 'warn',
  awaiting_override: 'warn',
  overridden: 'warn',
  invited: 'warn',
  locked: 'warn',
  expiring: 'warn',
  expired: 'bad',
  changed: 'warn',
  errored: 'bad',
  failed: 'bad',
  unreachable: 'bad',
  removed: 'bad',
  planning: 'busy',
  applying: 'busy',
  fetching: 'busy',
  running: 'busy',
  pre_plan_running: 'busy',
  post_plan_running: 'busy',
  pre_apply_running: 'busy',
};

const marks: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', warn: '!', busy: '●', idle: '○' };

/** A status in words, with a colour and a mark. */
export const StatusBadge = ({ status, label }: { readonly status: string; readonly label?: string }) => {
  const tone = tones[status] ?? 'idle';
  return (
    <span className={`badge badge-${tone}`}>
      <span aria-hidden="true">{marks[tone]}</span> {label ?? status.replaceAll('_', ' ')}
    </span>
  );
};
