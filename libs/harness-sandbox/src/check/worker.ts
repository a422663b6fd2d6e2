import { parentPort } from 'node:worker_threads';
import type { CheckRequest, FromCheckWorker, StaticVerdict } from './protocol.ts';
import { TypeCheck } from './type-check.ts';

const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread only');

const typeCheck = new TypeCheck();
const send = (message: FromCheckWorker): void => port.postMessage(message);

function verdictOf(request: CheckRequest): StaticVerdict {
  try {
    return typeCheck.check(request);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { kind: 'rejected', stage: 'parse', problems: [{ message: 'the source is nested too deeply to check' }] };
  }
}

port.on('message', (request: CheckRequest) => send({ type: 'verdict', id: request.id, verdict: verdictOf(request) }));
send({ type: 'ready' });
