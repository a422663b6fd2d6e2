import { Certificates, textsOf, type KeyPair } from './certificates.ts';
import { freePort } from './ports.ts';
import type { TlsListeners, User } from './security.ts';

/** How clients reach a broker by TLS. Paths are of PEM files, which go away with the broker. */
export interface TlsAccess {
  /** `kafkas://host:port` that takes users and passwords by SCRAM, SHA-256 or SHA-512. */
  scramUrl: string;
  /** `kafkas://host:port` that takes certificates of clients and no passwords. */
  mutualUrl: string;
  /** The authority that signed all certificates here. */
  ca: string;
  /** The certificate of one user. */
  client: KeyPair & { user: User };
}

const CLIENT: User = 'rollout';

/** What a broker with TLS has besides: ports and certificates. */
export class TlsSide {
  readonly listeners: TlsListeners;
  readonly access: TlsAccess;
  readonly #certificates: Certificates;

  private constructor(listeners: TlsListeners, access: TlsAccess, certificates: Certificates) {
    this.listeners = listeners;
    this.access = access;
    this.#certificates = certificates;
  }

  /** Throws EnvironmentError where there is no openssl. */
  static async make(): Promise<TlsSide> {
    const certificates = await Certificates.make();
    const { ca } = certificates;
    const broker = await certificates.sign('broker', ['DNS:localhost', 'IP:127.0.0.1']);
    const client = { ...(await certificates.sign(CLIENT)), user: CLIENT };
    const [scramPort, mutualPort] = [await freePort(), await freePort()];
    const listeners = { scramPort, mutualPort, pem: await textsOf({ ca, ...broker }) };
    const [scramUrl, mutualUrl] = [`kafkas://127.0.0.1:${scramPort}`, `kafkas://127.0.0.1:${mutualPort}`];
    return new TlsSide(listeners, { scramUrl, mutualUrl, ca, client }, certificates);
  }

  remove(): Promise<void> {
    return this.#certificates.remove();
  }
}
