import { resolve } from 'node:path';
import type { ProposerSpec } from '@whale/contracts';
import { LONGEST_TIMER_MS, systemClock, type Clock } from '@whale/kernel';
import type { ProposalRequest, Proposer, SessionEnd } from '../proposer.ts';
import type { ProposalSession } from '../session.ts';
import { shorten } from '../shorten.ts';
import { CandidateFolder } from './candidate-files.ts';
import { draftOf } from './draft-of.ts';
import { programEnvironment, Secrets } from './environment.ts';
import { CommandJournal, type Ended } from './journal.ts';
import { Keeper } from './keeper.ts';
import { runProgram } from './run-program.ts';
import { startError } from './start-error.ts';
import { taskPage } from './task-page.ts';

type CommandSpec = Extract<ProposerSpec, { kind: 'command' }>;

/** Starts of the program that end: the first, and those for replacements of what was rejected. */
const MOST_ROUNDS = 4;
/** Starts of the program in one session, those among them whose end nobody saw. */
const MOST_STARTS = 8;
const GRACE_MS = 5_000;
const MOST_SHOWN = 200;

export interface CommandOptions {
  /** The service's own; a program sees of it what its spec names. */
  environment: NodeJS.ProcessEnv;
  clock?: Clock;
  /** From SIGTERM to SIGKILL, ms. */
  graceMilliseconds?: number;
}

/** One session of one request. */
interface Work {
  spec: CommandSpec;
  request: ProposalRequest;
  session: ProposalSession;
  workspace: string;
  secrets: Secrets;
  folder: CandidateFolder;
  journal: CommandJournal;
}

/**
 * Lets an external program be the proposer: it is started in the workspace and writes files into `candidates/`, which are
 * judged when it has ended. While some are rejected and too few are valid it is started again, up to MOST_ROUNDS times.
 * X1 A program whose end is on record is not started again, and no candidate is lost that stood still for two looks.
 * X2 The program sees nothing of the environment but the usual variables, the named ones and WHALE_….
 * X3 A value of a named variable gets neither into the record nor into a candidate.
 */
export class Command implements Proposer {
  readonly #options: Required<CommandOptions>;

  constructor(options: CommandOptions) {
    this.#options = { clock: systemClock, graceMilliseconds: GRACE_MS, ...options };
  }

  async *propose(request: ProposalRequest, session: ProposalSession): ReturnType<Proposer['propose']> {
    const work = await this.#open(request, session);
    const { folder, journal } = work;
    let valid = 0;
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      const end = journal.endOf(round) ?? (await this.#run(work, round, request.count - valid));
      if ('reason' in end) return end;
      let rejected = end.refused.length;
      for (const { name, why } of end.refused) await folder.tell(name, { stage: 'file', message: why, line: null });
      for (const file of end.files) {
        session.signal.throwIfAborted();
        const draft = draftOf(file, request);
        const verdict = 'problem' in draft ? { stage: 'notes', message: draft.problem, line: null } : yield draft;
        await folder.tell(file.name, verdict);
        if (verdict === null) valid++;
        else rejected++;
      }
      if (end.timedOut) return outOfTime(work);
      if (end.files.length === 0 && end.exitCode !== 0) return { reason: 'failed', message: failure(end) };
      // Replacements are for what was rejected: who writes fewer on purpose is not asked again.
      if (rejected === 0) return `the command wrote ${valid} valid candidates of ${request.count}`;
    }
    return `the command was started ${MOST_ROUNDS} times and wrote ${valid} valid candidates of ${request.count}`;
  }

  async #open(request: ProposalRequest, session: ProposalSession): Promise<Work> {
    const { proposer: spec } = request;
    if (spec.kind !== 'command') throw new TypeError(`the proposer of the request is ${spec.kind}, not a command`);
    const { environment, clock } = this.#options;
    const workspace = await session.workspace();
    const secrets = new Secrets(spec.environment, environment);
    const folder = new CandidateFolder(workspace, secrets);
    const journal = new CommandJournal(session, clock);
    await folder.restore(journal.files);
    return { spec, request, session, workspace, secrets, folder, journal };
  }

  async #run(work: Work, round: number, missing: number): Promise<Ended | SessionEnd> {
    const { spec, session, secrets, folder, journal } = work;
    const left = spec.seconds * 1000 - journal.milliseconds;
    if (left <= 0) return outOfTime(work);
    if (journal.starts >= MOST_STARTS) {
      return { reason: 'failed', message: `the command was started ${MOST_STARTS} times, and its end was not seen` };
    }
    const command = spec.command.map(fromHere) as [string, ...string[]];
    await folder.task(taskPage(work.request, round, missing, left));
    await journal.started(round, spec.command, shorten(spec.command.join(' '), MOST_SHOWN));
    const keeper = new Keeper(folder, (file) => journal.written(round, file));
    try {
      const end = await runProgram(
        {
          command,
          folder: work.workspace,
          environment: programEnvironment(
            spec.environment,
            this.#options.environment,
            told(work, round, missing, left),
          ),
          milliseconds: Math.min(left, LONGEST_TIMER_MS),
          graceMilliseconds: this.#options.graceMilliseconds,
        },
        AbortSignal.any([session.signal, keeper.failure]),
      ).catch((error: unknown) => {
        session.signal.throwIfAborted();
        keeper.failure.throwIfAborted();
        throw startError(error, command, work.workspace);
      });
      await keeper.stop();
      keeper.failure.throwIfAborted();
      const { files, refused } = await folder.read();
      const ended: Ended = {
        kind: 'ended',
        round,
        ...end,
        stdout: secrets.redact(end.stdout),
        stderr: secrets.redact(end.stderr),
        files: files.filter((file) => journal.isNew(file)),
        refused: refused.filter((one) => journal.isNewRefusal(one)),
      };
      await journal.ended(ended);
      return ended;
    } finally {
      await keeper.stop();
    }
  }
}

/** What the program is told, all of it text. */
function told({ request, workspace }: Work, round: number, missing: number, left: number): Record<string, string> {
  return {
    WHALE_WORKSPACE: workspace,
    WHALE_ROUND: String(round),
    WHALE_CANDIDATES: String(missing),
    WHALE_PROMPTS_ONLY: request.promptsOnly ? '1' : '0',
    WHALE_INCUMBENT: request.incumbent.id,
    WHALE_WEIGHTS: request.weightsVersion,
    WHALE_SEED: request.seed,
    WHALE_SECONDS: String(Math.floor(left / 1000)),
  };
}

/** The working directory of the program is the workspace, so what the user has named by its path is made absolute. */
function fromHere(word: string, place: number): string {
  const isPath = word.startsWith('./') || word.startsWith('../') || (place === 0 && word.includes('/'));
  return isPath ? resolve(word) : word;
}

function outOfTime({ spec }: Work): SessionEnd {
  return { reason: 'seconds', message: `the ${spec.seconds} s of the session are over` };
}

function failure({ exitCode, signal, stdout, stderr }: Ended): string {
  const how = signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
  const said = (stderr.trim() || stdout.trim()).slice(-MOST_SHOWN);
  return `the command ${how} and wrote no candidate${said === '' ? '' : `: ${said}`}`;
}
