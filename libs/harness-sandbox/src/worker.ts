import { readlinkSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { type Compiled, Engine } from './engine.ts';
import { HarnessVm, type Step } from './harness-vm.ts';
import {
  PROGRESS_ROLLOUT,
  PROGRESS_STEP,
  type FromWorker,
  type HarnessFailure,
  type ToWorker,
  type WorkerData,
} from './protocol.ts';

/**
 * A sandbox worker: many VMs, one step at a time. It imports little, since the host may have to start a fresh one in the
 * middle of work.
 *
 * 1. While code of a rollout executes, `progress` names that rollout and no other; each step has its own number.
 * 2. Recorded effects are executed again without a message, and must come out as recorded.
 */

type Start = Extract<ToWorker, { type: 'start' }>;

const { wasm, progress: shared } = workerData as WorkerData;
const progress = new Int32Array(shared);
const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread only');

const send = (message: FromWorker): void => port.postMessage(message);
const engine = await Engine.create(wasm);
/** VMs that wait for the result of the effect `index`. */
const live = new Map<number, { vm: HarnessVm; index: number }>();
const starting = new Set<number>();
const dropped = new Set<number>();

function enter(rollout: number): void {
  Atomics.add(progress, PROGRESS_STEP, 1);
  Atomics.store(progress, PROGRESS_ROLLOUT, rollout);
}

function leave(): void {
  Atomics.store(progress, PROGRESS_ROLLOUT, 0);
}

async function compile(rollout: number, source: string): Promise<Compiled> {
  const before = engine.compiledBefore(source);
  if (before !== undefined) return before;
  const compiler = await engine.compiler();
  enter(rollout);
  try {
    return engine.compile(compiler, source);
  } finally {
    leave();
    compiler.dispose();
  }
}

async function start({ rollout, source, task, limits, vm: vmLimits, recorded }: Start): Promise<void> {
  starting.add(rollout);
  const compiled = await compile(rollout, source);
  const vm = 'failure' in compiled ? undefined : await HarnessVm.create(engine, vmLimits);
  starting.delete(rollout);
  if (dropped.delete(rollout)) return vm?.dispose();
  if ('failure' in compiled || vm === undefined) {
    const failure: HarnessFailure = 'failure' in compiled ? compiled.failure : { code: 'CRASH', message: 'no VM' };
    return send({ type: 'failure', rollout, failure, fuelUsed: 0, memoryBytes: 0 });
  }
  live.set(rollout, { vm, index: 0 });
  enter(rollout);
  let step: Step;
  try {
    step = await vm.start(compiled.bytecode, task, limits);
  } finally {
    leave();
  }
  for (const [index, { effect, result }] of recorded.entries()) {
    if (step.kind !== 'effect' || step.effect !== effect) {
      release(rollout);
      const got = step.kind === 'effect' ? step.effect : step.kind;
      const message = `effect ${index + 1} was ${excerpt(effect)} and came out as ${excerpt(got)}`;
      return send({ type: 'broken', rollout, code: 'REPLAY_DIVERGED', message });
    }
    step = resumed(rollout, vm, result);
  }
  report(rollout, vm, step, recorded.length);
}

function resumed(rollout: number, vm: HarnessVm, result: string): Step {
  enter(rollout);
  try {
    return vm.resume(result);
  } finally {
    leave();
  }
}

function report(rollout: number, vm: HarnessVm, step: Step, index: number): void {
  const { usage } = vm;
  if (step.kind === 'effect') {
    live.set(rollout, { vm, index });
    return send({ type: 'effect', rollout, index, effect: step.effect, ...usage });
  }
  release(rollout);
  if (step.kind === 'answer') send({ type: 'answer', rollout, answer: step.answer, ...usage });
  else send({ type: 'failure', rollout, failure: step.failure, ...usage });
}

function release(rollout: number): void {
  live.get(rollout)?.vm.dispose();
  live.delete(rollout);
}

function excerpt(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}

function resume(rollout: number, result: string): void {
  const waiting = live.get(rollout);
  if (waiting === undefined) return;
  const { vm, index } = waiting;
  report(rollout, vm, resumed(rollout, vm, result), index + 1);
}

/** Not the harness's fault, as far as can be told. Thrown on, it would end the thread and all rollouts in it. */
function broken(rollout: number, error: unknown): void {
  starting.delete(rollout);
  release(rollout);
  if (dropped.delete(rollout)) return;
  const message = error instanceof Error ? error.message : String(error);
  send({ type: 'broken', rollout, code: 'SANDBOX_VM', message });
}

port.on('message', (message: ToWorker) => {
  const { rollout } = message;
  switch (message.type) {
    case 'start':
      start(message).catch((error: unknown) => broken(rollout, error));
      return;
    case 'resume':
      try {
        resume(rollout, message.result);
      } catch (error) {
        broken(rollout, error);
      }
      return;
    case 'drop':
      if (starting.has(rollout)) dropped.add(rollout);
      else release(rollout);
      return;
    default:
      return message satisfies never;
  }
});

/** The kernel's id of this thread on Linux: the host reads its CPU time. */
function kernelThreadId(): number | undefined {
  try {
    const id = /task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1];
    return id === undefined ? undefined : Number(id);
  } catch {
    return undefined;
  }
}

send({ type: 'ready', threadId: kernelThreadId() });
