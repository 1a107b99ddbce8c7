/** Repositories that can be fetched from. */
export const repositories = [
  'https://git.example.com/acme/network.git',
  'https://git.example.com/acme/dns.git',
] as const;
