import { context, diag, DiagLogLevel, metrics, propagation, trace } from '@opentelemetry/api';
import { NodeSDK, resources } from '@opentelemetry/sdk-node';
import type { Signals } from './settings.ts';
import type { TelemetryOptions } from './telemetry.ts';

/** A collector that does not answer must not keep a stopped service. */
const MOST_MS_TO_FLUSH = 5_000;
const SAME_TROUBLE_MS = 60_000;

/** Gives what stops it. Only one at a time in a process. */
export async function startSdk(
  { traces, metrics: metering }: Signals,
  options: TelemetryOptions,
): Promise<() => Promise<void>> {
  const [only, ...others] = options.services;
  const name = only !== undefined && others.length === 0 ? `whale-${only}` : 'whale';
  if (!process.env['OTEL_LOG_LEVEL']) tellTroubles(options.onTrouble);
  const sdk = new NodeSDK({
    // Merged under OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME, which know better.
    resource: resources.defaultResource().merge(resources.resourceFromAttributes({ 'service.name': name })),
    // Absent: as the variables say. Logs are lines on stderr.
    ...(traces ? {} : { spanProcessors: [] }),
    ...(metering ? {} : { metricReaders: [] }),
    logRecordProcessors: [],
  });
  sdk.start();
  await settled(sdk);
  const stop = async (): Promise<void> => {
    await bounded(sdk.shutdown(), options.onTrouble);
    for (const api of [trace, metrics, context, propagation, diag]) api.disable();
  };
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stop());
}

/** What is found out about the host takes a moment. The Prometheus exporter alone does not wait for it, and complains. */
async function settled(sdk: NodeSDK): Promise<void> {
  await (sdk as unknown as { _resource: resources.Resource })._resource.waitForAsyncAttributes?.();
}

async function bounded(shutdown: Promise<void>, onTrouble: TelemetryOptions['onTrouble']): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`not done after ${MOST_MS_TO_FLUSH} ms`)), MOST_MS_TO_FLUSH);
  });
  const failed = shutdown.then(
    () => undefined,
    (error: unknown) => error,
  );
  const failure = await Promise.race([failed, late]);
  clearTimeout(timer);
  if (failure !== undefined) onTrouble(`telemetry: the last of it was not handed on: ${reasonOf(failure)}`);
}

function tellTroubles(onTrouble: TelemetryOptions['onTrouble']): void {
  const toldAt = new Map<string, number>();
  const tell = (text: string) => {
    const message = messageIn(text);
    const now = performance.now();
    if (now - (toldAt.get(message) ?? -Infinity) < SAME_TROUBLE_MS) return;
    toldAt.set(message, now);
    onTrouble(`telemetry: ${message}`);
  };
  const quiet = () => undefined;
  diag.setLogger({ error: tell, warn: tell, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
}

/** The SDK tells an error as JSON with its stack. */
function messageIn(text: string): string {
  try {
    return reasonOf(JSON.parse(text));
  } catch {
    return text;
  }
}

function reasonOf(error: unknown): string {
  const { message, code, name } = (error ?? {}) as { message?: unknown; code?: unknown; name?: unknown };
  // A refused connection to several addresses has no message of its own.
  return [message, code, name].find((part) => typeof part === 'string' && part !== '')?.toString() ?? String(error);
}
