import { canonicalHash, type Clock, type JsonValue } from '@whale/kernel';
import { z } from 'zod';
import { Laps } from '../claude/laps.ts';
import type { OwnStep, ProposalSession } from '../session.ts';
import type { CandidateFile } from './candidate-files.ts';

const CandidateFileContent = z.object({ name: z.string(), source: z.string(), notes: z.string().nullable() });

/** The end of the program's `round`-th start, with all that it brought. */
const Ended = z.object({
  kind: z.literal('ended'),
  round: z.int(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  stdout: z.string(),
  stderr: z.string(),
  /** New ones, and others than before under a known name, in the order of their names. */
  files: z.array(CandidateFileContent),
  refused: z.array(z.object({ name: z.string(), why: z.string() })),
});
export type Ended = z.infer<typeof Ended>;

const Content = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), round: z.int(), command: z.array(z.string()) }),
  /** Found while the program runs; it counts when it has ended. */
  z.object({ kind: z.literal('written'), round: z.int(), file: CandidateFileContent }),
  Ended,
]);
type Content = z.infer<typeof Content>;

/** What a session has done, put on record before anything follows from it: so a program that has ended is not started again. */
export class CommandJournal {
  readonly #session: ProposalSession;
  readonly #laps: Laps;
  readonly #ends: Ended[] = [];
  readonly #files = new Map<string, CandidateFile>();
  readonly #judged = new Set<string>();
  readonly #refused = new Set<string>();
  #starts = 0;
  #used = 0;

  constructor(session: ProposalSession, clock: Clock) {
    this.#session = session;
    this.#laps = new Laps(clock);
    for (const entry of session.journal) {
      if (entry.kind !== 'step' || entry.step.kind !== 'tool') continue;
      this.#add(Content.parse(entry.content), entry.step.milliseconds ?? 0);
    }
  }

  get starts(): number {
    return this.#starts;
  }

  /** Wall time of the session, ms; without what a process that was killed did not put on record. */
  get milliseconds(): number {
    return this.#used + this.#laps.running;
  }

  /** The newest of each name. */
  get files(): CandidateFile[] {
    return [...this.#files.values()];
  }

  endOf(round: number): Ended | undefined {
    return this.#ends.find((end) => end.round === round);
  }

  /** Whether this very text was not there yet when the program last ended. */
  isNew(file: CandidateFile): boolean {
    return !this.#judged.has(canonicalHash(file));
  }

  isNewRefusal(refused: Ended['refused'][number]): boolean {
    return !this.#refused.has(canonicalHash(refused));
  }

  async started(round: number, command: readonly string[], shown: string): Promise<void> {
    await this.#record({ kind: 'started', round, command: [...command] }, `start ${round}: ${shown}`);
  }

  async written(round: number, file: CandidateFile): Promise<void> {
    await this.#record({ kind: 'written', round, file }, `candidates/${file.name}.ts`);
  }

  async ended(end: Ended): Promise<void> {
    const { round, files, exitCode, signal, timedOut } = end;
    const why = timedOut ? 'the time of the session was over' : signal === null ? `exit code ${exitCode}` : signal;
    const shown = `end ${round}: ${files.length} new candidates, ${end.refused.length} files refused`;
    await this.#record(end, shown, exitCode === 0 ? null : why);
  }

  async #record(content: Content, input: string, error: string | null = null): Promise<void> {
    const milliseconds = this.#laps.end();
    const step: OwnStep = {
      kind: 'tool',
      turn: content.round,
      tool: 'command',
      input,
      paths: [],
      bytes: bytesOf(content),
      error,
      milliseconds,
    };
    await this.#session.record({ kind: 'step', step, content: content satisfies JsonValue });
    this.#add(content, milliseconds);
  }

  #add(content: Content, milliseconds: number): void {
    this.#used += milliseconds;
    if (content.kind === 'started') this.#starts++;
    else if (content.kind === 'written') this.#files.set(content.file.name, content.file);
    else {
      this.#ends.push(content);
      for (const file of content.files) {
        this.#files.set(file.name, file);
        this.#judged.add(canonicalHash(file));
      }
      for (const refused of content.refused) this.#refused.add(canonicalHash(refused));
    }
  }
}

/** Of what the program gave: its output and its candidates. */
function bytesOf(content: Content): number {
  if (content.kind === 'started') return 0;
  const files = content.kind === 'written' ? [content.file] : content.files;
  const texts = files.flatMap(({ source, notes }) => [source, notes ?? '']);
  const output = content.kind === 'ended' ? [content.stdout, content.stderr] : [];
  return [...texts, ...output].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
