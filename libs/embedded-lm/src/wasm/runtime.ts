/** The few parts of the WebAssembly JavaScript API used here; @types/node for Node 20 does not declare them. */
interface Memory {
  readonly buffer: ArrayBuffer;
}

interface Runtime {
  Memory: new (descriptor: { initial: number }) => Memory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { env: { memory: Memory } }) => { exports: unknown };
  validate(bytes: Uint8Array): boolean;
}

export const wasmRuntime = (globalThis as unknown as { WebAssembly: Runtime }).WebAssembly;
