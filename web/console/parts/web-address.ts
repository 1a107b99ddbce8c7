/** Browsers follow other schemes too, and execute some of them. */
export const isWebAddress = (address: string): boolean => /^https?:\/\/[^/?#\s]/i.test(address);
