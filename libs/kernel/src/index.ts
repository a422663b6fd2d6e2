export { canonicalHash, canonicalJson, sha256, type JsonValue } from './canonical-json.ts';
export { deterministicId } from './ids.ts';
export { ManualClock, systemClock, type Clock } from './clock.ts';
export { rng, type Rng } from './rng.ts';
export {
  describeError,
  EnvironmentError,
  InputError,
  isRetryable,
  WhaleError,
  type ErrorDescription,
} from './errors.ts';
export { LONGEST_TIMER_MS } from './timers.ts';
export { turn } from './turn.ts';
export { spawnTypeScriptWorker, type TypeScriptWorkerOptions } from './typescript-worker.ts';
export { makeFolder } from './make-folder.ts';
export { importDefault } from './user-module.ts';
export { quoted, Watchdog } from './watchdog.ts';
