import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EnvironmentError, quoted, Watchdog } from '@whale/kernel';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
/** Longer than any broker of a test lives. */
const DAYS = ['-days', '30'];

/** A certificate and its key: paths of PEM files. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** What openssl makes: an authority, a broker's certificate signed by it, and those of clients as they are asked for. */
export class Certificates {
  /** Of the authority that signs all of them. */
  readonly ca: string;
  readonly #authority: KeyPair;
  readonly #folder: string;
  readonly #watchdog: Watchdog;

  private constructor(folder: string) {
    this.#folder = folder;
    this.ca = join(folder, 'ca.pem');
    this.#authority = { cert: this.ca, key: join(folder, 'ca.key') };
    this.#watchdog = new Watchdog(`rm -rf ${quoted(folder)}`);
  }

  /** In a folder that goes away with this process at the latest. Throws EnvironmentError. */
  static async make(): Promise<Certificates> {
    const made = new Certificates(await mkdtemp(join(tmpdir(), 'whale-kafka-certificates-')));
    const { cert, key } = made.#authority;
    try {
      await openssl(['req', '-x509', ...KEY, '-subj', '/CN=authority', ...DAYS, '-keyout', key, '-out', cert]);
      return made;
    } catch (error) {
      await made.remove();
      throw error;
    }
  }

  /** `name` is the CN; `hosts` as openssl writes them, `DNS:localhost`. */
  async sign(name: string, hosts: readonly string[] = []): Promise<KeyPair> {
    const path = (extension: string) => join(this.#folder, `${name}.${extension}`);
    const pair = { cert: path('pem'), key: path('key') };
    const extensions = hosts.length === 0 ? 'basicConstraints=CA:FALSE' : `subjectAltName=${hosts.join(',')}`;
    await writeFile(path('ext'), extensions);
    await openssl(['req', '-new', ...KEY, '-subj', `/CN=${name}`, '-keyout', pair.key, '-out', path('csr')]);
    const { cert, key } = this.#authority;
    const by = ['-CA', cert, '-CAkey', key, '-CAcreateserial', '-extfile', path('ext')];
    await openssl(['x509', '-req', '-in', path('csr'), ...by, ...DAYS, '-out', pair.cert]);
    return pair;
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    this.#watchdog.dismiss();
  }
}

/** Of PEM files, as texts. */
export async function textsOf<Name extends string>(files: Record<Name, string>): Promise<Record<Name, string>> {
  const names = Object.keys(files) as Name[];
  const texts = await Promise.all(names.map(async (name) => [name, await readFile(files[name], 'utf8')] as const));
  return Object.fromEntries(texts) as Record<Name, string>;
}

export function opensslIsHere(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function openssl(args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)('openssl', args);
  } catch (cause) {
    const why = (cause as { stderr?: string }).stderr || (cause as Error).message;
    throw new EnvironmentError(`certificates need openssl: openssl ${args[0]} failed: ${why}`, { cause });
  }
}
