import { invalidAttribute } from '../../shared/domain-error.js';

/** Selects the pushes that create runs, by the paths of the files they change. */
export interface FileTriggers {
  /** False for every push. */
  readonly fileTriggersEnabled: boolean;
  /** Directories, besides the working directory. */
  readonly triggerPrefixes: readonly string[];
  /** Globs of paths, instead of directories. */
  readonly triggerPatterns: readonly string[];
}

/** The maximum number of prefixes, and of patterns. */
export const maxTriggers = 100;

/**
 * Throws `attribute/invalid` for prefixes and patterns at once, and for patterns where every push creates runs. Naming one
 * of them, also empty, clears the other.
 */
export function changedTriggers<Change extends Partial<FileTriggers>>(
  change: Change,
  current: Pick<FileTriggers, 'fileTriggersEnabled'>,
): Change {
  const { triggerPrefixes, triggerPatterns, fileTriggersEnabled = current.fileTriggersEnabled } = change;
  const prefixes = triggerPrefixes ?? [];
  const patterns = triggerPatterns ?? [];
  if (prefixes.length > 0 && patterns.length > 0) {
    throw invalidAttribute('triggerPatterns', 'Trigger patterns cannot be combined with trigger prefixes');
  }
  if (patterns.length > 0 && !fileTriggersEnabled) {
    throw invalidAttribute('triggerPatterns', 'Trigger patterns require file triggers enabled to be true');
  }
  return {
    ...change,
    ...(triggerPrefixes !== undefined && { triggerPatterns: patterns }),
    ...(triggerPatterns !== undefined && { triggerPrefixes: prefixes }),
  };
}

/** The segments of a path relative to the root, whether it begins with a slash or not. */
const segmentsOf = (path: string): readonly string[] =>
  path.split('/').filter((segment) => segment !== '' && segment !== '.');

/**
 * Whether a push that changed these files creates a run. Without prefixes and patterns, a root working directory selects
 * every push; with prefixes it adds nothing to them.
 */
export function selectsPush(
  { fileTriggersEnabled, triggerPrefixes, triggerPatterns }: FileTriggers,
  workingDirectory: string,
  changedFiles: readonly string[],
): boolean {
  if (!fileTriggersEnabled) return true;
  if (triggerPatterns.length > 0) {
    const globs = triggerPatterns.map(segmentsOf).map(withoutRepeats);
    return changedFiles.some((file) => globs.some((glob) => matches(glob, segmentsOf(file))));
  }
  const directories = [workingDirectory, ...triggerPrefixes].map(segmentsOf).filter(({ length }) => length > 0);
  if (directories.length === 0) return true;
  return changedFiles.some((file) => {
    const path = segmentsOf(file);
    return directories.some((directory) => directory.every((segment, at) => segment === path[at]));
  });
}

/** `**` twice in a row stands for the same as once. */
const withoutRepeats = (glob: readonly string[]): readonly string[] =>
  glob.filter((segment, at) => segment !== '**' || glob[at + 1] !== '**');

/** `**` stands for any number of segments. Keeps every place that the path may have reached in the glob. */
function matches(glob: readonly string[], path: readonly string[]): boolean {
  const past = (at: number): readonly number[] => (glob[at] === '**' ? [at, at + 1] : [at]);
  let places = new Set(past(0));
  for (const segment of path) {
    const next = new Set<number>();
    for (const at of places) {
      const pattern = glob[at];
      const reached = pattern === '**' ? at : at + 1;
      if (pattern === undefined || (pattern !== '**' && !matchesSegment(pattern, segment))) continue;
      for (const one of past(reached)) next.add(one);
    }
    places = next;
  }
  return places.has(glob.length);
}

/** `*` stands for any characters and `?` for one. Looks back to the last `*` only, so it takes no exponential time. */
function matchesSegment(pattern: string, segment: string): boolean {
  let at = 0;
  let star = -1;
  let resumed = 0;
  for (let here = 0; here < segment.length; ) {
    if (pattern[at] === '*') {
      star = at;
      at += 1;
      resumed = here;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === segment[here])) {
      at += 1;
      here += 1;
    } else if (star >= 0) {
      resumed += 1;
      here = resumed;
      at = star + 1;
    } else return false;
  }
  return [...pattern.slice(at)].every((character) => character === '*');
}
