import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Node 20's types know WebAssembly as a namespace only. */
const { compile } = (
  globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<WebAssembly.Module> } }
).WebAssembly;

/** QuickJS, compiled once: workers get the module, and share its machine code. */
export async function loadQuickJs(): Promise<WebAssembly.Module> {
  return compile(await readFile(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')));
}
