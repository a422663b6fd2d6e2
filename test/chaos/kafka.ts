import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES, type ServiceName } from '@whale/contracts';
import { startBroker, type Broker } from '@whale/kafka-broker';
import { rng, type Rng } from '@whale/kernel';
import { Fleet } from '../support/fleet.ts';
import { differencesFrom } from '../support/differences-from.ts';
import { Place, type Shown } from '../support/place.ts';
import { scratchFolder } from '../support/whale-process.ts';
import { Witnesses } from './witnesses.ts';

export interface ChaosOptions {
  /** SIGKILLs of service processes. */
  kills: number;
  /** SIGKILLs of the broker, each followed by a restart on the same data. */
  brokerKills: number;
  /** The first time the broker stays away until every process has said so, and for so many ms at least. */
  awayMs: number;
  seed: string;
  spec: string;
  /** An empty PostgreSQL database. */
  database: string;
  /** The undisturbed run, and how many records it left. */
  expected: Shown;
  records: number;
  /** Longest wait for progress, ms. */
  limitMs: number;
  log: (line: string) => void;
}

/** Share of the records by which the last kill has come. */
const LATEST = 0.9;
/** Besides one process for each service: of those that scale out, at the start and later. */
const MORE: readonly ServiceName[][] = [['rollout']];
const LATE: readonly ServiceName[][] = [
  ['rollout', 'verifier'],
  ['rollout', 'proposer'],
];

/**
 * One experiment on Kafka and PostgreSQL, a process a service and more of those that scale out, while processes and
 * broker are killed at random moments and others come late. Returns what differs from the undisturbed run, and who did
 * not wait for the broker: nothing, or sentences.
 */
export async function chaosOnKafka(options: ChaosOptions): Promise<string[]> {
  const { spec, expected, database, log } = options;
  const folder = scratchFolder('chaos');
  const broker = await startBroker({ log });
  const place = new Place({ data: folder.path, log: broker.url, database });
  const chaos = new Chaos(options, broker, place);
  try {
    const submitted = await place.whale('run', spec, '--detach');
    if (submitted.code !== 0) throw new Error(submitted.stderr);
    const probe = place.probe();
    const faults = await chaos.run(probe);
    return [...faults, ...(await differencesFrom(expected, place, probe))];
  } finally {
    chaos.end();
    await broker.stop();
    folder.remove();
  }
}

type Step = 'service killed' | 'broker killed' | 'more processes started';

class Chaos {
  readonly #options: ChaosOptions;
  readonly #broker: Broker;
  readonly #place: Place;
  readonly #fleet: Fleet;
  readonly #random: Rng;
  readonly #faults: string[] = [];
  #witnesses: Witnesses | undefined;

  constructor(options: ChaosOptions, broker: Broker, place: Place) {
    this.#options = options;
    this.#broker = broker;
    this.#place = place;
    this.#fleet = new Fleet(place);
    this.#random = rng(`chaos/${options.seed}`);
  }

  /** Until the experiment has ended and so have the processes; returns who did not wait for the broker. */
  async run(probe: ReturnType<Place['probe']>): Promise<string[]> {
    const { records, limitMs, log } = this.#options;
    for (const name of SERVICES) this.#fleet.start(name);
    for (const names of MORE) this.#fleet.start(...names);
    const steps = this.#steps();
    const points = steps.map(() => this.#random.int(Math.floor(records * LATEST))).sort((a, b) => a - b);
    for (const [index, step] of steps.entries()) {
      // By progress, not by time: an experiment that stands still is not struck again.
      const point = points[index] as number;
      const deadline = Date.now() + limitMs;
      if (!(await probe.reached(point, () => Date.now() > deadline)))
        throw new Error(`no ${point} records after ${index} steps`);
      await sleep(this.#random.int(200));
      await this.#take(step);
      log(`${index + 1} of ${steps.length}: ${step}`);
    }
    await this.#place.ended(probe, limitMs);
    this.#faults.push(...((await this.#witnesses?.untilAllSay(/answers again/, limitMs)) ?? []));
    await this.#fleet.stop();
    return this.#faults;
  }

  end(): void {
    this.#fleet.killAll();
  }

  #steps(): Step[] {
    const { kills, brokerKills } = this.#options;
    const steps = this.#random.shuffle<Step>([
      ...Array.from({ length: kills }, () => 'service killed' as const),
      ...Array.from({ length: brokerKills }, () => 'broker killed' as const),
    ]);
    steps.splice(Math.ceil(steps.length / 2), 0, 'more processes started');
    return steps;
  }

  async #take(step: Step): Promise<void> {
    switch (step) {
      case 'service killed': {
        const victim = this.#fleet.members[this.#random.int(this.#fleet.members.length)];
        if (!victim) throw new Error('no process is left');
        await this.#fleet.kill(victim);
        this.#fleet.start(...victim.services);
        return;
      }
      case 'broker killed':
        if (this.#witnesses === undefined) return this.#goneForLong();
        await this.#broker.kill();
        await sleep(this.#random.int(1_500));
        return this.#broker.restart();
      case 'more processes started':
        for (const names of LATE) this.#fleet.start(...names);
    }
  }

  /** All that run wait for the broker, and each says so. */
  async #goneForLong(): Promise<void> {
    const { awayMs, limitMs } = this.#options;
    const witnesses = (this.#witnesses = new Witnesses(this.#fleet.members));
    // One that does not find the broker when it starts is for its operator to start again.
    this.#faults.push(...(await witnesses.untilAllSay(/running on/, limitMs)));
    await this.#broker.kill();
    const [silent] = await Promise.all([witnesses.untilAllSay(/does not answer/, limitMs), sleep(awayMs)]);
    this.#faults.push(...silent, ...witnesses.ended());
    await this.#broker.restart();
  }
}
