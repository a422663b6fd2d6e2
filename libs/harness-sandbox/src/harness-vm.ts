import { JSException, type JSValueHandle, type QuickJS } from 'quickjs-wasi';
import { type Engine, positionIn } from './engine.ts';
import { wellFormedJson } from './json-text.ts';
import type { HarnessErrorCode, HarnessFailure, Usage, VmLimits } from './protocol.ts';

export type Step =
  | { kind: 'effect'; effect: string }
  | { kind: 'answer'; answer: string | null }
  | { kind: 'failure'; failure: HarnessFailure };

const PENDING = 0;

/** One rollout's VM. `start` and `resume` run the harness to its next effect or its end; they never throw for its sake. */
export class HarnessVm {
  readonly #limits: VmLimits;
  #vm!: QuickJS;
  #driver!: { start: JSValueHandle; step: JSValueHandle; raised: JSValueHandle };
  #interrupts = 0;
  #outOfFuel = false;
  #peakBytes = 0;

  private constructor(limits: VmLimits) {
    this.#limits = limits;
  }

  static async create(engine: Engine, limits: VmLimits): Promise<HarnessVm> {
    const self = new HarnessVm(limits);
    self.#vm = await engine.restore({
      memoryLimit: limits.memoryBytes,
      interruptHandler: () => {
        self.#interrupts += 1;
        self.#outOfFuel ||= self.#interrupts > limits.fuel;
        return self.#outOfFuel;
      },
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

  /** Asynchronous by the library's interface only: nothing else runs between its parts but microtasks. */
  async start(bytecode: Uint8Array, task: string, limits: string): Promise<Step> {
    const vm = this.#vm;
    let evaluation: JSValueHandle | undefined;
    const failed = this.#guard(() => {
      evaluation = vm.evalBytecode(bytecode);
      return undefined;
    });
    if (evaluation === undefined) return failed ?? failure('RUNTIME', 'the harness does not load');
    if (evaluation.promiseState === PENDING) return failure('STRUCTURE', 'a harness has no top-level await');
    const outcome = await vm.resolvePromise(evaluation);
    return this.#guard(() => {
      if ('value' in outcome) {
        return this.#call(this.#driver.start, outcome.value, vm.newString(task), vm.newString(limits));
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
        return { kind: 'effect', effect: wellFormedJson(rest) };
      case 'A':
        return { kind: 'answer', answer: JSON.parse(wellFormedJson(rest)) as string | null };
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

  /** What the driver does not catch: fuel and memory cannot be caught inside, and a trap ends the VM. */
  #guard<T extends Step | undefined>(run: () => T): T | Step {
    try {
      return run();
    } catch (error) {
      const position = error instanceof JSException ? positionIn(error.stack) : {};
      if (this.#outOfFuel) {
        const message = `the harness ran too long: all ${this.#limits.fuel} units of fuel are used up (an endless loop?)`;
        return { kind: 'failure', failure: { code: 'FUEL', message, ...position } };
      }
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof JSException && message === 'out of memory') {
        const text = `the harness needs more memory than its ${this.#limits.memoryBytes} bytes`;
        return { kind: 'failure', failure: { code: 'MEMORY', message: text, ...position } };
      }
      return { kind: 'failure', failure: { code: 'RUNTIME', message, ...position } };
    } finally {
      this.#peakBytes = Math.max(this.#peakBytes, this.#vm.getAllocatedSize());
    }
  }
}

function failure(code: HarnessErrorCode, message: string): Step {
  return { kind: 'failure', failure: { code, message } };
}

/** A thrown value as the driver described it. The text comes out of the VM, so it is not trusted to be right. */
function described(code: HarnessErrorCode, json: string, prefix = ''): Step {
  try {
    const { name, message, stack } = JSON.parse(wellFormedJson(json)) as Record<string, unknown>;
    const label = typeof name === 'string' && name !== '' && prefix === '' ? `${name}: ` : '';
    return {
      kind: 'failure',
      failure: { code, message: `${prefix}${label}${String(message)}`, ...positionIn(String(stack)) },
    };
  } catch {
    return failure(code, `${prefix}a value that cannot be described`);
  }
}
