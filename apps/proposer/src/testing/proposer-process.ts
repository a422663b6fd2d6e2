import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore, type BlobStore } from '@whale/blob-store';
import { decodeRecord, type AnyEvent, type CandidatesRequested, type DomainEvent } from '@whale/contracts';
import { ManualClock, type ErrorDescription } from '@whale/kernel';
import type { Proposer } from '@whale/proposers';
import { Emitter, SqliteServiceStore, type ServiceStore, type UnitOfWork, type WorkHandler } from '@whale/service-kit';
import { onTestFinished } from 'vitest';
import { scoredKey } from '../archive-view.ts';
import type { ProposeParts } from '../propose-batch.ts';
import { proposeWork } from '../proposer.work.ts';
import { subscriptions } from '../subscriptions.ts';
import { candidatesRequested, harnessScored, nothingOnTheLog } from './requests.ts';
import { ScriptedCaller } from './scripted-caller.ts';
import { smallDomain } from './small-domain.ts';

const HOUR = 3_600_000;

export class Killed extends Error {}

export interface Told {
  id: string;
  event: AnyEvent;
}

export interface ProcessOptions {
  proposer: Proposer;
  /** The process is killed at this commit, from 1; before it takes place, or when it has. */
  kill?: { commit: number; when: 'before' | 'after' };
  isLastAttempt?: boolean;
  blobs?: BlobStore;
  /** Called in the process before each of its commits. */
  onCommit?: () => Promise<void>;
}

/** A store with one request in it, and processes that work on it one after the other, each with a lease of its own. */
export class ProposerHost {
  readonly #path: string;
  readonly blobs: FolderBlobStore;
  readonly domain = smallDomain([]);
  /** What the operator is told. */
  readonly troubles: string[] = [];
  #processes = 0;

  static async open(extra: Partial<CandidatesRequested['data']> = {}): Promise<ProposerHost> {
    const folder = await mkdtemp(join(tmpdir(), 'whale-session-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const host = new ProposerHost(folder);
    const { uri, sha256: id, bytes } = await host.blobs.put(new TextEncoder().encode(host.domain.seedHarness));
    const scored = harnessScored(id).data;
    const proposer = { kind: 'command' as const, command: ['x'], environment: [], seconds: 1 };
    const request = candidatesRequested({ id, uri, bytes }, [scored], { proposer, ...extra });
    await host.#with(async (store) => {
      await store.commit({
        documents: new Map([[scoredKey('exp-1', scored.evaluationId), scored]]),
        work: [{ id: 'request/propose', kind: 'propose', payload: request.data }],
      });
    });
    return host;
  }

  private constructor(folder: string) {
    this.#path = join(folder, 'proposer.sqlite');
    this.blobs = new FolderBlobStore(join(folder, 'blobs'));
  }

  /** Takes the item and works on it to its end. Rejects with Killed, or with what broke the attempt. */
  async run(options: ProcessOptions): Promise<void> {
    await this.#with(async (store) => {
      const { proposer, isLastAttempt = false, blobs = this.blobs } = options;
      // Each process comes when the lease of the one before is over.
      const now = ++this.#processes * HOUR;
      const owner = `host/${this.#processes}/owner`;
      const [item] = await store.claimWork({ owner, kinds: ['propose'], limit: 1, now, leaseUntil: now + 1_000 });
      if (item === undefined) throw new Error('there is no work');
      const emitter = new Emitter({
        service: 'proposer',
        emits: subscriptions.emits,
        blobs,
        clock: new ManualClock(now),
      });
      const commit = killedAt(store, options);
      const held = { id: item.id, owner };
      const parts = { ...this.#parts(store, proposer), blobs };
      const result = await this.#work(parts).run(item.payload, new AbortController().signal, {
        isLastAttempt,
        commit: async ({ events, documents }) =>
          commit({ held: [held], outbox: await emitter.encode(events), ...(documents && { documents }) }),
      });
      if (!('events' in result)) throw new Error('the work was put off');
      const { events, documents = new Map() } = result;
      await commit({ finished: [held], outbox: await emitter.encode(events), documents });
    });
  }

  /** What the service says when the attempts are used up. */
  async giveUp(error: ErrorDescription): Promise<readonly DomainEvent[]> {
    return this.#with(async (store) => {
      const now = ++this.#processes * HOUR;
      const claim = { owner: 'host/last/owner', kinds: ['propose'], limit: 1, now, leaseUntil: now + 1_000 };
      const [item] = await store.claimWork(claim);
      return this.#work(this.#parts(store, new ScriptedCaller([]))).failed(item?.payload, error);
    });
  }

  #work(parts: ProposeParts): WorkHandler {
    return proposeWork(parts, 1, (message) => this.troubles.push(message));
  }

  /** Everything that was published, in order. */
  async told(): Promise<Told[]> {
    return this.#with(async (store) => {
      const records = await store.outbox(10_000);
      return Promise.all(
        records.map(async (record) => {
          const { id, event } = await decodeRecord(record, (ref) => this.blobs.get(ref));
          return { id, event };
        }),
      );
    });
  }

  async journalKeys(): Promise<string[]> {
    return this.#with(async (store) => [...(await store.documentsUnder('session/')).keys()]);
  }

  async workPending(): Promise<number> {
    return this.#with((store) => store.workPending());
  }

  #parts(store: ServiceStore, proposer: Proposer): ProposeParts {
    return {
      proposers: { command: proposer },
      checker,
      blobs: this.blobs,
      loadDomain: async () => this.domain,
      sandbox: { run: async () => Promise.reject(new Error('nothing is tried out here')) },
      source: nothingOnTheLog,
      store,
    };
  }

  async #with<T>(work: (store: SqliteServiceStore) => Promise<T>): Promise<T> {
    const store = new SqliteServiceStore(this.#path);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }
}

/** Once killed, a process does nothing any more. */
function killedAt(store: ServiceStore, { kill, onCommit }: ProcessOptions): (unit: UnitOfWork) => Promise<void> {
  let commits = 0;
  let dead = false;
  return async (unit) => {
    await onCommit?.();
    if (dead) throw new Killed();
    dead = ++commits === kill?.commit;
    if (dead && kill?.when === 'before') throw new Killed();
    await store.commit(unit);
    if (dead) throw new Killed();
  };
}

/** Checks without threads: what matters here is what becomes of a verdict. */
const checker: ProposeParts['checker'] = {
  check: async (source) => verdictOf(source),
  smoke: async () => undefined,
  promptsOnlyProblem: async () => undefined,
  normalForm: async (source) => source,
  literalsOf: async () => [],
  behavesLike: async () => false,
};

function verdictOf(source: string): Awaited<ReturnType<ProposeParts['checker']['check']>> {
  if (!source.includes('broken')) return { ok: true, harnessId: source };
  return { ok: false, stage: 'parse', message: 'it is broken', line: 1 };
}
