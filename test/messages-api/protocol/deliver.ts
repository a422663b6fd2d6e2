import type { ServerResponse } from 'node:http';
import type { Fault } from '../faults.ts';
import { ApiError } from './api-error.ts';
import { oddChunks } from './chunks.ts';
import { encodeEvent, eventsOf, type StreamEvent } from './events.ts';
import { messageOf, type Answer } from './message.ts';

/** An answer on its way, and what befalls it there. */
export interface Delivery {
  response: ServerResponse;
  requestId: string;
  fault: Fault | undefined;
}

const PAGE = '<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>\n';

/** The answer as one JSON body. */
export async function deliverWhole(answer: Answer, delivery: Delivery): Promise<void> {
  const { response, fault } = delivery;
  const json = JSON.stringify(messageOf(answer));
  const half = json.slice(0, json.length / 2);
  if (fault?.kind === 'slow') await pause(fault.silenceMilliseconds ?? 0, response);
  if (fault?.kind === 'error-event') throw errorOf(fault);
  if (fault?.kind === 'malformed' && fault.what === 'html') return page(delivery);
  response.writeHead(200, headers(delivery, 'application/json'));
  if (fault?.kind === 'cut') return breakOff(half, delivery);
  await write(fault?.kind === 'malformed' ? half : json, delivery);
  response.end();
}

/** The answer as server-sent events, in chunks that end anywhere. */
export async function deliverStream(answer: Answer, delivery: Delivery): Promise<void> {
  const { response, fault } = delivery;
  if (fault?.kind === 'malformed' && fault.what === 'html') return page(delivery);
  const events = eventsOf(answer);
  response.writeHead(200, { ...headers(delivery, 'text/event-stream; charset=utf-8'), 'cache-control': 'no-cache' });
  response.flushHeaders();
  const middle = middleOf(events);
  switch (fault?.kind) {
    case 'error-event':
      await write(encode(events.slice(0, middle)), delivery);
      await write(encodeEvent({ ...errorOf(fault).body(delivery.requestId) }), delivery);
      break;
    case 'cut':
      if (fault.where === 'block') return breakOff(encode(events.slice(0, middle)), delivery);
      await write(encode(events.slice(0, -1)), delivery);
      break;
    case 'malformed':
      await write(encode(events.slice(0, middle)), delivery);
      await write('event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n', delivery);
      await write(encode(events.slice(middle)), delivery);
      break;
    case 'slow':
      await write(encode(events.slice(0, 1)), delivery);
      await silence(fault, delivery);
      await write(encode(events.slice(1)), delivery);
      break;
    default:
      await write(encode(events), delivery);
  }
  response.end();
}

export function deliverError(error: ApiError, { response, requestId, fault }: Delivery): void {
  const asked = fault?.kind === 'status' ? fault : undefined;
  const retry = {
    'retry-after': asked?.retryAfterSeconds,
    'retry-after-ms': asked?.retryAfterMilliseconds,
    'x-should-retry': asked?.shouldRetry,
  };
  const said = Object.entries(retry).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'request-id': requestId,
    ...(Object.fromEntries(said) as Record<string, string>),
  });
  response.end(JSON.stringify(error.body(requestId)));
}

const MESSAGES: Readonly<Record<number, string>> = {
  429: 'This request would exceed your rate limit of 50 requests per minute.',
  500: 'Internal server error',
  529: 'Overloaded',
};

export function errorOf(fault: Extract<Fault, { kind: 'status' | 'error-event' }>): ApiError {
  const status = fault.status ?? 529;
  return new ApiError(status, MESSAGES[status] ?? `status ${status}`);
}

const encode = (events: readonly StreamEvent[]) => events.map(encodeEvent).join('');

function headers({ requestId }: Delivery, type: string) {
  return { 'content-type': type, 'request-id': requestId };
}

/** The place in the middle of the longest block. */
function middleOf(events: readonly StreamEvent[]): number {
  const starts = events.flatMap((event, place) => (event.type === 'content_block_start' ? [place] : []));
  const spans = starts.map((start) => {
    const end = events.findIndex((event, place) => place > start && event.type === 'content_block_stop');
    return { start, length: end - start };
  });
  const longest = spans.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? 2 : longest.start + Math.ceil(longest.length / 2);
}

async function write(text: string, { response, fault }: Delivery): Promise<void> {
  const wait = fault?.kind === 'slow' ? (fault.chunkMilliseconds ?? 0) : 0;
  for (const chunk of oddChunks(Buffer.from(text))) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
    // A turn of the event loop between two chunks, so that the client gets them apart.
    await pause(wait, response);
  }
}

/** Waits, no longer than the connection stands. */
function pause(milliseconds: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0 || response.destroyed) return void setImmediate(resolve);
    const end = () => {
      clearTimeout(timer);
      response.off('close', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    response.once('close', end);
  });
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}

async function silence(fault: Extract<Fault, { kind: 'slow' }>, delivery: Delivery): Promise<void> {
  const { silenceMilliseconds = 0, pings = 0 } = fault;
  for (let i = 0; i <= pings; i++) {
    if (i > 0) await write(encodeEvent({ type: 'ping' }), delivery);
    await pause(silenceMilliseconds / (pings + 1), delivery.response);
  }
}

async function breakOff(text: string, delivery: Delivery): Promise<void> {
  await write(text, delivery);
  delivery.response.destroy();
}

function page({ response, requestId }: Delivery): void {
  response.writeHead(200, { 'content-type': 'text/html', 'request-id': requestId });
  response.end(PAGE);
}
