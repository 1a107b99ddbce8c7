// Loaded before the service, in its process: counts what it does between two questions of the parent.
import { Session } from 'node:inspector';

const session = new Session();
session.connect();
const ask = (method, parameters) => {
  let answer;
  session.post(method, parameters, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
};
ask('Profiler.enable');
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The layer, or the package, that a script belongs to; undefined for Node itself. */
const placeOf = (url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)|\/dist\/([^/]+\/[^/]+)/.exec(url)?.slice(1).join('');

let before = 0;

const questions = {
  begin: () => {
    globalThis.gc();
    ask('Profiler.takePreciseCoverage');
    before = process.memoryUsage().heapUsed;
    return {};
  },
  end: () => {
    const bytes = process.memoryUsage().heapUsed - before;
    const calls = {};
    for (const { url, functions } of ask('Profiler.takePreciseCoverage').result) {
      const place = placeOf(url);
      if (place === undefined) continue;
      for (const { ranges } of functions) calls[place] = (calls[place] ?? 0) + ranges[0].count;
    }
    return { bytes, calls };
  },
};

process.on('message', (question) => process.send(questions[question]()));
process.channel.unref();
