import type Anthropic from '@anthropic-ai/sdk';
import type { ProposerUsage } from '@whale/contracts';
import type { Clock } from '@whale/kernel';
import { z } from 'zod';
import { Blocks, isToolUse, type Block } from './blocks.ts';
import { brokenReply, CallFailure, failureOf } from './failure.ts';
import { redact } from './redact.ts';
import { isCutShort } from './progress.ts';

export type CallParams = Anthropic.MessageStreamParams;

export interface Reply {
  model: string;
  stopReason: string;
  usage: ProposerUsage;
  /** As they came; after a refusal the API's reasons stand last, as a block of type `refusal`. */
  blocks: Block[];
}

/** With the tokens of the prompt, where the API has counted them before it broke. */
export interface FailedCall {
  failure: CallFailure;
  prompt: Omit<ProposerUsage, 'output'> | null;
}

export type AskResult = { reply: Reply } | FailedCall;

export interface MessagesApi {
  /** One request, never repeated. An abort gives a failure too. Rejects for bugs only. */
  ask(params: CallParams, signal: AbortSignal): Promise<AskResult>;
}

const OWN_URL = 'https://api.anthropic.com';
/** Lets a model with a budget for thinking think between its calls of tools too. */
const INTERLEAVED = { 'anthropic-beta': 'interleaved-thinking-2025-05-14' };
/** Errors of a connection that was never made. */
const UNREACHED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|_CERT|ERR_TLS/u;

const count = z.int().nonnegative();
const Answer = z.object({
  model: z.string(),
  content: Blocks,
  stop_reason: z.string(),
  stop_details: z.json().optional(),
  usage: z.object({
    input_tokens: count,
    output_tokens: count,
    cache_creation_input_tokens: count.nullish(),
    cache_read_input_tokens: count.nullish(),
  }),
});

/** The SDK is loaded here, so that who has no use for it does not pay for it. */
export async function openMessagesApi(options: {
  key: string;
  baseUrl: string | undefined;
  clock: Clock;
}): Promise<MessagesApi> {
  const { key, baseUrl = OWN_URL, clock } = options;
  const sdk = await import('@anthropic-ai/sdk');
  const client = new sdk.default({
    apiKey: key,
    baseURL: baseUrl,
    // Each attempt is counted where it is made, so none is made out of sight.
    maxRetries: 0,
    // What it would log or trace may hold prompts, and what a server repeats of a request.
    logLevel: 'off',
    openTelemetry: false,
  });
  const reader = { sdk, key, clock };
  return {
    ask: async (params, signal) => {
      const heard = new Heard();
      const headers = params.thinking?.type === 'enabled' ? INTERLEAVED : {};
      try {
        const stream = client.messages.stream(params, { signal, headers });
        stream.on('streamEvent', (event) => heard.event(event));
        return { reply: replyOf(await stream.finalMessage(), heard, key) };
      } catch (error) {
        return { failure: read(error, params.model, reader), prompt: heard.prompt };
      }
    },
  };
}

/** What the stream has told that its final message does not show, or that is lost when it breaks. */
class Heard {
  prompt: FailedCall['prompt'] = null;
  /** Text of the input of each tool, by the place of its block. The SDK completes what is cut, so it is kept apart. */
  readonly inputs = new Map<number, string>();

  event(event: Anthropic.MessageStreamEvent): void {
    if (event.type === 'message_start') {
      const usage = Answer.shape.usage.safeParse(event.message.usage);
      if (usage.success) this.prompt = promptUsage(usage.data);
    }
    if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta') {
      this.inputs.set(event.index, (this.inputs.get(event.index) ?? '') + event.delta.partial_json);
    }
  }
}

function promptUsage(usage: z.infer<typeof Answer>['usage']): Omit<ProposerUsage, 'output'> {
  return {
    input: usage.input_tokens,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
  };
}

function replyOf(message: Anthropic.Message, heard: Heard, key: string): Reply {
  const answer = Answer.safeParse(JSON.parse(redact(JSON.stringify(message), key)));
  if (!answer.success) throw brokenReply(`the reply is no message: ${z.prettifyError(answer.error)}`);
  const { model, content, stop_reason: stopReason, stop_details: details, usage } = answer.data;
  for (const [place, block] of content.entries()) {
    if (!isToolUse(block)) continue;
    const isLast = place === content.length - 1;
    if (isObject(block.input) && (isCutShort(stopReason) && isLast ? true : isWhole(heard.inputs.get(place)))) continue;
    throw brokenReply(`the input of ${block.name} is no JSON object`);
  }
  const reasons = isObject(details) ? [{ ...details, type: 'refusal' } as Block] : [];
  return {
    model,
    stopReason,
    usage: { ...promptUsage(usage), output: usage.output_tokens },
    blocks: [...content, ...reasons],
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWhole(json: string | undefined): boolean {
  if (json === undefined || json === '') return true;
  try {
    return isObject(JSON.parse(json));
  } catch {
    return false;
  }
}

interface Reader {
  sdk: typeof import('@anthropic-ai/sdk');
  key: string;
  clock: Clock;
}

function read(error: unknown, model: string, { sdk, key, clock }: Reader): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof sdk.APIUserAbortError) return brokenReply('the call was ended');
  if (error instanceof sdk.APIConnectionError) {
    const message = redact(causesOf(error), key);
    return new CallFailure({ message, retry: true, billed: UNREACHED.test(message) ? 'no' : 'maybe' });
  }
  if (error instanceof sdk.APIError) {
    const { status, type, errorCode, apiMessage, headers } = error as InstanceType<typeof sdk.APIError>;
    const message = redact(apiMessage ?? error.message, key).slice(0, 500);
    const header = (name: string): string | null => headers?.get(name) ?? null;
    return failureOf({ status, type, code: errorCode, message, header }, model, clock.now());
  }
  // What is no JSON is not quoted.
  if (error instanceof sdk.AnthropicError && error.cause instanceof SyntaxError) {
    return brokenReply('an event of the stream is no JSON');
  }
  // The stream broke off, or was no stream of events.
  if (error instanceof sdk.AnthropicError) return brokenReply(redact(causesOf(error), key).slice(0, 500));
  throw error;
}

/** The messages of an error and what it was caused by, the codes of the system with them. */
function causesOf(error: Error): string {
  const parts: string[] = [];
  for (let at: unknown = error; at instanceof Error && parts.length < 5; at = at.cause) {
    const code = 'code' in at && !at.message.includes(String(at.code)) ? ` (${String(at.code)})` : '';
    if (at.message !== '') parts.push(`${at.message.replace(/\.$/u, '')}${code}`);
  }
  return parts.join(': ');
}
