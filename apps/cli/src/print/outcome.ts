import { join } from 'node:path';
import { summarize, type ExperimentView } from '@whale/experiment-view';
import { describeError } from '@whale/kernel';
import { EXIT } from '../errors.ts';
import { withData } from '../log/open.ts';
import { print, printJson, type Session } from '../session.ts';
import { paint } from './paint.ts';
import { resultText } from './result.ts';
import { oneLine } from './text.ts';

/** The end of a run: the report is written, the result printed. Returns the exit code. */
export async function printOutcome(view: ExperimentView, session: Session): Promise<number> {
  const code = view.status === 'completed' ? EXIT.done : EXIT.failed;
  const path = join(session.location.data, 'reports', `${view.experimentId}.html`);
  let report: string;
  try {
    const { writeReport } = await import('../report/write-report.ts');
    await withData(session.location, async (open) => open && (await writeReport(view, open, path)));
    report = `report    ${path}`;
  } catch (error) {
    // The result stands without its report.
    report = `The report could not be written: ${describeError(error).message}`;
  }
  if (session.json) {
    const { experimentStateHash } = await import('../replay/state-hash.ts');
    const hash = await withData(
      session.location,
      async (open) => open && experimentStateHash(open.log, open.blobs, view.experimentId),
    );
    printJson({ ...summarize(view, hash), report: path });
  } else {
    const colours = paint(process.stdout);
    print(`\n${resultText(view, colours)}\n\n${report}`);
    if (view.status !== 'completed') print(`\nThe experiment ${view.status}: ${oneLine(view.reason ?? '')}`);
  }
  return code;
}
