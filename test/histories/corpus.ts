import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

/** Records as they lay on a log, frozen: written once by `npm run histories`, never changed. */
export const HISTORIES = import.meta.dirname;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const Manifest = z.strictObject({
  /** One example of each version of each event, by its type: sha256 of `events/<type>.json`. */
  events: z.record(z.string(), Sha256),
  /** Whole experiments by name: `experiments/<name>.jsonl.gz`. */
  experiments: z.record(
    z.string(),
    z.strictObject({
      about: z.string(),
      sha256: Sha256,
      experimentId: z.string(),
      records: z.int().positive(),
      /** As the run itself gave it. */
      stateHash: Sha256,
      /** Where a later release means to give another one, and why. */
      stateHashNow: z.strictObject({ hash: Sha256, because: z.string() }).optional(),
    }),
  ),
});
export type Manifest = z.infer<typeof Manifest>;

export const FrozenRecord = z.strictObject({
  topic: z.string(),
  key: z.string(),
  headers: z.record(z.string(), z.string()),
  value: z.string(),
  /** The text that a claim check stands for. */
  claim: z.string().optional(),
});
export type FrozenRecord = z.infer<typeof FrozenRecord>;

export const MANIFEST = join(HISTORIES, 'manifest.json');

export function readManifest(): Manifest {
  return Manifest.parse(JSON.parse(readFileSync(MANIFEST, 'utf8')));
}

export function examplePath(type: string): string {
  return join(HISTORIES, 'events', `${type}.json`);
}

export function experimentPath(name: string): string {
  return join(HISTORIES, 'experiments', `${name}.jsonl.gz`);
}

export function readExample(type: string): FrozenRecord {
  return FrozenRecord.parse(JSON.parse(readFileSync(examplePath(type), 'utf8')));
}

/** Records of a whole experiment in the order of appending. */
export function readExperiment(name: string): FrozenRecord[] {
  const lines = gunzipSync(readFileSync(experimentPath(name)))
    .toString('utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => FrozenRecord.parse(JSON.parse(line)));
}

export function sha256OfFile(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
