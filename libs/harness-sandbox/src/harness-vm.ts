import { JSException, type JSValueHandle, type QuickJS } from 'quickjs-wasi';
import { type Engine, positionIn } from './engine.ts';
import { wellFormed, wellFormedJson } from './json-text.ts';
import type { HarnessErrorCode, HarnessFailure, Usage, VmLimits } from './protocol.ts';

export type Step =
  | { kind: 'effect'; effect: string }
  | { kind: 'answer'; answer: string | null }
  | { kind: 'failure'; failure: HarnessFailure };

const PENDING = 0;

/** Characters of a failure's message, which goes into events. */
const MOST_MESSAGE = 4000;

/** Ends the VM's execution past all that the harness might catch with: it unwinds the WASM itself. */
class FuelExhausted extends Error {}

/** One rollout's VM. `start` and `resume` run the harness to its next effect or its end; they never throw for its sake. */
export class HarnessVm {
  readonly #limits: VmLimits;
  #vm!: QuickJS;
  #driver!: { start: JSValueHandle; step: JSValueHandle; raised: JSValueHandle };
  #interrupts = 0;
  #outOfFuel = false;
  #peakBytes = 0;
  #effects = 0;

  private constructor(limits: VmLimits) {
    this.#limits = limits;
  }

  static async create(engine: Engine, limits: VmLimits): Promise<HarnessVm> {
    const self = new HarnessVm(limits);
    self.#vm = await engine.restore({
      memoryLimit: limits.memoryBytes,
      interruptHandler: () => self.#interrupt(),
    });
    const global = self.#vm.global;
    const driver = global.getProp('__driver');
    self.#driver = { start: driver.getProp('start'), step: driver.getProp('step'), raised: driver.getProp('raised') };
    driver.dispose();
    self.#vm.callFunction(self.#driver.raised, self.#vm.undefined).dispose();
    return self;
  }

  get usage(): Usage {
    return { fuelUsed: Math.min(this.#interrupts, this.#limits.fuel), memoryBytes: this.#peakBytes };
  }

  /**
   * Whether the VM shall stop with an error that nothing can catch. An async function turns even that into a rejected
   * promise and goes on, so a second time it is not asked.
   */
  #interrupt(): boolean {
    if (this.#outOfFuel) throw new FuelExhausted();
    this.#interrupts += 1;
    this.#outOfFuel = this.#interrupts > this.#limits.fuel;
    return this.#outOfFuel;
  }

  /** Asynchronous by the library's interface only: nothing else runs between its parts but microtasks. */
  async start(bytecode: Uint8Array, task: string, limits: string): Promise<Step> {
    const vm = this.#vm;
    let evaluation: JSValueHandle | undefined;
    const failed = this.#guard(() => {
      evaluation = vm.evalBytecode(bytecode);
      return undefined;
    });
    if (failed !== undefined) return failed;
    if (evaluation === undefined) return failure('RUNTIME', 'the harness does not load');
    if (evaluation.promiseState === PENDING) {
      return failure('STRUCTURE', 'a harness has no top-level await, and no export named then');
    }
    const outcome = await vm.resolvePromise(evaluation);
    return this.#guard(() => {
      if ('value' in outcome) {
        const bounds = JSON.stringify({ effect: this.#limits.effectBytes, answer: this.#limits.answerBytes });
        const texts = [task, limits, bounds].map((text) => vm.newString(text));
        return this.#call(this.#driver.start, outcome.value, ...texts);
      }
      // While a module loads, even what nothing can catch ends up in its promise.
      if (vm._getExports().qjs_is_uncatchable_error(outcome.error.ptr) !== 0) throw new JSException(outcome.error);
      return this.#call(this.#driver.raised, outcome.error);
    });
  }

  resume(result: string): Step {
    return this.#guard(() => this.#call(this.#driver.step, this.#vm.newString(result)));
  }

  dispose(): void {
    this.#vm.dispose();
  }

  #call(driver: JSValueHandle, ...args: JSValueHandle[]): Step {
    const out = this.#vm.callFunction(driver, this.#vm.undefined, ...args);
    for (const arg of args) arg.dispose();
    return this.#read(out);
  }

  #read(handle: JSValueHandle): Step {
    const text = handle.consume((value) => value.toString());
    const rest = text.slice(1);
    switch (text[0]) {
      case 'E':
        this.#effects += 1;
        return { kind: 'effect', effect: wellFormedJson(rest) };
      case 'A':
        return { kind: 'answer', answer: JSON.parse(wellFormedJson(rest)) as string | null };
      case 'L':
        return this.#tooLarge(rest);
      case 'M':
        return this.#outOfMemory();
      case 'X':
        return described('RUNTIME', rest);
      case 'S':
        return failure('STRUCTURE', rest);
      case 'J':
        return described('EFFECT_SHAPE', rest, 'yielded a value that JSON cannot carry: ');
      case 'Y':
        return failure('EFFECT_SHAPE', `yielded ${rest}; yield { type: 'generate', … } or { type: 'tool', … }`);
      default:
        return failure('ANSWER_SHAPE', `the harness ${rest}; return { answer } with a string, or null for no answer`);
    }
  }

  #tooLarge(what: string): Step {
    const { answerBytes, effectBytes } = this.#limits;
    if (what === 'answer') {
      return failure('ANSWER_TOO_LARGE', `the answer has more than the ${answerBytes} bytes that are allowed`);
    }
    const which = `effect ${this.#effects + 1}`;
    return failure('EFFECT_TOO_LARGE', `${which} has more than the ${effectBytes} bytes of JSON that are allowed`);
  }

  #outOfMemory(at: { line?: number; column?: number } = {}): Step {
    return failure('MEMORY', `the harness needs more memory than its ${this.#limits.memoryBytes} bytes`, at);
  }

  #ranTooLong(at: { line?: number; column?: number }): Step {
    const message = `the harness ran too long: all ${this.#limits.fuel} units of fuel are used up (an endless loop?)`;
    return failure('FUEL', message, at);
  }

  /** What the driver does not catch: fuel and memory cannot be caught inside, and a trap ends the VM. */
  #guard<T extends Step | undefined>(run: () => T): T | Step {
    try {
      const step = run();
      return this.#outOfFuel ? this.#ranTooLong({}) : step;
    } catch (error) {
      const position = error instanceof JSException ? positionIn(error.stack) : {};
      if (this.#outOfFuel) return this.#ranTooLong(position);
      if (!(error instanceof JSException)) return failure('CRASH', `the VM broke: ${String(error)}`);
      if (error.message === 'out of memory') return this.#outOfMemory(position);
      return failure('RUNTIME', error.message, position);
    } finally {
      this.#peakBytes = Math.max(this.#peakBytes, this.#vm.getAllocatedSize());
    }
  }
}

function failure(code: HarnessErrorCode, message: string, at: { line?: number; column?: number } = {}): Step {
  return { kind: 'failure', failure: { code, message: shortened(message), ...at } };
}

function shortened(message: string): string {
  return wellFormed(message.length > MOST_MESSAGE ? `${message.slice(0, MOST_MESSAGE)}…` : message);
}

/** A thrown value as the driver described it. The text comes out of the VM, so it is not trusted to be right. */
function described(code: HarnessErrorCode, json: string, prefix = ''): Step {
  try {
    const { name, message, stack } = JSON.parse(json) as Record<string, unknown>;
    const label = typeof name === 'string' && name !== '' && prefix === '' ? `${name}: ` : '';
    return failure(code, `${prefix}${label}${String(message)}`, positionIn(String(stack)));
  } catch {
    return failure(code, `${prefix}a value that cannot be described`);
  }
}
