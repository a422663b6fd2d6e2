import type { Effect, EffectRecord, RolloutEnd } from '@whale/contracts';
import { turn, type JsonValue } from '@whale/kernel';
import { parseEffect } from './effect-shape.ts';
import { SandboxError } from './errors.ts';
import { wellFormed, wellFormedJson } from './json-text.ts';
import type { HarnessLimits } from './limits.ts';
import { STEPS_AT_FULL } from './watchdog.ts';
import type { HarnessErrorCode, HarnessFailure, RecordedStep, ToWorker, Usage } from './protocol.ts';

/** The environment of a rollout: answers an effect. Its rejection is infrastructure, never the harness's fault. */
export type EffectHandler = (effect: Effect, index: number) => Promise<unknown> | unknown;

export interface HarnessRun extends Usage {
  end: RolloutEnd;
  /** In order. Fed to `replay`, they give an equal HarnessRun. */
  effects: EffectRecord[];
}

export interface RolloutInput {
  source: string;
  task: JsonValue;
  limits: HarnessLimits;
  onEffect: EffectHandler;
}

interface Pending {
  index: number;
  text: string;
}

/** UTF-8 bytes of JSON that are parsed in one turn of the event loop. */
const PARSED_AT_ONCE = 256 * 1024;

/**
 * The host's half of one rollout. It outlives the worker: after a restart the VM comes back to where it was.
 *
 * 1. `onEffect` is called once for each effect, whatever happens to workers.
 * 2. A result is recorded before the VM sees it.
 * 3. A VM gets each result once: by `resume` when it stands at the effect, else by the records of its start.
 * 4. Until the end it keeps texts only, of `recordBytes` at most: parsed, a hostile effect takes ten times its bytes.
 */
export class RolloutRun {
  readonly number: number;
  readonly input: RolloutInput;
  /** How often a worker died while this rollout executed. */
  crashes = 0;
  readonly done: Promise<HarnessRun>;
  #resolve!: (run: HarnessRun) => void;
  #reject!: (error: unknown) => void;
  #settled = false;
  #steps: RecordedStep[] = [];
  #recordBytes = 0;
  #turns = 0;
  #usage: Usage = { fuelUsed: 0, memoryBytes: 0 };
  /** The effect that `onEffect` works on. */
  #pending: Pending | undefined;
  /** Whether the VM stands at the pending effect. */
  #parked = false;

  constructor(number: number, input: RolloutInput) {
    this.number = number;
    this.input = input;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** The message that brings a fresh VM to the state of this rollout. */
  startMessage(): ToWorker {
    const { source, task, limits } = this.input;
    const { turns, effects, maxTokens, contextTokens, fuel, memoryBytes, effectBytes, answerBytes } = limits;
    this.#parked = false;
    return {
      type: 'start',
      rollout: this.number,
      source,
      task: wellFormedJson(JSON.stringify(task)),
      limits: JSON.stringify({ turns, effects, maxTokens, contextTokens }),
      vm: { fuel, memoryBytes, effectBytes, answerBytes },
      recorded: [...this.#steps],
    };
  }

  /** The VM yielded. `send` reaches the worker that the VM lives in by then; only a parked VM is sent anything. */
  onEffect(index: number, text: string, usage: Usage, send: (message: ToWorker) => void): void {
    this.#usage = usage;
    const pending = this.#pending;
    if (pending !== undefined) {
      if (pending.index !== index || pending.text !== text) {
        return this.fail(new SandboxError('REPLAY_DIVERGED', `effect ${index + 1} came out otherwise after a restart`));
      }
      this.#parked = true;
      return;
    }
    if (index < this.#steps.length) {
      // The result came while the VM was on its way back here.
      const step = this.#steps[index];
      if (step !== undefined) send({ type: 'resume', rollout: this.number, result: step.result });
      return;
    }
    this.#accept(index, text, send);
  }

  #accept(index: number, text: string, send: (message: ToWorker) => void): void {
    const { limits } = this.input;
    if (Buffer.byteLength(text) > limits.effectBytes) {
      return this.#failHarness(
        'EFFECT_TOO_LARGE',
        `effect ${index + 1} has ${Buffer.byteLength(text)} bytes of JSON; at most ${limits.effectBytes} are allowed`,
      );
    }
    const parsed = parseEffect(text);
    if ('problem' in parsed) return this.#failHarness('EFFECT_SHAPE', `effect ${index + 1}: ${parsed.problem}`);
    const { effect } = parsed;
    if (index >= limits.effects) return this.end({ kind: 'truncated', reason: 'effects' });
    if (effect.type === 'generate') {
      if (this.#turns >= limits.turns) return this.end({ kind: 'truncated', reason: 'turns' });
      this.#turns += 1;
    }
    if (!this.#keep(text)) return;
    this.#pending = { index, text };
    this.#parked = true;
    this.#perform(effect, index).then(
      (result) => this.#onResult(result, send),
      (error: unknown) => this.fail(error),
    );
  }

  async #perform(effect: Effect, index: number): Promise<string> {
    // Replies of a batch arrive together; what their harnesses ask for next is not done in one go.
    await turn();
    const result: unknown = await this.input.onEffect(effect, index);
    const text: unknown = JSON.stringify(result);
    if (typeof text !== 'string') {
      throw new SandboxError('EFFECT_RESULT', `the result of effect ${index + 1} (${effect.type}) has no JSON form`);
    }
    const bytes = Buffer.byteLength(text);
    const { resultBytes } = this.input.limits;
    if (bytes <= resultBytes) return wellFormedJson(text);
    return JSON.stringify({ error: `the result has ${bytes} bytes of JSON; at most ${resultBytes} are allowed` });
  }

