import { parentPort } from 'node:worker_threads';
import { literalsOf } from './literals.ts';
import { normalForm } from './normal-form.ts';
import { promptsOnlyProblem } from './prompts-only.ts';
import type { CheckRequest, FromCheckWorker, Questions } from './protocol.ts';
import { TypeCheck } from './type-check.ts';

const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread only');

const typeCheck = new TypeCheck();
const send = (message: FromCheckWorker): void => port.postMessage(message);

function answer({ kind, asked }: CheckRequest): Questions[keyof Questions]['answered'] {
  switch (kind) {
    case 'verdict':
      return typeCheck.check(asked);
    case 'promptsOnly':
      return promptsOnlyProblem(asked.parent, asked.candidate);
    case 'normalForm':
      return normalForm(asked.source);
    case 'literals':
      return literalsOf(asked.source);
  }
}

port.on('message', (request: CheckRequest) => {
  const { id } = request;
  try {
    send({ type: 'answer', id, answer: answer(request) });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    send({ type: 'too-deep', id });
  }
});
send({ type: 'ready' });
