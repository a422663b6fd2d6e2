import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { blobUri, type BlobStore } from '@whale/blob-store';
import {
  ContractError,
  decodeRecord,
  latestType,
  type CandidatesRequested,
  type RolloutCompleted,
  type Spec,
} from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import { LogError, type EventLog } from '@whale/event-log';
import { EnvironmentError, InputError, makeFolder } from '@whale/kernel';
import { FACT_TOPICS, FACT_TYPES, WorkspaceFacts } from './facts.ts';
import { FolderWriter } from './folder-writer.ts';
import { Rollouts } from './rollouts.ts';
import { sealed } from './sealed-domain.ts';
import { requestsOf, viewAt, type WorkspacePoint } from './view.ts';
import { writeView } from './write-view.ts';

export interface WorkspaceLog {
  log: Pick<EventLog, 'read' | 'heads'>;
  blobs: Pick<BlobStore, 'get'>;
}

export interface WorkspaceOrder {
  domain: Domain;
  at: WorkspacePoint;
  signal?: AbortSignal;
}

/** What was written. */
export interface WrittenWorkspace {
  /** Absolute. */
  directory: string;
  weights: string;
  /** Id of the incumbent. */
  incumbent: string;
  harnesses: number;
  trajectories: number;
  /** Rollouts that the scores name and the log does not hold. */
  missing: number;
  files: number;
  bytes: number;
}

/**
 * The workspaces of one experiment (DESIGN §9), from the log alone. It may be kept for the next request: it reads on
 * where it stopped. In memory are scores with their outcomes by task, hypotheses, and where trajectories lie; never
 * more than one trajectory.
 */
export class WorkspaceSource {
  readonly #from: WorkspaceLog;
  readonly #experimentId: string;
  readonly #facts: WorkspaceFacts;
  readonly #rollouts: Rollouts;
  readonly #next = new Map<string, number>();

  constructor(from: WorkspaceLog, experimentId: string) {
    this.#from = from;
    this.#experimentId = experimentId;
    this.#facts = new WorkspaceFacts(experimentId);
    this.#rollouts = new Rollouts(from.log, from.blobs, experimentId);
  }

  /** Null before the experiment has started. */
  async domain(): Promise<Spec['domain'] | null> {
    await this.#readOn();
    return this.#facts.domain;
  }

  /** All requests for candidates so far, in order: the first is that of point 1. */
  async requests(): Promise<CandidatesRequested['data'][]> {
    await this.#readOn();
    return requestsOf(this.#facts);
  }

  /**
   * Writes the workspace into a folder that is not there yet, or is empty; whole or not at all. Throws InputError for a
   * folder that is in use or a point that is not, EnvironmentError where it cannot be written, WORKSPACE_INCOMPLETE
   * (retryable) while the log lacks what the point names, and what log and blobs throw.
   */
  async write(directory: string, { domain, at, signal }: WorkspaceOrder): Promise<WrittenWorkspace> {
    const target = resolve(directory);
    await checkFree(target);
    await this.#readOn();
    const view = viewAt(this.#facts, this.#experimentId, at);
    const parts = {
      domain: sealed(domain),
      source: (id: string) => this.#source(id),
      rollouts: (wanted: ReadonlySet<string>) => this.#rollouts.read(wanted, signal),
    };
    return inNewFolder(target, async (aside) => {
      const writer = new FolderWriter(aside, signal);
      const counts = await writeView(view, parts, writer);
      const { files, bytes } = writer;
      const { weights, incumbent, harnesses } = view;
      return { directory: target, weights, incumbent, harnesses: harnesses.length, ...counts, files, bytes };
    });
  }

  /** Trajectories of the search by rollout id: those that are on the log, each once, in no order. */
  rollouts(wanted: ReadonlySet<string>, signal?: AbortSignal): AsyncGenerator<RolloutCompleted['data']> {
    return this.#rollouts.read(wanted, signal);
  }

  /** A harness's id is its content address, in the store's own scheme where no event names another. */
  async #source(id: string): Promise<string> {
    const uri = this.#facts.refs.get(id)?.uri ?? blobUri(id);
    return new TextDecoder().decode(await this.#from.blobs.get({ uri, sha256: id }));
  }

  async #readOn(): Promise<void> {
    for (const topic of FACT_TOPICS) {
      for (const { partition, offset: head } of await this.#heads(topic)) {
        const place = `${topic}/${partition}`;
        const from = this.#next.get(place) ?? 0;
        for await (const record of this.#from.log.read({ topic, partition, from, to: head })) {
          await this.#take(record);
        }
        this.#next.set(place, Math.max(from, head));
      }
    }
  }

  async #take(record: Parameters<typeof decodeRecord>[0]): Promise<void> {
    const { ce_type: type = '', ce_correlationid: experiment } = record.headers;
    if (experiment !== this.#experimentId || !FACT_TYPES.has(latestType(type))) return;
    try {
      this.#facts.take(await decodeRecord(record, (ref) => this.#from.blobs.get(ref)));
    } catch (error) {
      // What can be no event is passed over, as every reader does; a blob that is not there is not.
      if (!(error instanceof ContractError)) throw error;
    }
  }

  /** Topics are made by the first service that starts; until then there is nothing to read. */
  async #heads(topic: string) {
    try {
      return await this.#from.log.heads([topic]);
    } catch (error) {
      if (error instanceof LogError && error.code === 'LOG_UNKNOWN_TOPIC') return [];
      throw error;
    }
  }
}

async function checkFree(target: string): Promise<void> {
  try {
    const entries = await readdir(target);
    if (entries.length === 0) return;
    throw new InputError(`${target} is not empty. A workspace is written into a new or an empty folder: name another`);
  } catch (error) {
    if (error instanceof InputError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code === 'ENOTDIR') throw new InputError(`${target} cannot be a folder: a file is in its place or above it`);
    throw cannotWrite(target, error);
  }
}

/** Written beside the target and renamed, so that there is either the whole workspace or none. */
async function inNewFolder<T>(target: string, work: (aside: string) => Promise<T>): Promise<T> {
  const aside = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`);
  try {
    makeFolder(dirname(target));
    await mkdir(aside);
  } catch (cause) {
    throw cannotWrite(target, cause);
  }
  try {
    const done = await work(aside);
    await rename(aside, target);
    return done;
  } catch (cause) {
    await rm(aside, { recursive: true, force: true });
    throw isOfFiles(cause) ? cannotWrite(target, cause) : cause;
  }
}

function isOfFiles(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function cannotWrite(target: string, cause: unknown): EnvironmentError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new EnvironmentError(`the workspace cannot be written to ${target}: ${message}`, {
    cause,
    retryable: code === 'ENOSPC',
  });
}
