const HEAD_BYTES = 16 << 10;
const TAIL_BYTES = 48 << 10;

/** What a stream of a program says: its beginning and its end, however much comes. */
export class Output {
  #bytes = 0;
  #head = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const room = HEAD_BYTES - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    const rest = chunk.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    // A copy, so that the pool which the chunk was cut from is not held.
    this.#tail.push(Buffer.from(rest));
    this.#tailBytes += rest.length;
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= TAIL_BYTES) {
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
    }
  }

  /** UTF-8; bytes that are none show as U+FFFD. */
  get text(): string {
    const tail = Buffer.concat(this.#tail).subarray(-TAIL_BYTES);
    const left = this.#bytes - this.#head.length - tail.length;
    if (left === 0) return Buffer.concat([this.#head, tail]).toString();
    return `${this.#head.toString()}\n… ${left} bytes left out …\n${tail.toString()}`;
  }
}