  #onResult(result: string, send: (message: ToWorker) => void): void {
    const pending = this.#pending;
    if (this.#settled || pending === undefined) return;
    this.#pending = undefined;
    this.#steps.push({ effect: pending.text, result });
    if (!this.#keep(result)) return;
    if (!this.#parked) return;
    this.#parked = false;
    send({ type: 'resume', rollout: this.number, result });
  }

  /** Counts a text that is kept; false when it is one too many and the rollout has ended. */
  #keep(text: string): boolean {
    this.#recordBytes += Buffer.byteLength(text);
    const { recordBytes } = this.input.limits;
    if (this.#recordBytes <= recordBytes) return true;
    const message = `all effects and results together have more than the ${recordBytes} bytes of JSON that are allowed`;
    this.#failHarness('RECORD_TOO_LARGE', message);
    return false;
  }

  onAnswer(answer: string | null, usage: Usage): void {
    this.#usage = usage;
    if (answer === null) return this.end({ kind: 'truncated', reason: 'no_answer' });
    const bytes = Buffer.byteLength(answer);
    const { answerBytes } = this.input.limits;
    if (bytes > answerBytes) {
      return this.#failHarness('ANSWER_TOO_LARGE', `the answer has ${bytes} bytes; at most ${answerBytes} are allowed`);
    }
    this.end({ kind: 'answered', answer });
  }

  onFailure(failure: HarnessFailure, usage: Usage): void {
    this.#usage = usage;
    this.#failHarness(failure.code, failure.message, failure);
  }

  /** Ends with the usage as of the last step that came back. */
  onStuck(together: boolean): void {
    const { stepMillis } = this.input.limits;
    const native = '(a native loop: a large sort, search or regular expression?)';
    if (together) {
      const message = `all steps together used ${STEPS_AT_FULL * stepMillis} ms of CPU time ${native}`;
      return this.#failHarness('WATCHDOG', message);
    }
    const after = this.#steps.length === 0 ? 'at the start' : `after effect ${this.#steps.length}`;
    this.#failHarness('WATCHDOG', `the step ${after} did not come back within ${stepMillis} ms of CPU time ${native}`);
  }

  onCrash(): void {
    this.#failHarness('CRASH', 'the VM died twice while it executed this harness');
  }

  #failHarness(code: HarnessErrorCode, message: string, at: { line?: number; column?: number } = {}): void {
    const where =
      at.line === undefined ? '' : `harness.ts:${at.line}${at.column === undefined ? '' : `:${at.column}`}: `;
    this.end({ kind: 'harness_error', code, message: wellFormed(where + message) });
  }

  end(end: RolloutEnd): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#effects().then((effects) => this.#resolve({ end, effects, ...this.#usage }), this.#reject);
  }

  async #effects(): Promise<EffectRecord[]> {
    const records: EffectRecord[] = [];
    let bytes = 0;
    for (const { effect, result } of this.#steps) {
      bytes += effect.length + result.length;
      if (bytes > PARSED_AT_ONCE) {
        await turn();
        bytes = 0;
      }
      records.push({ effect: JSON.parse(effect) as Effect, result: JSON.parse(result) as EffectRecord['result'] });
    }
    return records;
  }

  /** Infrastructure: `done` rejects with `error`. */
  fail(error: unknown): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#reject(error);
  }
}
