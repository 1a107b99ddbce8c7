/**
 * Clone URLs that differ in their path only. Linking a workspace and fetching from it judge them apart from each other,
 * and must agree.
 */
export const cloneUrlsWithFitPaths: readonly string[] = [
  'https://git.example/app.git',
  'https://git.example/acme/app',
  'https://git.example:8443/acme/app/',
  'https://git.example/a/b/c/d.e-f_g~h+i',
  'https://git.example/.../app.git',
  'https://git.example/..a/b..',
  'https://git.example/acme/gr%C3%B6%C3%9Fe',
  'https://git.example/acme/a,b=c&d:e',
];

export const cloneUrlsWithUnfitPaths: readonly string[] = [
  'https://git.example/a/../b',
  'https://git.example/a/./b',
  'https://git.example/a/..',
  'https://git.example/a/.',
  'https://git.example/../a/',
  'https://git.example//a',
  'https://git.example/a//b',
  'https://git.example/a//',
  'https://git.example/a/%2e%2e/b',
  'https://git.example/a/.%2E/b',
  'https://git.example/a%2fb',
  'https://git.example/a%2Fb',
  'https://git.example/a%5cb',
  'https://git.example/a%252e',
  'https://git.example/a%00',
  'https://git.example/a%0d%0a',
  'https://git.example/a%7F',
  'https://git.example/a\\b',
  'https://git.example/team-a/..;/team-b',
  'https://git.example/team-a/..;x=y/team-b',
  'https://git.example/a;b',
  'https://git.example/team-a/..%3b/team-b',
  'https://git.example/team-a/..%3B/team-b',
];
