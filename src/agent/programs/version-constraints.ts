interface Version {
  readonly numbers: readonly number[];
  /** Empty for a release. */
  readonly prerelease: string;
}

type Comparison = (found: Version, wanted: Version) => boolean;

const versionFrom = (text: string): Version => {
  const [, numbers = '', prerelease = ''] = /^([\d.]+)(?:-([^+]*))?/.exec(text) ?? [];
  return { numbers: numbers.split('.').map(Number), prerelease };
};

function compared({ numbers: one }: Version, { numbers: other }: Version): number {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A prerelease precedes its release. Two of one release are compared as text, with numbers by their value. */
function order(one: Version, other: Version): number {
  const difference = compared(one, other);
  if (difference !== 0 || one.prerelease === other.prerelease) return difference;
  if (one.prerelease === '') return 1;
  if (other.prerelease === '') return -1;
  return one.prerelease.localeCompare(other.prerelease, 'en', { numeric: true });
}

/** All numbers but the last of those that are written are fixed. */
const samePrefix = (found: Version, { numbers }: Version): boolean =>
  numbers.slice(0, Math.max(1, numbers.length - 1)).every((number, at) => (found.numbers[at] ?? 0) === number);

const comparisons: Readonly<Record<string, Comparison>> = {
  '=': (found, wanted) => order(found, wanted) === 0,
  '!=': (found, wanted) => order(found, wanted) !== 0,
  '>': (found, wanted) => order(found, wanted) > 0,
  '>=': (found, wanted) => order(found, wanted) >= 0,
  '<': (found, wanted) => order(found, wanted) < 0,
  '<=': (found, wanted) => order(found, wanted) <= 0,
  '~>': (found, wanted) => order(found, wanted) >= 0 && samePrefix(found, wanted),
};

/**
 * Whether a program's version satisfies constraints in terraform's syntax, such as `~> 1.11.0` or `>= 1.5, < 2`. As in
 * terraform, a prerelease satisfies only constraints that name a prerelease of the same release. npm's ranges have other
 * operators and another meaning of `~`.
 */
export function satisfies(version: string, constraints: string): boolean {
  const found = versionFrom(version);
  return constraints.split(',').every((constraint) => {
    const [, before = '', text = ''] = /^(\D*)(\d.*)$/.exec(constraint.trim()) ?? [];
    const operator = before.trim();
    const wanted = versionFrom(text);
    const comparable = found.prerelease === '' || (wanted.prerelease !== '' && compared(found, wanted) === 0);
    return (comparable || operator === '!=') && (comparisons[operator || '='] as Comparison)(found, wanted);
  });
}
