import kafkajs, { CompressionTypes } from 'kafkajs';

// Not among the names that an ES module can import from it.
const { CompressionCodecs } = kafkajs;

interface Codec {
  compress: (encoder: { buffer: Buffer }) => Promise<Buffer>;
  decompress: (bytes: Buffer) => Promise<Buffer>;
}

/** What snappy-java begins its own framing with: https://github.com/xerial/snappy-java (SnappyCodec). */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEAD_BYTES = XERIAL_MAGIC.length + 8;

/**
 * kafkajs itself knows gzip only, and a consumer ends at the first batch of another kind. Which kind lies on a topic is
 * not ours to say: another producer chooses it, or the topic's `compression.type`. Libraries are loaded when they are needed.
 */
export function readEveryCompression(): void {
  CompressionCodecs[CompressionTypes.Snappy] = readsBy('snappy', snappy);
  CompressionCodecs[CompressionTypes.LZ4] = readsBy('lz4', async (bytes) => {
    const { decompressFrame } = await import('lz4-napi');
    return decompressFrame(bytes);
  });
  CompressionCodecs[CompressionTypes.ZSTD] = readsBy('zstd', async (bytes) => {
    const { decompress } = await import('fzstd');
    return Buffer.from(decompress(bytes));
  });
}

function readsBy(name: string, decompress: Codec['decompress']): () => Codec {
  const compress = () => Promise.reject(new Error(`records are not written with ${name}: expected gzip or none`));
  return () => ({ compress, decompress });
}

/** In one block, as librdkafka writes it, or in the blocks of snappy-java. */
async function snappy(bytes: Buffer): Promise<Buffer> {
  const { uncompress } = (await import('snappyjs')).default;
  if (!bytes.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC)) return Buffer.from(uncompress(bytes));
  const blocks: Uint8Array[] = [];
  for (let at = XERIAL_HEAD_BYTES; at < bytes.length;) {
    const from = at + 4;
    at = from + bytes.readUInt32BE(at);
    blocks.push(uncompress(bytes.subarray(from, at)));
  }
  return Buffer.concat(blocks);
}
