import { InputError } from '@whale/kernel';
import { z } from 'zod';

/** Which signals leave the process. */
export interface Signals {
  traces: boolean;
  metrics: boolean;
}

const text = z
  .string()
  .optional()
  .transform((value) => value?.trim() || undefined);

const Variables = z.object({
  OTEL_SDK_DISABLED: text,
  OTEL_EXPORTER_OTLP_ENDPOINT: text,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: text,
  OTEL_TRACES_EXPORTER: text,
  OTEL_METRICS_EXPORTER: text,
});

/**
 * What OpenTelemetry's standard variables ask for. Unlike the SDK alone, nothing is on by default: a signal is on when its
 * exporter, its endpoint or the common endpoint is named. Throws InputError for an exporter that there is not.
 */
export function signalsOf(environment: NodeJS.ProcessEnv): Signals {
  const variables = Variables.parse(environment);
  if (variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return { traces: false, metrics: false };
  const isOn = (
    name: 'OTEL_TRACES_EXPORTER' | 'OTEL_METRICS_EXPORTER',
    endpoint: string | undefined,
    exporters: readonly string[],
  ): boolean => {
    const exporter = variables[name];
    if (exporter === undefined) return (endpoint ?? variables.OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined;
    const asked = exporter.split(',').map((one) => one.trim());
    for (const one of asked) {
      if (exporters.includes(one)) continue;
      throw new InputError(`${name}: "${one}" is no exporter. There are: ${exporters.join(', ')}`);
    }
    return !asked.includes('none');
  };
  return {
    traces: isOn('OTEL_TRACES_EXPORTER', variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, ['otlp', 'console', 'none']),
    metrics: isOn('OTEL_METRICS_EXPORTER', variables.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, [
      'otlp',
      'console',
      'prometheus',
      'none',
    ]),
  };
}
