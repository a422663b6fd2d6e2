// Plain JavaScript, so that the thread starts at once. The pattern is a model's own: it may need for ever, which is why
// it runs in a thread that is ended when its time is up, and nowhere else.
import { parentPort, workerData } from 'node:worker_threads';

/** Characters shown of a line, about the match. */
const WINDOW = 300;
const BEFORE = 60;

const { source, flags } = workerData;
const expression = new RegExp(source, flags);

parentPort.on('message', ({ text, most }) => {
  try {
    parentPort.postMessage(search(text, most));
  } catch (error) {
    parentPort.postMessage({ problem: error.message });
  }
});

/** The first `most` lines that match, and how many do. */
function search(text, most) {
  const shown = [];
  let matching = 0;
  let number = 0;
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? text.length : end);
    number++;
    start += line.length + 1;
    const match = expression.exec(line);
    if (match === null) continue;
    matching++;
    if (shown.length < most) shown.push({ number, text: around(line, match.index) });
  }
  return { shown, matching };
}

function around(line, index) {
  if (line.length <= WINDOW) return line;
  const from = Math.max(0, Math.min(index - BEFORE, line.length - WINDOW));
  const to = from + WINDOW;
  return `${from > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length ? '…' : ''}`;
}
