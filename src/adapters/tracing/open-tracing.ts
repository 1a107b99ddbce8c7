import type { Environment, Tracing } from './tracing.js';

/** Whether the variables by which every program is told where traces go ask for any. */
export const asksForTraces = ({
  OTEL_SDK_DISABLED: disabled = '',
  OTEL_TRACES_EXPORTER: exporter = '',
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = '',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint = '',
}: Environment): boolean =>
  disabled.trim().toLowerCase() !== 'true' &&
  ['', 'otlp'].includes(exporter.trim()) &&
  (endpoint.trim() !== '' || tracesEndpoint.trim() !== '');

/** Undefined where nobody asks for traces; nothing of OpenTelemetry is then loaded. `warn` is told what goes wrong. */
export async function openTracing(
  environment: Environment,
  version: string,
  warn: (message: string) => void,
): Promise<Tracing | undefined> {
  if (!asksForTraces(environment)) return undefined;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(environment, version, warn);
}
