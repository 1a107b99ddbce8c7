import type { Backend } from '../../tests/support/backends.js';
import { identifiersIn, Pool } from './pool.js';
import type { Outgoing } from './requests.js';
import { startService } from './service.js';
import { Settler } from './settler.js';
import { curlOf, descriptionOf, everySoManyRequests, type Finding, type Sent, wrongWith } from './walk.js';

/** The time limit of the search for a shorter sequence, in milliseconds. */
const budget = 60_000;

/** A shorter sequence of requests that reproduces the finding, as shell lines. Shows the last 30. */
export async function shrunk(backend: Backend, finding: Finding, history: readonly Sent[]): Promise<readonly string[]> {
  const until = performance.now() + budget;
  const before = history.filter(({ number }) => number < finding.number);
  let way = waysTo(finding, before);
  if (await fails(backend, finding, [])) way = [];
  else if (!(await fails(backend, finding, way))) way = before;
  else {
    for (let size = Math.ceil(way.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < way.length && performance.now() < until; ) {
        const fewer = [...way.slice(0, at), ...way.slice(at + size)];
        if (await fails(backend, finding, fewer)) way = fewer;
        else at += size;
      }
    }
  }
  const shown = way
    .slice(-30)
    .map(({ outgoing }) => (outgoing === undefined ? '# an organization is settled' : curlOf(outgoing)));
  const left = way.length > shown.length ? [`# after ${way.length - shown.length} requests more`] : [];
  return [...left, ...shown, curlOf(finding.outgoing), `# ${finding.what}`];
}

const textOf = ({ url, headers, body }: Outgoing): string =>
  `${url} ${JSON.stringify(headers)} ${body?.toString() ?? ''}`;

/** The requests that changed an object of this request, or that led to it. */
function waysTo({ outgoing }: Finding, before: readonly Sent[]): readonly Sent[] {
  const about = new Set(identifiersIn(textOf(outgoing)));
  const way: Sent[] = [];
  for (const sent of before.toReversed()) {
    const named = sent.outgoing === undefined ? [] : identifiersIn(textOf(sent.outgoing));
    if (!sent.changed || ![...sent.identifiers, ...named].some((name) => about.has(name))) continue;
    way.unshift(sent);
    for (const name of named) about.add(name);
  }
  return way;
}

/** Whether a replay finds the same fault. Ids and secrets from new responses replace the old ones in later requests. */
async function fails(backend: Backend, finding: Finding, way: readonly Sent[]): Promise<boolean> {
  const rows = await backend.open();
  const service = await startService(finding.seed, rows.unitOfWork);
  const anew = new Map<string, string>();
  const renamed = (text: string): string => {
    let now = text;
    for (const old of identifiersIn(text)) now = now.replaceAll(old, anew.get(old) ?? old);
    return now;
  };
  const again = async ({ method, url, headers, body, after = 0 }: Outgoing) => {
    const said = body?.toString();
    const same = body === undefined || said === undefined || !Buffer.from(said).equals(body);
    return service.send({
      method,
      after,
      url: renamed(url),
      headers: JSON.parse(renamed(JSON.stringify(headers))),
      ...(body === undefined ? {} : { body: same ? body : Buffer.from(renamed(said)) }),
    });
  };
  try {
    const pool = new Pool();
    const settler = new Settler(service, pool);
    await settler.user('outsider');
    const description = descriptionOf(service.openApi);
    for (const { number, outgoing, identifiers } of way) {
      const now =
        outgoing === undefined
          ? await settler.organization(`settled-${number}`)
          : identifiersIn((await again(outgoing)).text);
      for (const [index, old] of identifiers.entries()) anew.set(old, now[index] ?? old);
      if (number % everySoManyRequests.goingOn === 0) await service.goOn(2);
    }
    service.errors.length = 0;
    const answer = await again(finding.outgoing);
    const faults = [wrongWith(description, finding.outgoing, answer), ...service.unitOfWork.wrong, ...service.errors];
    return faults.some((fault) => fault !== undefined);
  } catch (error) {
    return finding.what === String(error);
  } finally {
    await service.stop();
    await rows.close();
  }
}
