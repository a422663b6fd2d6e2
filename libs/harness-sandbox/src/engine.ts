import { EvalFlags, Intrinsics, JSException, QuickJS, type QuickJSOptions } from 'quickjs-wasi';
import { PRELUDE } from './prelude.ts';
import type { HarnessFailure } from './protocol.ts';
import { loadStripper, stripTypes } from './strip-types.ts';

type Snapshot = ReturnType<QuickJS['snapshot']>;

/** No Date, performance, WeakRef or FinalizationRegistry, and no eval: the harness arrives as bytecode. */
const INTRINSICS =
  Intrinsics.REGEXP |
  Intrinsics.JSON |
  Intrinsics.PROXY |
  Intrinsics.MAP_SET |
  Intrinsics.TYPED_ARRAYS |
  Intrinsics.PROMISE |
  Intrinsics.BIG_INT;

const COMPILE_MEMORY_BYTES = 128 * 1024 * 1024;
const CACHED_SOURCES = 32;

/** Native stack of a VM in bytes, of the 1 MiB that the WASM has: endless recursion is a RangeError in the harness. */
const STACK_BYTES = 256 * 1024;

export const HARNESS_FILE = 'harness.ts';

export type Compiled = { bytecode: Uint8Array } | { failure: HarnessFailure };

/** A position in the harness out of a QuickJS stack: its innermost frame there. */
export function positionIn(stack: string | undefined): { line?: number; column?: number } {
  const frame = /harness\.ts:(\d{1,7}):(\d{1,7})/.exec(stack ?? '');
  return frame === null ? {} : { line: Number(frame[1]), column: Number(frame[2]) };
}

/** The clock stands still and the entropy is zero: nothing of the machine reaches a VM. */
function deterministicWasi(memory: { readonly buffer: ArrayBuffer }): Record<string, (...args: never[]) => number> {
  return {
    clock_time_get: (_clock: number, _precision: bigint, at: number) => {
      new DataView(memory.buffer).setBigUint64(at, 0n, true);
      return 0;
    },
    random_get: (at: number, length: number) => {
      new Uint8Array(memory.buffer, at, length).fill(0);
      return 0;
    },
    fd_write: () => 8,
  };
}

/** Makes VMs that differ in nothing: each is a copy of one snapshot, taken after the prelude. One engine a worker. */
export class Engine {
  readonly #wasm: WebAssembly.Module;
  readonly #snapshot: Snapshot;
  readonly #compiled = new Map<string, Compiled>();

  private constructor(wasm: WebAssembly.Module, snapshot: Snapshot) {
    this.#wasm = wasm;
    this.#snapshot = snapshot;
  }

  static async create(wasm: WebAssembly.Module): Promise<Engine> {
    loadStripper();
    const base = { wasm, wasi: deterministicWasi, timezoneOffset: 0 };
    const compiler = await QuickJS.create({ ...base, intrinsics: INTRINSICS | Intrinsics.EVAL });
    const prelude = compiler.compile(PRELUDE, 'prelude.js');
    compiler.dispose();
    const vm = await QuickJS.create({ ...base, intrinsics: INTRINSICS });
    vm.evalBytecode(prelude).dispose();
    const snapshot = vm.snapshot();
    vm.dispose();
    return new Engine(wasm, snapshot);
  }

  async restore(options: Pick<QuickJSOptions, 'memoryLimit' | 'interruptHandler'>): Promise<QuickJS> {
    return QuickJS.restore(this.#snapshot, {
      wasm: this.#wasm,
      wasi: deterministicWasi,
      timezoneOffset: 0,
      maxStackSize: STACK_BYTES,
      ...options,
    });
  }

  /** A VM that can parse, for `compile`; it never runs anything. */
  async compiler(): Promise<QuickJS> {
    return QuickJS.create({
      wasm: this.#wasm,
      wasi: deterministicWasi,
      timezoneOffset: 0,
      intrinsics: INTRINSICS | Intrinsics.EVAL,
      memoryLimit: COMPILE_MEMORY_BYTES,
      maxStackSize: STACK_BYTES,
    });
  }

  compiledBefore(source: string): Compiled | undefined {
    return this.#compiled.get(source);
  }

  /** TypeScript to bytecode; never throws for what the source says. `vm` is a fresh compiler. */
  compile(vm: QuickJS, source: string): Compiled {
    const compiled = compileWith(vm, source);
    const oldest = this.#compiled.size < CACHED_SOURCES ? undefined : this.#compiled.keys().next().value;
    if (oldest !== undefined) this.#compiled.delete(oldest);
    this.#compiled.set(source, compiled);
    return compiled;
  }
}

function compileWith(vm: QuickJS, source: string): Compiled {
  const stripped = stripTypes(source);
  if ('failure' in stripped) return stripped;
  try {
    // Compile alone loses the position of a syntax error; a dry evaluation has it.
    vm.evalCode(stripped.code, HARNESS_FILE, EvalFlags.TYPE_MODULE | EvalFlags.COMPILE_ONLY).dispose();
    return { bytecode: vm.compile(stripped.code, HARNESS_FILE, EvalFlags.TYPE_MODULE) };
  } catch (error) {
    if (error instanceof JSException && error.message.startsWith('could not load module')) {
      return { failure: { code: 'STRUCTURE', message: 'a harness imports nothing; remove the import' } };
    }
    const [message, stack] =
      error instanceof JSException ? [error.message, error.stack] : [error instanceof Error ? error.message : '', ''];
    const deep = /stack size|memory access/.test(message);
    return {
      failure: {
        code: 'PARSE',
        message: deep ? 'the source is nested too deeply to parse' : message || 'the source does not parse',
        ...positionIn(stack),
      },
    };
  }
}
