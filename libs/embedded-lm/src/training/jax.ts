/**
 * The automatic differentiation library, set to its WebAssembly backend.
 *
 * jax-js uses relaxed fused multiply-add where the runtime has it (Node 22 and later), which rounds differently from
 * Node 20 and, by definition, may differ between machines. It asks `WebAssembly.validate` about it; while it is loaded
 * and probed here the answer is no, so that training gives the same bits on every Node version.
 */
import { wasmRuntime } from '../wasm/runtime.ts';

const RELAXED_MADD = [0xfd, 0x85, 0x02];

const validate = wasmRuntime.validate.bind(wasmRuntime);
wasmRuntime.validate = (bytes) => {
  const tail = [...bytes.subarray(bytes.length - 4, bytes.length - 1)];
  return tail.every((byte, i) => byte === RELAXED_MADD[i]) ? false : validate(bytes);
};

export const jax = await import('@jax-js/jax');
jax.defaultDevice('wasm');
