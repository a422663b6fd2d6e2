import { readFile } from 'node:fs/promises';
import { EnvironmentError } from '@whale/kernel';
import { Tokenizer, type TokenizerFile } from './tokenizer/tokenizer.ts';

const asset = (name: string) => new URL(`../assets/${name}`, import.meta.url);

/** The checkpoint of θ₀ as shipped (int8). Throws EnvironmentError when the file is not there. */
export async function loadTheta0(): Promise<Uint8Array> {
  return new Uint8Array(await read('theta0.bin'));
}

/** The tokenizer that θ₀ was pretrained with. Throws EnvironmentError when the file is not there. */
export async function loadTokenizer(): Promise<Tokenizer> {
  return new Tokenizer(JSON.parse((await read('tokenizer.json')).toString('utf8')) as TokenizerFile);
}

async function read(name: string): Promise<Buffer> {
  try {
    return await readFile(asset(name));
  } catch (cause) {
    throw new EnvironmentError(`libs/embedded-lm/assets/${name} cannot be read; \`whale pretrain\` writes it`, {
      cause,
    });
  }
}
