import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

const Value = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
});
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]])));
const Resource = z.object({ attributes: Attributes });

const Traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: Resource,
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              kind: z.number(),
              attributes: Attributes,
              status: z.object({ code: z.number().optional(), message: z.string().optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

const count = z.union([z.number(), z.string()]).transform(Number);
const Points = z.object({
  dataPoints: z.array(
    z.object({
      attributes: Attributes,
      asInt: count.optional(),
      asDouble: z.number().optional(),
      count: count.optional(),
      sum: z.number().optional(),
    }),
  ),
});
const Metrics = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: Resource,
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(
            z.object({
              name: z.string(),
              unit: z.string(),
              sum: Points.optional(),
              gauge: Points.optional(),
              histogram: Points.optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

export type ReceivedAttributes = z.output<typeof Attributes>;
type Span = z.output<typeof Traces>['resourceSpans'][number]['scopeSpans'][number]['spans'][number];
export type ReceivedSpan = Span & { resource: ReceivedAttributes };

export interface ReceivedPoint {
  metric: string;
  unit: string;
  resource: ReceivedAttributes;
  attributes: ReceivedAttributes;
  /** The sum of a counter, the value of a gauge, the number of entries of a histogram. */
  value: number;
}

/** A collector for tests: takes OTLP over HTTP as JSON and keeps it. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** In the order they came; a counter's later point includes its earlier ones. */
  readonly points: ReceivedPoint[] = [];
  readonly #server = createServer((request, response) => {
    this.#take(request).then(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      (error: unknown) => {
        this.faults.push(String(error));
        response.writeHead(400).end();
      },
    );
  });
  /** What could not be read. */
  readonly faults: string[] = [];

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** What a process needs in its environment to send here. */
  get environment(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      OTEL_METRIC_EXPORT_TIMEOUT: '200',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #take(request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const json: unknown = JSON.parse(
      (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString(),
    );
    if (request.url === '/v1/traces') this.#traces(json);
    else if (request.url === '/v1/metrics') this.#metrics(json);
    else throw new Error(`nothing is sent to ${request.url}`);
  }

  #traces(json: unknown): void {
    for (const { resource, scopeSpans } of Traces.parse(json).resourceSpans) {
      const spans = scopeSpans.flatMap((scope) => scope.spans);
      this.spans.push(...spans.map((span) => ({ ...span, resource: resource.attributes })));
    }
  }

  #metrics(json: unknown): void {
    for (const { resource, scopeMetrics } of Metrics.parse(json).resourceMetrics) {
      for (const { name, unit, ...kinds } of scopeMetrics.flatMap((scope) => scope.metrics)) {
        const points = Object.values(kinds).flatMap(({ dataPoints }) => dataPoints);
        for (const { attributes, asInt, asDouble, count: entries } of points) {
          const value = asInt ?? asDouble ?? entries;
          if (value === undefined) continue;
          this.points.push({ metric: name, unit, resource: resource.attributes, attributes, value });
        }
      }
    }
  }
}
