import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Brain } from './brain.ts';
import type { Fault, FaultPlan } from './faults.ts';
import { ApiError, invalid } from './protocol/api-error.ts';
import { deliverError, deliverStream, deliverWhole, errorOf, type Delivery } from './protocol/deliver.ts';
import { usageOf, type Answer, type ReportedUsage } from './protocol/message.ts';
import { PromptCache } from './protocol/prompt-cache.ts';
import { limitTokens, replyTo, type Reply } from './protocol/reply.ts';
import { ThinkingSeal } from './protocol/thinking.ts';
import { checkHeaders, validate, type Checked } from './protocol/validate.ts';

export interface MessagesApiOptions {
  brain: Brain;
  faults?: FaultPlan;
  /** The one key that is accepted. */
  apiKey?: string;
  /** Larger bodies are refused with 413. */
  mostBytes?: number;
  /** Least tokens of a prefix that is cached. */
  leastCachedTokens?: number;
  /** What thinking is signed with: another server with the same one takes it back. */
  secret?: string;
  /** 0: any free port. */
  port?: number;
}

/** One request as it came, and what came of it. The key is not kept. */
export interface RecordedRequest {
  /** From 1. */
  number: number;
  id: string;
  /** Parsed JSON; undefined where it was none. */
  body: unknown;
  /** When its body had come, ms of `performance.now()`. */
  at: number;
  /** Times that the client says it has tried before. */
  retries: number;
  fault: Fault | undefined;
  /** Of the answer, once it is decided: 0 where the connection broke before the head. */
  status?: number;
  /** Message of an error. */
  error?: string;
  /** What the answer costs, whether it arrived or not. */
  usage?: ReportedUsage;
  stopReason?: Reply['stopReason'];
}

export interface MessagesApi {
  /** `http://127.0.0.1:<port>`, the base URL of a client. */
  url: string;
  requests: readonly RecordedRequest[];
  /** Ends all connections, also those that wait for an answer. */
  close(): Promise<void>;
}

export const TEST_KEY = 'sk-ant-test';
const MEGABYTE = 1024 * 1024;

/** A server that speaks the Messages API; what it says comes from the brain, what goes wrong from the fault plan. */
export async function startMessagesApi(options: MessagesApiOptions): Promise<MessagesApi> {
  const service = new Service(options);
  const server = createServer((request, response) => {
    void service.handle(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: service.requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Service {
  readonly requests: RecordedRequest[] = [];
  readonly #options: MessagesApiOptions;
  readonly #seal: ThinkingSeal;
  readonly #cache: PromptCache;
  /** By the id of a call, whether thinking stood before it. */
  readonly #thought = new Map<string, boolean>();

  constructor(options: MessagesApiOptions) {
    this.#options = options;
    this.#seal = new ThinkingSeal(options.secret ?? 'a secret of this server');
    this.#cache = new PromptCache(options.leastCachedTokens ?? 1024);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const record = this.#open(request);
    const delivery: Delivery = { response, requestId: record.id, fault: undefined };
    try {
      const checked = await this.#check(request, record);
      delivery.fault = record.fault = this.#options.faults?.(record.number);
      await this.#answer(checked, record, delivery);
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError(500, `the brain failed: ${String(error)}`);
      Object.assign(record, { status: known.status, error: known.message });
      if (!response.headersSent && !response.destroyed) deliverError(known, delivery);
    }
  }

  #open(request: IncomingMessage): RecordedRequest {
    const number = this.requests.length + 1;
    const id = `req_${String(number).padStart(6, '0')}`;
    const retries = Number(header(request, 'x-stainless-retry-count') ?? 0);
    const record = { number, id, body: undefined, at: performance.now(), retries, fault: undefined };
    this.requests.push(record);
    return record;
  }

  async #check(request: IncomingMessage, record: RecordedRequest): Promise<Checked> {
    const bytes = await readBody(request, this.#options.mostBytes ?? 32 * MEGABYTE);
    record.at = performance.now();
    const path = request.url?.split('?')[0];
    if (path !== '/v1/messages') throw new ApiError(404, 'Not found');
    if (request.method !== 'POST') throw new ApiError(405, 'Method Not Allowed');
    const { authorization } = request.headers;
    const credentials = { apiKey: header(request, 'x-api-key'), authorization };
    checkHeaders({ ...credentials, version: header(request, 'anthropic-version') }, this.#options.apiKey ?? TEST_KEY);
    record.body = parseJson(bytes, header(request, 'content-type'));
    return validate(record.body, { seal: this.#seal, thought: (id) => this.#thought.get(id) });
  }

  async #answer({ request, traits, prompt }: Checked, record: RecordedRequest, delivery: Delivery): Promise<void> {
    const { fault, response } = delivery;
    if (fault?.kind === 'status') throw errorOf(fault);
    if (fault?.kind === 'cut' && fault.where === 'head') {
      record.status = 0;
      response.destroy();
      return;
    }
    const said = replyTo(request, this.#options.brain(request), traits, this.#seal);
    this.#remember(said);
    const reply = afflict(said, fault);
    const id = `msg_${String(record.number).padStart(6, '0')}`;
    const answer: Answer = { id, model: request.model, reply, input: this.#cache.use(request.model, prompt) };
    Object.assign(record, { status: 200, usage: usageOf(answer), stopReason: reply.stopReason });
    await (request.stream === true ? deliverStream : deliverWhole)(answer, delivery);
  }

  #remember({ blocks }: Reply): void {
    const thought = blocks[0]?.type === 'thinking';
    for (const block of blocks) if (block.type === 'tool_use') this.#thought.set(block.id, thought);
  }
}

/** The answer with the faults that lie in what is said. */
function afflict(reply: Reply, fault: Fault | undefined): Reply {
  if (fault?.kind === 'refusal') {
    return { blocks: [], stopReason: 'refusal', outputTokens: 1, thinkingTokens: 0 };
  }
  if (fault?.kind !== 'max-tokens') return reply;
  const last = reply.blocks.at(-1);
  const tokens = last === undefined ? 0 : Math.ceil(Buffer.byteLength(last.body) / 4);
  return limitTokens(reply, reply.outputTokens - Math.ceil(tokens / 2));
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

async function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= most) chunks.push(chunk);
  }
  if (bytes > most) throw new ApiError(413, 'Request exceeds the maximum allowed number of bytes');
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer, type: string | undefined): unknown {
  if (type?.split(';')[0] !== 'application/json') throw invalid('content-type: must be application/json');
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw invalid(`The request body is not valid JSON: ${(error as Error).message}`);
  }
}
