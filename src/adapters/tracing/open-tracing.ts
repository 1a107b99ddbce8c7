import type { Environment, Tracing } from './tracing.js';

/** Whether the standard OpenTelemetry variables ask for traces. */
export const requestsTraces = ({
  OTEL_SDK_DISABLED: disabled = '',
  OTEL_TRACES_EXPORTER: exporter = '',
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = '',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint = '',
}: Environment): boolean =>
  disabled.trim().toLowerCase() !== 'true' &&
  ['', 'otlp'].includes(exporter.trim()) &&
  (endpoint.trim() !== '' || tracesEndpoint.trim() !== '');

/** Undefined where traces are disabled; OpenTelemetry is then not loaded. `warn` is called with export errors. */
export async function openTracing(
  environment: Environment,
  version: string,
  warn: (message: string) => void,
): Promise<Tracing | undefined> {
  if (!requestsTraces(environment)) return undefined;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(environment, version, warn);
}
