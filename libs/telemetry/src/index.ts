export { ATTRIBUTE } from './attributes.ts';
export { ExperimentMetrics } from './experiment-metrics.ts';
export { fieldsOf, type ReportFields } from './report.ts';
export { ServiceMetrics, type EventOutcome, type Standing, type WorkOutcome } from './service-metrics.ts';
export { signalsOf, type Signals } from './settings.ts';
export { startTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.ts';
export { formatTraceparent, parseTraceparent } from './traceparent.ts';
export { outgoingTraceparent, tellOutcome, Tracing, type TracedRecord, type TracedWork } from './tracing.ts';
