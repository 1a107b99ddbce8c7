import type { KeyValue } from '../../../../domain/index.js';
import { limits } from '../../routing/limits.js';
import { textual } from '../../routing/parameters.js';
import type { Query } from '../../routing/query.js';
import { RequestError } from '../../routing/request-error.js';

/** For the description of the API, which cannot have parameters whose names the caller chooses: shown for one group. */
export const taggedParameters = (tagged: string, binding: string) => ({
  'filter[tagged][0][key]': textual(
    `Only ${tagged} with ${binding} of this key. Add groups \`1\`, \`2\` and so on for more bindings.`,
  ),
  'filter[tagged][0][value]': textual(`Only ${tagged} whose binding of the same group has this value.`),
});

/** The group is any text without brackets. */
const wellFormed = /^filter\[tagged\]\[([^[\]]+)\]\[(key|value)\]$/;

const refused = (parameter: string, detail: string): RequestError =>
  new RequestError(400, 'bad request', [{ parameter, detail }]);

/** The bindings that all must be there. Throws a 400 for a malformed group, and for too many. An empty value is any. */
export function taggedBindings(query: Query): readonly Partial<KeyValue>[] {
  const groups = new Map<string, { key?: string; value?: string }>();
  for (const parameter of query.names()) {
    if (!parameter.startsWith('filter[tagged][')) continue;
    const [, group, member] = wellFormed.exec(parameter) ?? [];
    if (group === undefined) {
      throw refused(parameter, 'filter[tagged] must be written filter[tagged][0][key] or filter[tagged][0][value]');
    }
    const text = query.one(parameter);
    groups.set(group, { ...groups.get(group), ...(text && { [member as keyof KeyValue]: text }) });
    if (groups.size > limits.tagFilters.max) {
      throw refused(parameter, `filter[tagged] may have at most ${limits.tagFilters.max} groups`);
    }
  }
  for (const [group, binding] of groups) {
    if (Object.keys(binding).length > 0) continue;
    throw refused(`filter[tagged][${group}][key]`, 'filter[tagged] requires a key or a value in each group');
  }
  return [...groups.values()];
}
