import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import type {
  CandidateRejected,
  CandidatesRequested,
  DomainEvent,
  HarnessProposed,
  HarnessScored,
  ProposalFailed,
} from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import { HarnessChecker, HarnessSandbox } from '@whale/harness-sandbox';
import { sha256 } from '@whale/kernel';
import { Recombine, type Draft, type ProposalRequest, type Proposer } from '@whale/proposers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scoredKey } from './archive-view.ts';
import { proposeBatch, type ProposeParts } from './propose-batch.ts';
import { candidatesRequested, harnessScored, nothingOnTheLog } from './testing/requests.ts';
import { endless, good, smallDomain, syntaxError, throwing, typeError } from './testing/small-domain.ts';

let folder: string;
let blobs: FolderBlobStore;
const sandbox = new HarnessSandbox();
const checker = new HarnessChecker({ sandbox });
const documents = new Map<string, unknown>();
const signal = new AbortController().signal;
/** A pure proposer commits nothing on the way. */
const progress = { isLastAttempt: false, commit: async () => Promise.reject(new Error('not asked for')) };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whale-proposer-'));
  blobs = new FolderBlobStore(folder);
});
beforeEach(() => documents.clear());
afterAll(async () => {
  await checker.close();
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

async function put(source: string) {
  const { uri, sha256: id, bytes } = await blobs.put(new TextEncoder().encode(source));
  return { id, uri, bytes };
}

function remember({ data }: HarnessScored): HarnessScored['data'] {
  documents.set(scoredKey(data.experimentId, data.evaluationId), data);
  return data;
}

async function ask(
  domain: Domain,
  extra: Partial<CandidatesRequested['data']> = {},
  proposer: Proposer = new Recombine(),
) {
  const h0 = await put(domain.seedHarness);
  const entry = remember(harnessScored(h0.id));
  const { data } = candidatesRequested(h0, [entry], extra);
  return proposeBatch(data, partsFor(domain, proposer), signal, progress);
}

function partsFor(domain: Domain, proposer: Proposer): ProposeParts {
  return {
    proposers: { recombine: proposer },
    checker,
    blobs,
    loadDomain: async () => domain,
    sandbox,
    source: nothingOnTheLog,
    store: {
      documents: async (keys) =>
        new Map(keys.flatMap((key) => (documents.has(key) ? [[key, documents.get(key)]] : []))),
      documentsUnder: async () => new Map(),
    },
  };
}

function split(result: Awaited<ReturnType<typeof proposeBatch>>) {
  const events: readonly DomainEvent[] = 'events' in result ? result.events : [];
  const of = <Event extends DomainEvent>(type: Event['type']) => {
    return events.filter((event) => event.type === type).map((event) => event.data as Event['data']);
  };
  return {
    proposed: of<HarnessProposed>('whale.harness.proposed.v1'),
    rejected: of<CandidateRejected>('whale.candidate.rejected.v1'),
    failed: of<ProposalFailed>('whale.proposal.failed.v1'),
  };
}

/** Writes the given texts until the host ends it, and keeps what it was asked and told. */
function scripted(...drafts: Partial<Draft>[]): Proposer & { requests: ProposalRequest[]; told: unknown[] } {
  const requests: ProposalRequest[] = [];
  const told: unknown[] = [];
  return {
    requests,
    told,
    async *propose(request) {
      requests.push(request);
      for (const draft of drafts) {
        const rejection = yield {
          source: '',
          parent: request.incumbent.id,
          hypothesis: 'It helps.',
          changes: [],
          ...draft,
        };
        told.push(rejection?.stage ?? null);
      }
      return 'that is all';
    },
  };
}

describe('a batch of candidates', () => {
  it('waits until every named entry is there, without counting an attempt', async () => {
    const domain = smallDomain([good]);
    const h0 = await put(domain.seedHarness);
    const { data } = candidatesRequested(h0, [harnessScored(h0.id).data]);
    const parts = partsFor(domain, new Recombine());
    expect(await proposeBatch(data, parts, signal, progress)).toEqual({ deferMilliseconds: 50 });
    remember(harnessScored(h0.id));
    expect(split(await proposeBatch(data, parts, signal, progress)).proposed).toHaveLength(1);
  });

  it('P1: looks at the named entries only, so that later scores change nothing', async () => {
    const domain = smallDomain([good, { ...good, name: 'trim', source: good.source.replace('toLowerCase', 'trim') }]);
    const before = await ask(domain);
    remember(harnessScored(sha256('other'), { evaluationId: 'evaluation-9', iteration: 3, score: 1 }));
    expect(await ask(domain)).toEqual(before);
  });

  it('P2: has put each source into the blob store under the id that the event names', async () => {
    const { proposed } = split(await ask(smallDomain([good])));
    expect(proposed).toHaveLength(1);
    for (const { harness, source, diff, of, index } of proposed) {
      expect(new TextDecoder().decode(await blobs.get({ uri: harness.uri, sha256: harness.id }))).toBe(source);
      expect([harness.id, harness.bytes]).toEqual([sha256(source), Buffer.byteLength(source)]);
      expect([index, of]).toEqual([0, 1]);
      expect(diff).toContain('-// region query: plain\n+// region query: lower');
    }
  });

  it('P3: refuses a program that has a score, that is the incumbent, or that is in the batch', async () => {
    const domain = smallDomain([]);
    const fresh = domain.seedHarness.replace('Answer.', 'Answer now.');
    const proposer = scripted({ source: domain.seedHarness }, { source: fresh }, { source: fresh });
    const { proposed, rejected } = split(await ask(domain, {}, proposer));
    expect(proposed.map((one) => one.source)).toEqual([fresh]);
    expect(rejected.map(({ stage, number }) => [stage, number])).toEqual([
      ['duplicate', 1],
      ['duplicate', 3],
    ]);
  });

  it.each([
    ['a syntax error', syntaxError, 'parse', 6],
    ['a type error', typeError, 'types', 6],
    ['an exception', throwing, 'smoke', 6],
    ['an endless loop', endless, 'smoke', null],
  ])('rejects %s at the right stage and line, and has it replaced', async (_, broken, stage, lineInRegion) => {
    const { proposed, rejected } = split(await ask(smallDomain([broken, good]), { count: 1 }));
    const { rejected: all } = split(await ask(smallDomain([broken]), { count: 1 }));
    expect(all).toMatchObject([{ number: 1, stage }]);
    const [one] = all;
    if (lineInRegion !== null) {
      const text = one?.source.split('\n')[(one.line ?? 0) - 1];
      expect(broken.source).toContain(text?.trim());
    }
    expect(proposed).toHaveLength(1);
    expect(proposed[0]?.changes).toEqual(['query: plain → lower']);
    expect(rejected.length).toBeLessThanOrEqual(1);
  });

  it('is filled up with replacements, which the proposer writes knowing what was rejected and why', async () => {
    const domain = smallDomain([]);
    const text = (i: number) => ({ source: domain.seedHarness.replace('Answer.', `Answer ${i}.`) });
    const proposer = scripted(text(1), { source: 'nonsense(' }, text(2), text(3), text(4));
    const { proposed, rejected } = split(await ask(domain, {}, proposer));
    expect(proposed.map(({ index, of }) => [index, of])).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
    expect(rejected.map(({ number, stage }) => [number, stage])).toEqual([[2, 'parse']]);
    expect(proposer.told).toEqual([null, 'parse', null]);
  });

  it('fails with what was wrong when no draft is valid, after a bounded number of drafts', async () => {
    const proposer = scripted(...Array(6).fill({ source: 'nonsense(' }));
    const { proposed, rejected, failed } = split(await ask(smallDomain([]), { count: 1 }, proposer));
    expect([proposed.length, rejected.length]).toEqual([0, 4]);
    expect(failed).toMatchObject([
      { attempt: 1, final: false, error: { code: 'NO_VALID_CANDIDATE', retryable: true } },
    ]);
    expect(failed[0]?.error.message).toContain('none of 4 drafts is valid; the last one: parse');
  });

  it('numbers the drafts of a second attempt after those of the first, and asks with another seed', async () => {
    const proposer = scripted({ source: 'nonsense(' });
    const { rejected } = split(await ask(smallDomain([]), { attempt: 2 }, proposer));
    expect(rejected.map(({ number }) => number)).toEqual([13]);
    expect(proposer.requests[0]?.seed).toBe('1/proposal/iteration-1/attempt/2');
  });

  it('fails for good when the space is exhausted: another attempt could not do otherwise', async () => {
    const { failed, rejected } = split(await ask(smallDomain([])));
    expect(rejected).toEqual([]);
    expect(failed).toMatchObject([{ final: true, error: { code: 'PROPOSER_EXHAUSTED', retryable: false } }]);
  });

  it.each([false, true])(
    'that breaks is tried again, and needs a person after the last attempt (%s)',
    async (final) => {
      const broken: Proposer = {
        async *propose() {
          return { reason: 'failed', message: 'exit code 1' };
        },
      };
      const { failed } = split(await ask(smallDomain([]), { final }, broken));
      const error = { code: 'PROPOSER_FAILED', message: 'exit code 1', retryable: !final };
      expect(failed).toMatchObject([{ final, error }]);
    },
  );

  it('rejects a draft whose parent nobody knows', async () => {
    const domain = smallDomain([]);
    const proposer = scripted({ source: domain.seedHarness.replace('Answer.', 'Say.'), parent: 'f'.repeat(64) });
    expect(split(await ask(domain, { count: 1 }, proposer)).rejected).toMatchObject([{ stage: 'parent', line: null }]);
  });

  it('rejects for infrastructure: a source that is not in the blob store', async () => {
    const domain = smallDomain([good]);
    const h0 = await put(domain.seedHarness);
    const lost = remember(harnessScored(sha256('lost')));
    const { data } = candidatesRequested(h0, [lost]);
    await expect(proposeBatch(data, partsFor(domain, new Recombine()), signal, progress)).rejects.toThrow(
      /BLOB_MISSING|blob/u,
    );
  });
});
