import { Pages } from './api.js';
import { counted, detail, make, mark, plain, quiet, row, tableOf } from './elements.js';
import { rest, say } from './lists.js';

/** @typedef {import('./api.js').Client} Client */
/** @typedef {import('./api.js').Resource} Resource */

/** By how they are told, the gravest first. @type {readonly (readonly ['bad' | 'warn' | 'good', string])[]} */
const results = [
  ['bad', 'Failed'],
  ['bad', 'Errored'],
  ['warn', 'Advisory'],
  ['good', 'Passed'],
];

/** @param {{ status: string, enforcement_level: string | null }} outcome */
function resultOf({ status, enforcement_level }) {
  if (status === 'passed') return 'Passed';
  if (status === 'errored') return 'Errored';
  return enforcement_level === 'advisory' ? 'Advisory' : 'Failed';
}

/** The most of one policy's output that is shown. */
const mostOutput = 4000;

/** @param {unknown[] | null} output */
function said(output) {
  if (output === null || output.length === 0) return '–';
  const text = output.map((part) => (typeof part === 'string' ? part : JSON.stringify(part, null, 2))).join('\n');
  const cut = text.length > mostOutput ? `${text.slice(0, mostOutput)}…` : text;
  return make('details', {}, make('summary', {}, 'Output'), make('pre', {}, cut));
}

/**
 * @param {Client} client
 * @param {string} runId
 * @param {AbortSignal} signal
 * @param {HTMLElement} place
 */
export async function showOutcomes(client, runId, signal, place) {
  say(`Loading the policy outcomes of ${runId}…`);
  const stages = await client.get(`runs/${encodeURIComponent(runId)}/task-stages`, signal);
  const heading = make('h3', { tabindex: '-1' }, 'Policy outcomes of ', make('code', {}, runId));
  const tally = make('ul', { class: 'tally' });
  const counts = quiet('');
  const warnings = make('ul', { class: 'quiet' });
  const table = tableOf(`Policy outcomes of ${runId}`, ['Result', 'Policy', 'Policy set', 'Enforcement', 'Message']);
  /** @type {Resource[]} */
  const evaluations = [];
  for (const stage of stages.data) {
    const { data } = await client.get(`task-stages/${encodeURIComponent(stage.id)}/policy-evaluations`, signal);
    evaluations.push(...data);
  }
  if (evaluations.length === 0) {
    place.append(heading, quiet('No policy applied to this run.'));
    heading.focus();
    return say('');
  }
  const lists = evaluations.map(
    ({ id }) => new Pages(client, `policy-evaluations/${encodeURIComponent(id)}/policy-set-outcomes`, signal, 100),
  );
  await Promise.all(lists.map((list) => list.readMost()));
  const statuses = [
    ...stages.data.map(
      (/** @type {Resource} */ { attributes: { stage, status } }) => `${plain(stage)}: ${plain(status)}`,
    ),
    ...evaluations.map(({ attributes }) => `${attributes['policy-kind']} policies: ${plain(attributes.status)}`),
  ];
  place.append(heading, quiet(`${statuses.join('; ')}.`), tally, counts, warnings, table.box);
  /** What is opened in them is to stay open. @type {Map<Resource, ReturnType<typeof outcomesOf>>} */
  const made = new Map();
  draw();
  for (const list of lists) {
    if (!list.hasMore) continue;
    const { line } = rest(list, 'policy set', place, async () => draw());
    place.append(line);
  }
  heading.focus();

  function draw() {
    const sets = lists.flatMap(({ items }) => items);
    for (const set of sets) if (!made.has(set)) made.set(set, outcomesOf(set.attributes));
    const all = sets.flatMap((set) => made.get(set) ?? []);
    const total = lists.reduce((sum, list) => sum + list.total, 0);
    const part = lists.some((list) => list.hasMore) ? `${sets.length} of ${counted(total, 'policy set')}` : '';
    counts.textContent = part === '' ? '' : `Only ${part} are loaded. The others are not counted.`;
    counts.hidden = part === '';
    warnings.replaceChildren(
      ...sets.flatMap(({ attributes }) =>
        attributes.warnings.map((/** @type {string} */ text) =>
          make('li', {}, mark('warn', 'warning'), ` of ${attributes['policy-set-name']}: ${text}`),
        ),
      ),
    );
    warnings.hidden = warnings.childElementCount === 0;
    tally.replaceChildren(
      ...results.map(([kind, result]) => {
        const count = all.filter((outcome) => outcome.result === result).length;
        return make(
          'li',
          {},
          make('strong', {}, String(count)),
          ' ',
          mark(count === 0 ? 'none' : kind, result.toLowerCase()),
        );
      }),
    );
    table.body.replaceChildren(
      ...results.flatMap(([kind, result]) =>
        all
          .filter((outcome) => outcome.result === result)
          .map(({ policy, about, set, enforcement, output }) =>
            row(mark(kind, result), make('span', {}, policy, detail(about)), set, enforcement, output),
          ),
      ),
    );
    say(
      `${counted(all.length, 'policy outcome')} of ${runId}${part && `, in ${part}`}: ${results.map(([, result]) => `${all.filter((outcome) => outcome.result === result).length} ${result.toLowerCase()}`).join(', ')}.`,
    );
  }
}

/** @param {Resource['attributes']} set */
function outcomesOf(set) {
  const name = set['policy-set-name'];
  const whole = set.error
    ? [{ result: 'Errored', policy: 'the whole set', about: '', set: name, enforcement: '–', output: set.error }]
    : [];
  return [
    ...whole,
    ...set.outcomes.map((/** @type {any} */ outcome) => ({
      result: resultOf(outcome),
      policy: outcome.policy_name,
      about: outcome.description ?? '',
      set: name,
      enforcement: outcome.enforcement_level ?? '–',
      output: said(outcome.output),
    })),
  ];
}
