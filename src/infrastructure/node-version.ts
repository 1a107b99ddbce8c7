const oldest = { major: 22, minor: 15 };

/**
 * What is wrong with this version of Node; undefined when it does. To be asked before the database driver is imported: on
 * an old Node that ends the process without a word.
 */
export function nodeFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return undefined;
  return `Gatehouse requires Node ${oldest.major}.${oldest.minor} or later; this is ${version}`;
}
