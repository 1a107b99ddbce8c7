import { z } from 'zod';
import { textOf } from './documents.js';
import { Refused } from './family-client.js';
import type { Pair, Steps, Work } from './importing.js';
import { type Kind, stepsInWords } from './kinds.js';
import { CopyStates } from './states.js';

const names = z.array(z.string());
const missing: readonly number[] = [403, 404, 405];

/** Flat tags, and tags with values, where the source has them. Nothing is removed at the target. */
const bindTags =
  ({ source, target, report, applies }: Work) =>
  async ({ source: item, found, targetId, label }: Pair, { type }: Kind): Promise<void> => {
    const list = (id: string) => `/${type}/${id}/tag-bindings`;
    const bindings = await collected(source.list(list(item.id)));
    const present = targetId === undefined ? new Map() : await collected(target.list(list(targetId)));
    const lacking = [...bindings].filter(([key, value]) => present.get(key) !== value);
    // Newer servers show a key without a value as a flat tag, too.
    const flat = (names.safeParse(item.attributes['tag-names']).data ?? []).filter((name) => bindings.get(name) !== '');
    const has = new Set(names.safeParse(found?.attributes['tag-names']).data);
    const lackingFlat = flat.filter((name) => !has.has(name.toLowerCase()));
    const created = lackingFlat.length + lacking.filter(([key]) => !present.has(key)).length;
    try {
      if (applies && lackingFlat.length > 0) {
        const data = lackingFlat.map((name) => ({ type: 'tags', attributes: { name } }));
        await target.send('POST', `/${type}/${targetId}/relationships/tags`, { data });
      }
      if (applies && targetId !== undefined && lacking.length > 0) {
        const data = lacking.map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } }));
        await target.send('PATCH', list(targetId), { data });
      }
      report.count(stepsInWords['bind-tags'], 'created', created);
      report.count(stepsInWords['bind-tags'], 'updated', lackingFlat.length + lacking.length - created);
      report.count(
        stepsInWords['bind-tags'],
        'unchanged',
        flat.length + bindings.size - lackingFlat.length - lacking.length,
      );
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      report.trouble({ kind: stepsInWords['bind-tags'], name: label, outcome: 'failed', detail: error.message });
    }
  };

/** Empty where the server does not have tags with values. */
async function collected(items: ReturnType<Work['source']['list']>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  try {
    for await (const item of items) found.set(textOf(item, 'key') ?? '', textOf(item, 'value') ?? '');
  } catch (error) {
    if (!(error instanceof Refused && missing.includes(error.status))) throw error;
  }
  return found;
}

/** The code of a policy. Both are compared, since an attribute does not say which code it is. */
const copyCode =
  ({ source, target, report, applies }: Work) =>
  async ({ source: item, targetId, label }: Pair): Promise<void> => {
    const codeOf = (server: Work['source'] | Work['target'], id: string) =>
      server.text(`/policies/${id}/download`).catch((error: unknown) => {
        if (error instanceof Refused) return undefined;
        throw error;
      });
    const code = await codeOf(source, item.id);
    if (code === undefined) {
      report.leave('policy-code', 1, label);
      return;
    }
    const present = targetId === undefined ? undefined : await codeOf(target, targetId);
    const outcome = present === undefined ? 'created' : present === code ? 'unchanged' : 'updated';
    if (applies && outcome !== 'unchanged') {
      await target.put(`/policies/${targetId}/upload`, () => Promise.resolve(code));
    }
    report.count(stepsInWords['copy-code'], outcome);
  };

export const stepsOf = (work: Work): Steps => {
  const states = new CopyStates(work);
  return {
    'bind-tags': bindTags(work),
    'copy-code': copyCode(work),
    'copy-states': (pair) => states.copy(pair),
  };
};
