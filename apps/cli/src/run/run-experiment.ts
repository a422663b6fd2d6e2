import { encodeEvent, experimentIdOf, type ExperimentSubmitted, type Spec } from '@whale/contracts';
import type { ExperimentView } from '@whale/experiment-view';
import { describeError, systemClock } from '@whale/kernel';
import { outgoingTraceparent, startTelemetry, Tracing, type Telemetry } from '@whale/telemetry';
import type { RunOptions } from '../commands/run.ts';
import { EXIT } from '../errors.ts';
import { experimentIds, readView } from '../log/experiments.ts';
import { withData } from '../log/open.ts';
import { printOutcome } from '../print/outcome.ts';
import { loadServices, serviceNames } from '../services.ts';
import { print, printJson, printTrouble, type Session } from '../session.ts';
import { loadSpec } from '../spec-file.ts';
import { canRedraw, FoldedDisplay, PlainDisplay, type Display } from './display.ts';
import { Follower } from './follow.ts';
import { Host, openHost } from './host.ts';
import { Interrupt } from './interrupt.ts';
import { preflight } from './preflight.ts';

export interface RunRequest {
  specFile: string;
  options: RunOptions;
  session: Session;
  /** The command line that goes on with this run. */
  again: string;
}

/** `whale run`: everything is checked before anything is written. Returns the exit code. */
export async function runExperiment(request: RunRequest): Promise<number> {
  const { specFile, options, session } = request;
  const spec = loadSpec(specFile, options.set);
  const names = serviceNames(options.services ?? []);
  const experimentId = experimentIdOf(spec);
  const before = await withData(session.location, async (open) =>
    open && (await experimentIds(open)).includes(experimentId) ? readView(open, experimentId) : null,
  );
  if (before?.result) return printOutcome(before, session);

  await preflight(spec, specFile, options.detach ? [] : names);
  if (options.detach) return submitOnly(request, spec, experimentId, before !== null);
  const definitions = await loadServices(names);
  for (const definition of definitions) definition.config(process.env);
  return host(request, { spec, experimentId, before, definitions });
}

async function submitOnly({ session }: RunRequest, spec: Spec, experimentId: string, known: boolean): Promise<number> {
  const telemetry = await startTelemetry({ services: ['console'], onTrouble: printTrouble });
  const platform = await openHost(session.location, () => undefined);
  try {
    if (!known) await submit(platform, spec, experimentId);
  } finally {
    await platform.close();
    await telemetry.stop();
  }
  const command = `npx whale services${session.flags}`;
  if (session.json) printJson({ experimentId, submitted: !known });
  else {
    print(`${known ? 'Already submitted' : 'Submitted'}: ${experimentId}`);
    print(`It runs while the services do:\n  ${command}`);
  }
  return EXIT.done;
}

async function submit(platform: Awaited<ReturnType<typeof openHost>>, spec: Spec, experimentId: string): Promise<void> {
  const event: ExperimentSubmitted = { type: 'whale.experiment.submitted.v1', data: { experimentId, spec } };
  const context = { source: 'whale/console', time: systemClock.now(), correlationId: experimentId };
  const tracing = new Tracing('console', platform.messagingSystem);
  // The trace of the experiment begins here.
  await tracing.publishing('whale.experiments.v1', experimentId, async () => {
    const traceparent = outgoingTraceparent(undefined);
    await platform.log.append([encodeEvent(event, { ...context, traceparent })]);
  });
}

interface Hosting {
  spec: Spec;
  experimentId: string;
  before: ExperimentView | null;
  definitions: Awaited<ReturnType<typeof loadServices>>;
}

async function host({ session, again }: RunRequest, hosting: Hosting): Promise<number> {
  const { spec, experimentId, before, definitions } = hosting;
  const display = new FoldedDisplay(await openDisplay(session));
  const interrupt = new Interrupt(() => display.note('stopping; once more Ctrl-C stops at once'));
  let view: ExperimentView;
  let telemetry: Telemetry | null = null;
  try {
    telemetry = await startTelemetry({
      services: definitions.map(({ name }) => name),
      onTrouble: (message) => display.trouble(message),
    });
    const platform = await openHost(session.location, (service, message) => display.trouble(`${service}: ${message}`));
    const running = new Host(platform);
    try {
      if (!before) await submit(platform, spec, experimentId);
      display.note(before ? `continuing ${experimentId} (${whereItStands(before)})` : `running ${experimentId}`);
      const follower = new Follower(experimentId, { ...platform, onTrouble: (message) => display.trouble(message) });
      if (before) await follower.catchUp();
      await running.start(definitions, interrupt.asked);
      view = await follower.show(display, interrupt.asked);
    } finally {
      await running.stop();
      await platform.close();
    }
  } finally {
    await telemetry?.stop();
    display.close();
    interrupt.dispose();
  }
  if (view.result) return printOutcome(view, session);
  process.stderr.write(`Stopped; nothing is lost. Go on with:\n  ${again}\n`);
  return EXIT.interrupted;
}

function whereItStands(view: ExperimentView): string {
  const done = view.phases.filter((phase) => phase.end !== null).length;
  return `${done} ${done === 1 ? 'phase is' : 'phases are'} done`;
}

async function openDisplay(session: Session): Promise<Display> {
  if (session.json) return new PlainDisplay((line) => void process.stderr.write(`${line}\n`));
  if (!canRedraw(process.stdout, process.env)) return new PlainDisplay(print);
  try {
    return (await import('./live-display.ts')).openLiveDisplay();
  } catch (error) {
    print(`(no live display: ${describeError(error).message})`);
    return new PlainDisplay(print);
  }
}
