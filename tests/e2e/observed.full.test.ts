import { afterEach, describe, expect, it } from '@jest/globals';
import { requestsTraces } from '../../src/adapters/tracing/open-tracing.js';
import { archiveOf } from '../support/archives.js';
import { parseExposition } from '../support/exposition-format.js';
import { adminToken, freePort, inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { attributesOf, type SentSpan, TraceCollector } from '../support/trace-collector.js';

const metricsToken = 'a-token-for-prometheus';
const callersTrace = '0af7651916cd43dd8448eb211c80319c';
const callersSpan = 'b7ad6b7169203331';

describe('a service whose traces are asked for', () => {
  let service: ServiceProcess | undefined;
  let collector: TraceCollector | undefined;

  afterEach(async () => {
    await service?.end('SIGKILL');
    await collector?.stop();
    service = undefined;
    collector = undefined;
  });

  it('sends what each request did, as a part of its caller’s trace, without its secrets', async () => {
    await inTemporaryDirectory(async (directory) => {
      const collecting = await TraceCollector.start();
      collector = collecting;
      const served = await ServiceProcess.start({
        DATA_DIR: directory,
        METRICS_TOKEN: metricsToken,
        OTEL_EXPORTER_OTLP_ENDPOINT: collecting.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      });
      service = served;
      const workspaceId = await served.provision();
      const version = await served.newVersion(workspaceId);
      const bytes = await archiveOf({ 'main.tf': '# nothing' });
      await fetch(version.uploadUrl, { method: 'PUT', body: bytes });
      expect(await served.download(version.id)).toEqual(bytes);
      const traced = (path: string, headers: Record<string, string>) =>
        fetch(served.url + path, { headers: { Authorization: `Bearer ${adminToken}`, ...headers } });
      await traced(`/workspaces/${workspaceId}?q=a-search`, {
        traceparent: `00-${callersTrace}-${callersSpan}-01`,
        tracestate: 'vendor=1',
      });
      await traced('/account/details', { traceparent: `00-${callersTrace}-${callersSpan}-00` });
      await traced('/users/user-1/authentication-tokens', { traceparent: `00-${'0'.repeat(32)}-${callersSpan}-01` });
      await traced('/organizations/acme/workspaces/%E0%A4%A', {});
      await traced('/healthz', {});

      const answer = await fetch(`${served.url}/metrics`, { headers: { Authorization: `Bearer ${metricsToken}` } });
      const metrics = parseExposition(await answer.text());
      expect(metrics.value('process_cpu_seconds_total')).toBeGreaterThan(0);
      expect(metrics.value('nodejs_heap_size_used_bytes')).toBeGreaterThan(0);
      expect(metrics.value('gatehouse_uploads_total', { outcome: 'taken' })).toBe(1);
      expect(metrics.value('gatehouse_database_up')).toBe(1);

      expect(await served.end()).toBe(0);
      const { spans, resources, sent } = collecting;
      expect(new Set(collecting.paths)).toEqual(new Set(['POST /v1/traces acme']));
      expect(resources[0]).toMatchObject({
        'service.name': 'gatehouse',
        'service.version': expect.any(String),
        'deployment.environment.name': 'test',
      });

      const ofRequests = spans.filter(({ kind }) => kind === 2);
      const named = (name: string): SentSpan => {
        const found = ofRequests.find((span) => span.name === name);
        if (found === undefined) throw new Error(`no span ${name} but ${ofRequests.map((span) => span.name)}`);
        return found;
      };
      expect(attributesOf(named('POST /organizations'))).toMatchObject({
        'http.request.method': 'POST',
        'http.route': '/organizations',
        'http.response.status_code': '201',
        'gatehouse.request.id': expect.stringMatching(/^[\da-f-]{36}$/),
      });
      expect(named('POST /organizations').parentSpanId ?? '').toBe('');
      expect(named('GET /workspaces/:id')).toMatchObject({ traceId: callersTrace, parentSpanId: callersSpan });
      expect(named('GET /users/:userId/authentication-tokens').traceId).not.toMatch(/^0+$/);
      // Its caller left it out, and all that is not matched has no route to be called by.
      expect(ofRequests.map(({ name }) => name)).not.toContain('GET /account/details');
      expect(ofRequests.map(({ name }) => name)).toContain('GET');
      expect(ofRequests.filter(({ name }) => /healthz|metrics/.test(name))).toEqual([]);

      const partsOf = (span: SentSpan) => spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
      const creating = partsOf(named('POST /organizations'));
      expect(creating.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['database read', 'database transaction']),
      );
      for (const part of creating) {
        expect(part).toMatchObject({ kind: 3, traceId: named('POST /organizations').traceId });
        expect(attributesOf(part)).toMatchObject({ 'db.system.name': 'sqlite' });
      }
      const statements = creating.flatMap(({ events = [] }) =>
        events.map((event) => attributesOf(event)['db.query.text']),
      );
      expect(statements).toContainEqual(expect.stringMatching(/^insert into .organizations./));
      expect(partsOf(named('PUT /v1/object/:objectId')).map(({ name }) => name)).toEqual(
        expect.arrayContaining(['bundle store write', 'bundle store keep', 'database transaction']),
      );
      expect(partsOf(named('GET /v1/object/:objectId')).map(({ name }) => name)).toContain('bundle store read');
      // Background work does not belong to a request.
      expect(spans.filter(({ kind, parentSpanId = '' }) => kind === 3 && parentSpanId === '')).toEqual([]);

      const [objectId = ''] = version.uploadUrl.split('/').slice(-1);
      for (const secret of [adminToken, metricsToken, objectId, workspaceId, 'a-search', 'ops@example.com']) {
        expect(sent).not.toContain(secret);
      }
    });
  });

  it('works and stops normally while no collector is reachable', async () => {
    await inTemporaryDirectory(async (directory) => {
      const served = await ServiceProcess.start({
        DATA_DIR: directory,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${await freePort()}/v1/traces`,
        OTEL_EXPORTER_OTLP_TIMEOUT: '200',
        OTEL_TRACES_SAMPLER: 'no such sampler',
      });
      service = served;
      await served.provision();
      expect((await served.api('GET', '/account/details')).status).toBe(200);
      await served.prints('OTEL_TRACES_SAMPLER is not a known sampler');
      const begun = performance.now();
      expect(await served.end()).toBe(0);
      expect(performance.now() - begun).toBeLessThan(20_000);
    });
  });
});

describe('traces', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

  it.each([
    [true, endpoint],
    [true, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }],
    [true, { ...endpoint, OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'false' }],
    [false, {}],
    [false, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    [false, { OTEL_SERVICE_NAME: 'gatehouse' }],
    [false, { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
    [false, { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
  ])('are asked for: %s by %j', (asked, environment) => {
    expect(requestsTraces(environment)).toBe(asked);
  });
});
