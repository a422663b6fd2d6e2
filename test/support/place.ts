import { setTimeout as sleep } from 'node:timers/promises';
import { platformLocation, type PlatformLocation } from '@whale/service-host';
import { LogProbe } from './log-probe.ts';
import { whale, type Finished } from './whale-process.ts';

/** The part of `whale show --json` that tests look at. */
export interface Shown {
  experimentId: string;
  status: string;
  stateHash: string;
  ledger: { rollouts: Record<string, number> };
  best: { mean: number };
}

/** Where a test's experiment lives: how commands name it, and what their environment says. */
export class Place {
  readonly flags: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly location: PlatformLocation;

  constructor(given: { data: string; log?: string; database?: string }, environment: NodeJS.ProcessEnv = {}) {
    this.flags = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
    this.environment = environment;
    this.location = platformLocation(given, {});
  }

  whale(...args: string[]): Promise<Finished> {
    return whale([...args, ...this.flags], this.environment);
  }

  async show(): Promise<Shown> {
    const { stdout, stderr, code } = await this.whale('show', '--json');
    if (code !== 0) throw new Error(`show failed: ${stderr}`);
    return JSON.parse(stdout) as Shown;
  }

  /** Waits until the one experiment has ended, looking at the log only. Throws when it takes too long. */
  async ended(probe: LogProbe, limitMs: number): Promise<void> {
    const deadline = Date.now() + limitMs;
    while (Date.now() < deadline) {
      if ((await probe.count('whale.experiment.ended.v1')) > 0) return;
      await sleep(300);
    }
    throw new Error(`the experiment has not ended after ${limitMs / 1000} s`);
  }

  probe(): LogProbe {
    return new LogProbe(this.location, this.environment);
  }
}
