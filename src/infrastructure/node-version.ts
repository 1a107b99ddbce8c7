const oldest = { major: 22, minor: 15 };

/**
 * The fault of this version of Node; undefined if it is supported. Must be called before the database driver is
 * imported, which crashes an old Node without a message.
 */
export function nodeFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return undefined;
  return `Gatehouse requires Node ${oldest.major}.${oldest.minor} or later; this is ${version}`;
}
