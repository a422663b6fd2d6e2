import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { applyEvents } from '../projection/apply.ts';
import { moveCheckpoint, readCheckpoints } from '../projection/checkpoints.ts';
import type { Projection } from '../projection/projection.ts';
import { projectionGroup, Projector } from '../projection/projector.ts';
import { ReadModels, type ReadModelOptions } from '../projection/read-models.ts';
import { addColumns, createTable, flag, integer, json, readTable, real, text } from '../projection/read-table.ts';
import { startService } from '../service.ts';
import { ECHO_TOPIC, REQUEST_TOPIC, echo, echoService, request } from '../support/echo-service.ts';
import { recordOf } from '../support/records.ts';
import { temporaryPlatform } from '../support/temporary-platform.ts';
import { batchOf, handFedProjector, requests } from './requests-projection.ts';

type Row = Record<string, unknown>;

export interface ReadModelsHarness {
  /** One and the same place, as each process would name it; an empty one after `reset`. */
  options(): ReadModelOptions;
  reset(): Promise<void>;
  /** What another program finds in a table, by experiment. */
  rows(table: string): Promise<Row[]>;
  /** The names of the tables, as another program sees them. */
  tables(): Promise<string[]>;
  dispose(): Promise<void>;
}

/** What ReadModels and Projector must do on every database: to be called at the top of a test file. */
export function readModelsContract(name: string, makeHarness: () => Promise<ReadModelsHarness>): void {
  describe(`read models contract: ${name}`, () => {
    let harness: ReadModelsHarness;
    beforeAll(async () => {
      harness = await makeHarness();
    });
    afterAll(() => harness.dispose());
    beforeEach(() => harness.reset());

    const opened = (prefix?: string) => {
      const models = new ReadModels({ ...harness.options(), ...(prefix === undefined ? {} : { prefix }) });
      onTestFinished(() => models.close());
      return models;
    };
    const registered = async (projections: readonly Projection[] = [requests], prefix?: string) => {
      const models = opened(prefix);
      await models.register(projections);
      return models;
    };
    const rows = () => harness.rows('requests');

    test('a service with projections fills its tables, and any client reads them', async () => {
      const platform = await temporaryPlatform();
      const readModels = opened();
      const service = await startService(
        { ...echoService(), projections: [requests] },
        { ...platform, readModels },
        {},
      );
      onTestFinished(() => service.stop());
      await platform.log.append(['a', 'b'].map((id) => recordOf(request(id, `because ${id}`))));
      const answered = (id: string) => ({
        experiment_id: id,
        reason: `because ${id}`,
        answer: JSON.stringify({ code: 'ECHO', message: `because ${id}`, retryable: false }),
        attempt: 1,
      });
      await vi.waitFor(async () => expect(await rows()).toEqual([answered('a'), answered('b')]), 10_000);
    });

    test('a projector that stops takes in what is on the log already', async () => {
      const platform = await temporaryPlatform();
      const { log } = platform;
      const readModels = opened();
      const onTrouble = () => undefined;
      const options = { ...platform, service: 'proposer', projections: [requests], readModels, onTrouble };
      const projector = new Projector(options);
      await log.ensureTopics([REQUEST_TOPIC, ECHO_TOPIC].map((topic) => ({ name: topic, partitions: 3 })));
      await projector.start();
      const ids = Array.from({ length: 600 }, (_, i) => `x${i}`);
      await log.append(ids.map((id) => recordOf(request(id))));
      await projector.stop();
      expect(await rows()).toHaveLength(ids.length);
    });

    test('R1: a batch that comes again changes nothing', async () => {
      const projector = handFedProjector(await registered());
      const batch = batchOf(['a', 'b']);
      await projector.handle(batch);
      const once = await rows();
      await projector.handle(batch);
      expect(await rows()).toEqual(once);
      expect(once).toHaveLength(2);
    });

    test('R1: rows and checkpoint change together or not at all', async () => {
      const models = await registered();
      const good = requests.project;
      const broken: Projection = {
        ...requests,
        project: (event) =>
          event.data.experimentId === 'b' ? [{ key: {} as never, set: { nonsense: 1 } }] : good(event),
      };
      await expect(handFedProjector(models, [], [broken]).handle(batchOf(['a', 'b']))).rejects.toThrow();
      expect(await rows()).toEqual([]);
      const checkpoints = () => models.transaction((manager) => readCheckpoints(manager, projectionGroup('proposer')));
      expect(await checkpoints()).toEqual([]);
      await handFedProjector(models).handle(batchOf(['a', 'b']));
      expect(await rows()).toHaveLength(2);
      expect(await checkpoints()).toEqual([{ topic: REQUEST_TOPIC, partition: 0, offset: 2 }]);
    });

    test('R1: a consumer that has lost its partition cannot go on', async () => {
      const models = await registered();
      const batch = batchOf(['a', 'b']);
      await handFedProjector(models).handle(batch);
      for (const from of [undefined, 0, 1, 3]) {
        const group = projectionGroup('proposer');
        await expect(
          models.transaction((manager) => moveCheckpoint(manager, group, batch, from, 9)),
          String(from),
        ).rejects.toMatchObject({ code: 'STORE_STALE_CONSUMER', retryable: true });
      }
    });

    test('R2: a record that is no event is passed over', async () => {
      const troubles: string[] = [];
      const batch = batchOf(['a', 'b']);
      const [first, second] = batch.records;
      const damaged = { ...batch, records: [{ ...first, value: '{' } as never, second as never] };
      await handFedProjector(await registered(), troubles).handle(damaged);
      expect((await rows()).map((row) => row['experiment_id'])).toEqual(['b']);
      expect(troubles).toEqual([expect.stringContaining(`pass over ${REQUEST_TOPIC}/0@0`)]);
    });

    test('R2: an unknown type and a newer version are passed over with a line, what is not projected in silence', async () => {
      const troubles: string[] = [];
      const batch = batchOf(['a', 'b', 'c', 'd']);
      const types = ['whale.nobody.knows.v1', 'whale.experiment.cancel-requested.v9', 'whale.experiment.submitted.v9'];
      const records = batch.records.map((record, i) => ({
        ...record,
        headers: { ...record.headers, ...(types[i] && { ce_type: types[i] }) },
      }));
      await handFedProjector(await registered(), troubles).handle({ ...batch, records });
      expect((await rows()).map((row) => row['experiment_id'])).toEqual(['d']);
      expect(troubles).toEqual([
        expect.stringContaining(`${REQUEST_TOPIC}/0@0: no event is called whale.nobody.knows.v1`),
        expect.stringContaining(
          `${REQUEST_TOPIC}/0@1: whale.experiment.cancel-requested.v9 is newer than this release`,
        ),
      ]);
    });

    test('events of several topics fill one row in any order', async () => {
      const models = await registered();
      const apply = (event: ReturnType<typeof request> | ReturnType<typeof echo>) =>
        models.transaction((manager) => applyEvents(manager, [requests], [event]));
      await apply(echo('a', 'done'));
      await apply(request('a', 'why'));
      await apply(request('b', 'why'));
      expect(await rows()).toMatchObject([
        { experiment_id: 'a', reason: 'why', attempt: 1 },
        { experiment_id: 'b', reason: 'why', attempt: null, answer: null },
      ]);
    });

    test('values come back as they were written', async () => {
      const all = { experiment_id: text, at: integer };
      const columns = { name: text, tokens: integer, mean: real, over: flag, detail: json };
      const values: Projection = {
        ...requests,
        table: readTable({ name: 'values_of_all', key: all, columns }),
        migrations: [createTable('CreateValues1759000000002', 'values_of_all', all, columns)],
      };
      const written = [
        { experiment_id: 'a', at: 1_764_000_000_123, name: 'θ "\n\\', tokens: 9_007_199_254_740_991, mean: 0.1 + 0.2 },
        { experiment_id: 'b', at: -1, name: '', tokens: 0, mean: 1e-7 },
      ].map((row, i) => ({ ...row, over: i === 0, detail: { text: 'a\0\ud800', list: [1, null, { deep: [] }] } }));
      const models = await registered([values]);
      await models.transaction((manager) => manager.getRepository('values_of_all').insert(written));
      const read = await models.transaction((manager) =>
        manager.getRepository('values_of_all').find({ order: { experiment_id: 'ASC' } }),
      );
      expect(read.map((row) => ({ ...row }))).toEqual(written);
      expect(await models.pendingChanges()).toEqual([]);
    });

    test('a text with U+0000 does not stop a projection', async () => {
      await handFedProjector(await registered()).handle(batchOf(['a', 'b'], { reason: 'x\0y' }));
      expect(await rows()).toHaveLength(2);
    });

    test('a table that its migrations do not make is noticed, and made by a further one', async () => {
      const models = await registered();
      await handFedProjector(models).handle(batchOf(['a']));
      expect(await models.pendingChanges()).toEqual([]);
      const added = { seconds: real, at: integer, detail: json };
      const { table } = requests;
      const grown = { ...requests, table: { ...table, columns: { ...table.columns, ...added } } };
      await models.register([grown]);
      expect((await models.pendingChanges()).join()).toContain('seconds');
      const further = addColumns('GrowRequests1760000000000', 'requests', added);
      await models.register([{ ...grown, migrations: [...requests.migrations, further] }]);
      expect(await models.pendingChanges()).toEqual([]);
      expect(await rows()).toEqual([expect.objectContaining({ experiment_id: 'a', reason: 'a', seconds: null })]);
    });

    test('shadow tables stand beside the live ones, fill them, and can be dropped', async () => {
      const live = await registered();
      expect(await opened('shadow_').exists()).toBe(false);
      const shadow = await registered([requests], 'shadow_');
      expect(await opened('shadow_').exists()).toBe(true);
      const shadows = async () => (await harness.tables()).filter((one) => one.startsWith('shadow_')).sort();
      expect(await shadows()).toEqual(['shadow_migrations', 'shadow_projection_checkpoints', 'shadow_requests']);
      await handFedProjector(shadow).handle(batchOf(['a', 'b']));
      expect(await rows()).toEqual([]);
      await live.transaction((manager) =>
        manager.query(`INSERT INTO ${live.sqlName('requests')} SELECT * FROM ${shadow.sqlName('requests')}`),
      );
      await shadow.drop();
      expect(await shadows()).toEqual([]);
      expect((await rows()).map((row) => row['experiment_id'])).toEqual(['a', 'b']);
    });

    test('what was written is there for the next process, whether or not it was closed', async () => {
      const first = opened();
      expect(await first.exists()).toBe(false);
      await first.register([requests]);
      await handFedProjector(first).handle(batchOf(['a']));
      const second = await registered();
      await handFedProjector(second).handle(batchOf(['a', 'b']));
      await first.close();
      expect((await rows()).map((row) => row['experiment_id'])).toEqual(['a', 'b']);
      expect(await opened().exists()).toBe(true);
    });

    test('tables that are registered by several at once are made once', async () => {
      const models = await registered();
      await Promise.all([models.register([requests]), models.register([requests]), registered()]);
      await handFedProjector(models).handle(batchOf(['a']));
      expect(await rows()).toHaveLength(1);
    });
  });
}
