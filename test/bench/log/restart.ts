import { topicDefinitions } from '@whale/contracts';
import { KafkaEventLog, kafkaSettings } from '@whale/event-log-kafka';
import { scratchFolder } from '../../support/whale-process.ts';
import { ArchiveProcess, type Start } from './archive-process.ts';
import { BareKafka } from './bare.ts';
import type { Bench, Section } from './bench.ts';
import { Filler } from './fill.ts';
import { markdownTable, show } from './table.ts';

const GOAL_SECONDS = 2;
const RESTART = { pollMs: 5, limitMs: 60_000 };
const REBUILD = { pollMs: 100, limitMs: 20 * 60_000 };
/** After a kill the group waits for the end of the member's session: the same time on every try. */
const KILLS = 1;

export interface RestartPlace {
  name: string;
  /** Null: SQLite files. */
  database: string | null;
  /** The log has so many events when its state is built from nothing. */
  rebuildEvents: number;
}

export interface RestartOptions {
  brokers: readonly string[];
  /** On the log, over all topics. */
  events: number;
  /** By rising `rebuildEvents`. */
  places: readonly RestartPlace[];
}

interface Measured {
  place: RestartPlace;
  archive: ArchiveProcess;
  rebuild: Start;
  /** Events on the log at that time. */
  rebuilt: number;
}

/** The archive as a process of its own on a long log: from nothing, and from its checkpoints. */
export async function measureRestart(bench: Bench, options: RestartOptions): Promise<Section> {
  const { url, source, say } = bench;
  const prefix = `${bench.prefix}restart.`;
  const log = await KafkaEventLog.open(kafkaSettings(url, { WHALE_KAFKA_TOPIC_PREFIX: prefix }));
  const bare = new BareKafka(options.brokers, prefix);
  const filler = new Filler(source, bare, say);
  const ends: (() => void | Promise<void>)[] = [() => log.close()];
  try {
    await log.ensureTopics(topicDefinitions());
    const measured: Measured[] = [];
    for (const place of options.places) {
      await filler.fill(place.rebuildEvents);
      const folder = scratchFolder('restart');
      ends.push(folder.remove);
      const { database } = place;
      const names = { topicPrefix: prefix, groupPrefix: `${prefix}${place.name.toLowerCase()}.` };
      const archive = await ArchiveProcess.at({ data: folder.path, log: url, ...names, database }, log);
      ends.push(() => archive.close());
      const rebuild = await archive.start(REBUILD);
      await archive.stop();
      say(
        `restart, ${place.name}: ${filler.events.toLocaleString('en')} from nothing in ${rebuild.caughtUp.toFixed(1)} s`,
      );
      measured.push({ place, archive, rebuild, rebuilt: filler.events });
    }
    await filler.fill(options.events);
    const onLog = filler.events;
    const rows: string[][] = [];
    for (const one of measured) {
      await bare.setOffsets(one.archive.group, await one.archive.skipToHeads());
      rows.push(...(await restarts(bench, filler, one)));
    }
    return {
      heading: `Restart at ${onLog.toLocaleString('en')} events`,
      text: `${about(onLog, bench)}\n\n${markdownTable(
        ['state in', 'start', 'seconds until caught up', 'of which until it runs'],
        rows,
      )}`,
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function restarts(bench: Bench, filler: Filler, { place, archive, rebuild, rebuilt }: Measured) {
  const { say, repetitions } = bench;
  const stopped: Start[] = [];
  const killed: Start[] = [];
  for (let i = 0; i < repetitions + KILLS; i++) {
    await filler.fill(filler.events + 1);
    const start = await archive.start(RESTART);
    (i < repetitions ? stopped : killed).push(start);
    say(`restart, ${place.name}, ${i + 1} of ${repetitions + KILLS}: ${start.caughtUp.toFixed(2)} s`);
    await (i + 1 < repetitions ? archive.stop() : archive.kill());
  }
  return [
    row(place.name, 'from checkpoints, after SIGTERM', stopped),
    row(place.name, 'from checkpoints, after SIGKILL', killed),
    row(place.name, `from nothing, ${rebuilt.toLocaleString('en')} events`, [rebuild]),
  ];
}

function row(place: string, start: string, starts: readonly Start[]): string[] {
  const of = (which: keyof Start) => {
    const seconds = starts.map((one) => one[which]);
    return seconds.length === 1 ? (seconds[0] as number).toFixed(2) : show(seconds, 2);
  };
  return [place, start, of('caughtUp'), of('running')];
}

function about(events: number, { source }: Bench): string {
  return (
    `\`whale services archive\` as a process of its own. The log has ${events.toLocaleString('en')} events over all topics: the ` +
    `${source.experimentSize.toLocaleString('en')} of a real experiment (\`test/histories\`) again and again under new ids; the archive ` +
    `reads three of the topics. Before each start from checkpoints one more experiment is written. The time is from the start of the ` +
    `process until its committed checkpoints are the heads of the log; read models follow in a group of their own. "From nothing" is ` +
    `the same start with an empty store, so the full rebuild; where it was measured on fewer events, its checkpoints were moved to ` +
    `the heads before the restarts. After SIGKILL the group waits for the end of the dead member's session ` +
    `(WHALE_KAFKA_SESSION_TIMEOUT_MS, 10 s). Goal: ≤ ${GOAL_SECONDS} s from checkpoints.`
  );
}
