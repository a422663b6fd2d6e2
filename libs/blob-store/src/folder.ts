import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobRef } from '@whale/contracts';
import { EnvironmentError, sha256, WhaleError } from '@whale/kernel';
import type { BlobStore } from './port.ts';

const SCHEME = 'blob:sha256/';

/** Where a blob of this hash lies in any store of the platform, for who knows no more of it. */
export function blobUri(hash: string): string {
  return SCHEME + hash;
}

/** Blobs as files `<root>/<first two hex>/<sha256>`; the uri `blob:sha256/<hex>` names no machine. */
export class FolderBlobStore implements BlobStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async put(bytes: Uint8Array): Promise<BlobRef> {
    const hash = sha256(bytes);
    const ref = { uri: blobUri(hash), sha256: hash, bytes: bytes.byteLength };
    const path = this.#path(hash);
    const existing = await stat(path).catch(() => null);
    if (existing?.size === bytes.byteLength) return ref;
    // Written aside and renamed, so that a kill leaves either the whole blob or none.
    const aside = `${path}.${randomUUID()}.part`;
    try {
      await mkdir(dirname(path), { recursive: true });
      const file = await open(aside, 'w');
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(aside, path);
    } catch (cause) {
      throw new EnvironmentError(`cannot write blob ${hash} under ${this.#root}: ${(cause as Error).message}`, {
        cause,
        retryable: (cause as NodeJS.ErrnoException).code === 'ENOSPC',
      });
    }
    return ref;
  }

  async get(ref: Pick<BlobRef, 'uri' | 'sha256'>): Promise<Uint8Array> {
    if (!ref.uri.startsWith(SCHEME)) {
      throw new WhaleError('BLOB_SCHEME', `${ref.uri} is not a ${SCHEME}<hex> uri; this store keeps only those`);
    }
    let bytes: Buffer;
    try {
      bytes = await readFile(this.#path(ref.sha256));
    } catch (cause) {
      // It was written before anybody was told of it, so the folder may come back: a mount, a network disk.
      throw new WhaleError('BLOB_MISSING', `blob ${ref.sha256} cannot be read: ${(cause as Error).message}`, {
        cause,
        retryable: true,
      });
    }
    const actual = sha256(bytes);
    if (actual !== ref.sha256) {
      throw new WhaleError('BLOB_CORRUPT', `blob ${ref.sha256} on disk hashes to ${actual}`);
    }
    return bytes;
  }

  #path(hash: string): string {
    return join(this.#root, hash.slice(0, 2), hash);
  }
}
