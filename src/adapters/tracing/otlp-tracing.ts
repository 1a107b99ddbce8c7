import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Attributes,
  type Context,
  createTraceState,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { BundleStore, UnitOfWork } from '../../application/index.js';
import { isDomainError, isRefusal } from '../../domain/index.js';
import { TracedBundleStore, TracedUnitOfWork } from './traced-ports.js';
import type { Environment, Tracing } from './tracing.js';

/** The methods that the conventions list; clients may send any other. */
const methods: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '));

/** Requested every few seconds by monitors. */
const untraced: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);

/** How long sending may delay the shutdown, and the least time between two warnings that it fails, in milliseconds. */
const flushTimeout = 2_000;
const saidEvery = 60_000;

/** Longer statements are cut. */
const longestText = 4_096;

/** Sends traces by OTLP over HTTP, configured by the standard variables. */
export class OtlpTracing implements Tracing {
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;
  private readonly active = new AsyncLocalStorage<Context>();

  constructor(environment: Environment, version: string, warn: (message: string) => void) {
    tellSeldom(warn);
    this.provider = new TracerProvider({
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': 'gatehouse', 'service.version': version }))
        .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
      sampler: samplerOf(environment, warn),
      spanLimits: { attributeValueLengthLimit: longestText },
      // Up to a few thousand unsent spans are kept; further ones are dropped.
      spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
    });
    this.tracer = this.provider.getTracer('gatehouse', version);
  }

  /** Neither the URL nor headers become attributes: they may contain secrets. */
  follow(request: IncomingMessage, id: string, serve: () => void): (route: string, status: number) => void {
    if (untraced.has(request.url)) {
      serve();
      return () => {};
    }
    const known = methods.has(request.method ?? '');
    const method = known ? `${request.method}` : 'HTTP';
    const parent = parentOf(request.headers);
    const span = this.tracer.startSpan(
      method,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': known ? method : '_OTHER',
          'network.protocol.version': request.httpVersion,
          'gatehouse.request.id': id,
        },
      },
      parent,
    );
    this.active.run(trace.setSpan(parent, span), serve);
    return (route, status) => {
      if (route !== 'unmatched') {
        span.updateName(`${method} ${route}`);
        span.setAttribute('http.route', route);
      }
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) {
        span.setAttribute('error.type', String(status));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    };
  }

  unitOfWork(inner: UnitOfWork, system: string): UnitOfWork {
    return new TracedUnitOfWork(inner, (name, work) => this.within(name, { 'db.system.name': system }, work));
  }

  bundleStore(inner: BundleStore): BundleStore {
    return new TracedBundleStore(inner, (name, work) => this.within(name, {}, work));
  }

  statement(sql: string): void {
    const context = this.active.getStore();
    if (context !== undefined) trace.getSpan(context)?.addEvent('statement', { 'db.query.text': sql });
  }

  async close(): Promise<void> {
    const sent = this.provider.shutdown().catch(() => undefined);
    await Promise.race([sent, pause(flushTimeout, undefined, { ref: false })]);
  }

  /** Makes a span only within a request: background work never ends. */
  private within<Result>(name: string, attributes: Attributes, work: () => Promise<Result>): Promise<Result> {
    const parent = this.active.getStore();
    if (parent === undefined) return work();
    const span = this.tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
    const result = this.active.run(trace.setSpan(parent, span), work);
    void result.then(
      () => span.end(),
      (error: unknown) => {
        if (!isRefusal(error)) {
          // Only the error's kind: messages of drivers and stores may contain addresses.
          span.setAttribute('error.type', isDomainError(error) ? error.code : ((error as Error)?.name ?? 'unknown'));
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    );
    return result;
  }
}

/** The library reports errors through one logger for the whole process. */
function tellSeldom(warn: (message: string) => void): void {
  let silentUntil = 0;
  const tell = (message: string) => {
    const now = performance.now();
    if (now < silentUntil) return;
    silentUntil = now + saidEvery;
    warn(message);
  };
  const silent = () => {};
  diag.setLogger(
    { error: tell, warn: tell, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** The caller's span as its `traceparent` names it, by the rules of W3C Trace Context; no parent where it has none. */
function parentOf({ traceparent, tracestate }: IncomingHttpHeaders & { readonly traceparent?: string }): Context {
  const found = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(
    traceparent ?? '',
  );
  if (found === null) return ROOT_CONTEXT;
  const [, version, traceId = '', spanId = '', flags = '', more] = found;
  if (version === '00' && more !== undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(typeof tracestate === 'string' ? { traceState: createTraceState(tracestate) } : {}),
  });
}

/** The library leaves these two variables to the application. */
function samplerOf(
  { OTEL_TRACES_SAMPLER: name = '', OTEL_TRACES_SAMPLER_ARG: argument = '' }: Environment,
  warn: (message: string) => void,
): Sampler {
  const ratio = (): Sampler => {
    const given = Number(argument);
    if (argument.trim() !== '' && given >= 0 && given <= 1) return new TraceIdRatioBasedSampler(given);
    warn('OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1: every trace is sent');
    return new AlwaysOnSampler();
  };
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: ratio,
  };
  const asked = name.trim() === '' ? 'parentbased_always_on' : name.trim();
  const root = roots[asked.replace(/^parentbased_/, '')];
  if (root === undefined) {
    warn('OTEL_TRACES_SAMPLER is not a known sampler: every trace is sent unless the caller has sampled it out');
    return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
  return asked.startsWith('parentbased_') ? new ParentBasedSampler({ root: root() }) : root();
}
