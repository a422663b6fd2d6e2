import type { Message, Segment, TokenSample } from '@whale/contracts';
import type { Generation } from '@whale/policy';

const SOURCES = { system: 'system', user: 'user', assistant: 'model', tool: 'tool' } as const;

/**
 * Records a rollout as people read it (segments) and as the trainer needs it (samples). Token fidelity (DESIGN §8):
 * a prompt that extends the last sample token for token continues it; any other begins a new sample. Nothing is
 * decoded and encoded again.
 */
export class TrajectoryRecorder {
  readonly #segments: Segment[] = [];
  readonly #samples: TokenSample[] = [];
  #lastMessages: readonly Message[] = [];
  #lastReply = '';
  #prompt = 0;
  #sampled = 0;

  get segments(): Segment[] {
    return this.#segments;
  }

  get samples(): TokenSample[] {
    return this.#samples;
  }

  get tokens(): { prompt: number; sampled: number } {
    return { prompt: this.#prompt, sampled: this.#sampled };
  }

  generated(messages: readonly Message[], generation: Generation): void {
    const known = commonPrefix(this.#lastMessages, messages);
    messages.slice(known).forEach((message, i) => {
      const isLastReply =
        i === 0 &&
        known === this.#lastMessages.length &&
        message.role === 'assistant' &&
        message.content === this.#lastReply;
      // The reply stands there already, as the model's own segment with its tokens.
      if (!isLastReply || this.#segments.length === 0) {
        this.#segments.push({ source: SOURCES[message.role], text: message.content });
      }
    });
    this.#segments.push({ source: 'model', text: generation.text, tokens: generation.tokens });
    this.#lastMessages = messages;
    this.#lastReply = generation.text;
    this.#prompt += generation.promptTokens.length;
    this.#sampled += generation.tokens.length;
    this.#addSample(generation);
  }

  toolAnswered(name: string, result: string): void {
    this.#segments.push({ source: 'env', text: `${name} → ${result}` });
  }

  #addSample({ promptTokens, tokens }: Generation): void {
    if (tokens.length === 0) return;
    const span: [number, number] = [promptTokens.length, tokens.length];
    const last = this.#samples[this.#samples.length - 1];
    if (last && isPrefix(last.tokens, promptTokens)) {
      last.tokens = [...promptTokens, ...tokens];
      last.modelSpans.push(span);
    } else {
      this.#samples.push({ tokens: [...promptTokens, ...tokens], modelSpans: [span] });
    }
  }
}

function isPrefix(prefix: readonly number[], of: readonly number[]): boolean {
  return prefix.length <= of.length && prefix.every((token, i) => token === of[i]);
}

function commonPrefix(a: readonly Message[], b: readonly Message[]): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i]?.role === b[i]?.role && a[i]?.content === b[i]?.content) i++;
  return i;
}
