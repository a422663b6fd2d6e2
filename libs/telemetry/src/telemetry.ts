import { signalsOf } from './settings.ts';

export interface TelemetryOptions {
  /** Names of the services that the process hosts. */
  services: readonly string[];
  /** Hears when what is measured cannot be handed on, at most once a minute for one reason. */
  onTrouble: (message: string) => void;
}

export interface Telemetry {
  on: boolean;
  /** Hands on what is left, for some seconds at most, and turns off. Never fails. */
  stop(): Promise<void>;
}

const OFF: Telemetry = { on: false, stop: async () => undefined };

/**
 * Turns OpenTelemetry on for this process where its standard variables say so, before services start; else nothing is
 * loaded. The SDK itself reads the process's environment. Throws InputError for variables that cannot be.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const signals = signalsOf(process.env);
  if (!signals.traces && !signals.metrics) return OFF;
  const { startSdk } = await import('./sdk.ts');
  return { on: true, stop: await startSdk(signals, options) };
}
