/** Calls that the next file makes first: Node keeps the modules of each file, and so all that these hold. */
export const beforeNextFile: (() => void)[] = [];
