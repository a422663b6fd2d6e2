import { trace } from '@opentelemetry/api';
import { formatIssues } from '@whale/contracts';
import { InputError } from '@whale/kernel';
import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { z } from 'zod';
import type { ReportFields } from '../report.ts';
import { parseTraceparent } from '../traceparent.ts';
import { redactor } from './redact.ts';

const Variables = z.object({
  WHALE_LOG_LEVEL: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  ),
});

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export interface ServiceLogOptions {
  environment: NodeJS.ProcessEnv;
  /** Where lines go; stderr by default. */
  stream?: DestinationStream & { isTTY?: boolean };
}

/** What a process of services says: JSON lines, or short lines for a person at a terminal. Secrets are taken out. */
export class ServiceLog {
  readonly #logger: Logger;
  readonly #redact: (text: string) => string;

  private constructor(logger: Logger, redact: (text: string) => string) {
    this.#logger = logger;
    this.#redact = redact;
  }

  /** Throws InputError for a WHALE_LOG_LEVEL that is none. */
  static open({ environment, stream = process.stderr }: ServiceLogOptions): ServiceLog {
    const variables = Variables.safeParse(environment);
    if (!variables.success) throw new InputError(formatIssues(variables.error, environment));
    const options = {
      level: variables.data.WHALE_LOG_LEVEL,
      timestamp: stdTimeFunctions.isoTime,
      base: { pid: process.pid },
      formatters: { level: (label: string) => ({ level: label }) },
    };
    const logger = pino(options, stream.isTTY ? shortLines(stream) : stream);
    return new ServiceLog(logger, redactor(environment));
  }

  /** Whether lines of the level are shown: what costs something to say is not said for nothing. */
  shows(level: LogLevel): boolean {
    return this.#logger.isLevelEnabled(level);
  }

  say(level: LogLevel, service: string, message: string, fields: ReportFields = {}): void {
    const { traceparent, ...rest } = fields;
    const span = trace.getActiveSpan()?.spanContext() ?? parseTraceparent(traceparent);
    const ids = span ? { trace_id: span.traceId, span_id: span.spanId } : {};
    this.#logger[level]({ service, ...rest, ...ids }, this.#redact(message));
  }
}

/** `service: message`. */
function shortLines(stream: DestinationStream): DestinationStream {
  return {
    write: (line) => {
      const { service, msg } = JSON.parse(line) as { service: string; msg: string };
      stream.write(`${service}: ${msg}\n`);
    },
  };
}
