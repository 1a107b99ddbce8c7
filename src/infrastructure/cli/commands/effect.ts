import type { FailingEffect } from '../../../application/index.js';
import type { Command } from '../toolkit/command.js';
import { all, atWork, findOrFail, type Workplace } from '../toolkit/operator.js';
import { listing } from '../toolkit/output.js';

const presented = ({ id, kind, subject, attempts, status, lastError, notBefore }: FailingEffect) => ({
  id,
  kind,
  subject,
  attempts,
  status,
  'last-error': lastError,
  'next-attempt-at': notBefore,
});

const failing = (place: Workplace): Promise<readonly FailingEffect[]> =>
  all((page) => place.use.listFailingEffects.execute(place.operator, page));

const list: Command = {
  name: 'effect list',
  does: 'lists the background jobs that keep failing or were put aside, oldest first',
  run: async (call) =>
    atWork(call, async (place) => {
      const found = await failing(place);
      const rows = found.map(({ id, kind, subject, status, lastError }) => [id, kind, subject, status, lastError]);
      return {
        json: found.map(presented),
        text: listing(['id', 'kind', 'for', 'status', 'last error'], rows, 'background job'),
      };
    }),
};

const about =
  'A running service attempts it within seconds. A resource that became errored when it was put aside stays errored, except that the outputs and resources of a state version are then read.';

async function retried(place: Workplace, ids: readonly string[]) {
  for (const id of ids)
    await findOrFail(`failing background job ${id}`, place.use.retryEffect.execute(place.operator, id));
  return {
    json: ids.map((id) => ({ id: Number(id), retried: true })),
    text: ids.length === 0 ? 'no background job is put aside' : `${ids.join(', ')}: due at once`,
  };
}

const retry: Command = {
  name: 'effect retry',
  does: 'makes a background job due at once that failed or was put aside',
  about,
  args: ['ID'],
  run: async (call) => atWork(call, (place) => retried(place, [call.arg(0)])),
};

const retryAll: Command = {
  name: 'effect retry-all',
  does: 'makes every background job due at once that was put aside',
  about,
  run: async (call) =>
    atWork(call, async (place) => {
      const aside = (await failing(place)).filter(({ status }) => status === 'put_aside');
      return retried(
        place,
        aside.map(({ id }) => String(id)),
      );
    }),
};

export const effectCommands: readonly Command[] = [list, retry, retryAll];
