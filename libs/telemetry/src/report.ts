/** What a line for the operator is about, as far as it is known; a structured log shows each as a field. */
export interface ReportFields {
  /** Of the error. */
  code?: string | undefined;
  experimentId?: string | undefined;
  eventId?: string | undefined;
  eventType?: string | undefined;
  topic?: string | undefined;
  partition?: number | undefined;
  offset?: number | undefined;
  /** Of long work. */
  workId?: string | undefined;
  /** W3C; a log shows its trace and span id. The active span's by default. */
  traceparent?: string | undefined;
}

/** Of what a stranger writes into a header no more is told. */
const MOST_TOLD = 200;

export function told(header: string | undefined): string | undefined {
  return header === undefined || header.length <= MOST_TOLD ? header : `${header.slice(0, MOST_TOLD)}…`;
}

/** The fields that a record of the log carries, without looking into its value. */
export function fieldsOf(record: {
  topic: string;
  partition: number;
  offset: number;
  headers: Readonly<Record<string, string>>;
}): ReportFields & { topic: string } {
  const { topic, partition, offset, headers } = record;
  return {
    experimentId: told(headers['ce_correlationid']),
    eventId: told(headers['ce_id']),
    eventType: told(headers['ce_type']),
    topic,
    partition,
    offset,
    traceparent: headers['traceparent'],
  };
}
