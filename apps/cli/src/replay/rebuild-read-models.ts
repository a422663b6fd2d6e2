import type { Position } from '@whale/event-log';
import { canonicalHash, WhaleError } from '@whale/kernel';
import {
  applyEvents,
  projectionGroup,
  readCheckpoints,
  ReadModels,
  replaceCheckpoints,
  type ReadModelOptions,
  type ReadTable,
} from '@whale/service-kit';
import { differences } from './differences.ts';
import { boundOf, isWithin, type LoggedEvent } from './logged-events.ts';
import { REBUILDABLE, type Rebuildable } from './rebuildable.ts';
import type { PartReport } from './report.ts';

type Manager = Parameters<Parameters<ReadModels['transaction']>[0]>[0];
type Row = Record<string, unknown>;
/** Rows by table and key. */
type Rows = Record<string, Record<string, Row>>;

interface Group {
  service: Rebuildable;
  checkpoints: readonly Position[];
  deleted: boolean;
}

const PROJECTIONS = REBUILDABLE.flatMap(({ projections }) => projections);

/** The live tables and their shadow, side by side in one file or one schema. */
export class ReadModelRebuild {
  readonly #live: ReadModels;
  readonly #shadow: ReadModels;
  readonly #groups: readonly Group[];

  private constructor(live: ReadModels, shadow: ReadModels, groups: readonly Group[]) {
    this.#live = live;
    this.#shadow = shadow;
    this.#groups = groups;
  }

  static async open(options: ReadModelOptions): Promise<ReadModelRebuild> {
    const live = await openLive(options);
    const shadow = new ReadModels({ ...options, prefix: 'shadow_' });
    // Tables of a rebuild that was cut off may stand there.
    await shadow.register(PROJECTIONS);
    await shadow.drop();
    await shadow.register(PROJECTIONS);
    const groups: Group[] = [];
    for (const service of REBUILDABLE) {
      const checkpoints = await live.transaction((manager) => readCheckpoints(manager, projectionGroup(service.name)));
      groups.push({ service, checkpoints, deleted: checkpoints.length === 0 });
    }
    return new ReadModelRebuild(live, shadow, groups);
  }

  /** True when some tables have lost their checkpoints, so that all experiments are needed. */
  get deleted(): boolean {
    return this.#groups.some(({ deleted }) => deleted);
  }

  /** Fills the shadow tables and compares the experiment's rows with the live ones. */
  async compare(logged: readonly LoggedEvent[], heads: readonly Position[], experimentId: string): Promise<PartReport> {
    for (const { service, checkpoints, deleted } of this.#groups) {
      const bound = boundOf(deleted ? heads : checkpoints);
      const events = logged.filter((one) => isWithin(one, bound) && (deleted || one.experimentId === experimentId));
      await this.#shadow.transaction((manager) =>
        applyEvents(
          manager,
          service.projections,
          events.map(({ event }) => event),
        ),
      );
    }
    const [live, rebuilt] = [await rowsOf(this.#live, experimentId), await rowsOf(this.#shadow, experimentId)];
    const count = (rows: Rows) => Object.values(rows).reduce((sum, table) => sum + Object.keys(table).length, 0);
    const restored = count(live) === 0 && count(rebuilt) > 0;
    const equal = canonicalHash(live) === canonicalHash(rebuilt);
    return {
      part: 'read models',
      rebuilt: count(rebuilt) === 0 ? null : canonicalHash(rebuilt),
      live: count(live) === 0 ? null : canonicalHash(live),
      equal,
      restored,
      differences: equal || restored ? [] : differences(live, rebuilt),
    };
  }

  /** Puts the shadow's rows in the place of the live ones. Throws when a service has gone on meanwhile. */
  async swap(logged: readonly LoggedEvent[], heads: readonly Position[], experimentId: string): Promise<void> {
    const all = [...new Set(logged.map((event) => event.experimentId))];
    await this.#live.transaction(async (manager) => {
      for (const { service, checkpoints, deleted } of this.#groups) {
        const group = projectionGroup(service.name);
        const present = await readCheckpoints(manager, group);
        if (canonicalHash([...boundOf(present)].sort()) !== canonicalHash([...boundOf(checkpoints)].sort()))
          throw stillRunning();
        for (const { table } of service.projections) {
          await this.#replaceRows(manager, table, deleted ? all : [experimentId]);
        }
        if (deleted) await replaceCheckpoints(manager, group, consumedBy(service, heads));
      }
    });
  }

  async close(): Promise<void> {
    await this.#shadow.drop();
    await this.#live.close();
  }

  async #replaceRows(manager: Manager, { name, key, columns }: ReadTable, experimentIds: readonly string[]) {
    for (const experimentId of experimentIds) {
      await manager.getRepository<Row>(name).delete({ experiment_id: experimentId });
    }
    const list = [...Object.keys(key), ...Object.keys(columns)].map((column) => `"${column}"`).join(', ');
    const [live, shadow] = [this.#live.sqlName(name), this.#shadow.sqlName(name)];
    await manager.query(`INSERT INTO ${live} (${list}) SELECT ${list} FROM ${shadow}`);
  }
}

export function stillRunning(): WhaleError {
  return new WhaleError('REBUILD_BUSY', 'services are at work on these data: stop them, then rebuild', {
    retryable: true,
  });
}

/** A table that somebody has dropped is made again with all the others. */
async function openLive(options: ReadModelOptions): Promise<ReadModels> {
  const live = new ReadModels(options);
  const existed = await live.exists();
  await live.register(PROJECTIONS);
  if (!existed || (await live.pendingChanges()).length === 0) return live;
  await live.drop();
  await live.register(PROJECTIONS);
  return live;
}

function consumedBy({ projections }: Rebuildable, heads: readonly Position[]): Position[] {
  const topics = new Set<string>(projections.flatMap(({ consumes }) => consumes.map(({ topic }) => topic)));
  return heads.filter(({ topic, offset }) => topics.has(topic) && offset > 0);
}

async function rowsOf(models: ReadModels, experimentId: string): Promise<Rows> {
  const rows: Rows = {};
  for (const { table } of PROJECTIONS) {
    const found = await models.transaction((manager) =>
      manager.getRepository<Row>(table.name).findBy({ experiment_id: experimentId }),
    );
    const key = Object.keys(table.key).filter((name) => name !== 'experiment_id');
    rows[table.name] = Object.fromEntries(
      found.map((row) => [key.map((name) => String(row[name])).join('/'), { ...row }]),
    );
  }
  return rows;
}
