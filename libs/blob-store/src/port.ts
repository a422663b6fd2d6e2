import type { BlobRef } from '@whale/contracts';

/** Content-addressed store. What is written is found by its sha256; writing the same bytes twice is harmless. */
export interface BlobStore {
  /** Durable when it returns. */
  put(bytes: Uint8Array): Promise<BlobRef>;
  /** Verified on read: bytes that do not hash to `sha256` are an error, never data. */
  get(ref: Pick<BlobRef, 'uri' | 'sha256'>): Promise<Uint8Array>;
}
