// A proposer that is a program: it reads the workspace it is started in and writes files into candidates/. Each candidate
// is one of the three best harnesses with one number in its code doubled or halved. Any language does; this one needs
// nothing but Node.
//
//   proposer: { kind: command, command: [node, ./examples/proposers/nudge-numbers.mjs] }
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const { WHALE_CANDIDATES, WHALE_ROUND, WHALE_SEED } = process.env;
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const told = (text) => text.replace(/\s+/g, ' ').slice(0, 80);

/** Every way to double or halve a number that stands alone in a line of code. */
function nudges(harness) {
  const lines = readFileSync(`harnesses/${harness}/harness.ts`, 'utf8').split('\n');
  return lines.flatMap((line, i) => {
    if (/^\s*(\/\/|\*|\/\*)|['"`]/.test(line)) return [];
    return [...line.matchAll(/(?<![\w.])[1-9]\d*(?![\w.])/g)].flatMap(({ 0: number, index }) =>
      [Number(number) * 2, Math.floor(Number(number) / 2)]
        .filter((other) => other > 0)
        .map((other) => {
          const changed = line.slice(0, index) + other + line.slice(index + number.length);
          return {
            harness,
            line: i + 1,
            number,
            other,
            told: told(changed),
            source: lines.with(i, changed).join('\n'),
          };
        }),
    );
  });
}

// What has a score, or was written before: the same text is not worth writing again.
const known = readdirSync('harnesses').map((harness) => readFileSync(`harnesses/${harness}/harness.ts`, 'utf8'));
const written = readdirSync('candidates').filter((name) => name.endsWith('.ts'));
for (const name of written) known.push(readFileSync(`candidates/${name}`, 'utf8'));
for (const name of written.map((name) => `candidates/${name.replace(/ts$/, 'rejected.json')}`)) {
  if (existsSync(name)) console.log(`${name}: ${json(name).stage}: ${json(name).message}`);
}

// At random, but the same for the same seed, so that a search can be repeated.
const order = ({ source }) => createHash('sha256').update(`${WHALE_SEED} ${source}`).digest('hex');
const { best } = json('frontier.json');
const open = best
  .slice(0, 3)
  .flatMap(({ harness }) => nudges(harness))
  .filter(({ source }, i, all) => !known.includes(source) && all.findIndex((one) => one.source === source) === i)
  .sort((a, b) => (order(a) < order(b) ? -1 : 1));

for (const [i, nudge] of open.slice(0, Number(WHALE_CANDIDATES)).entries()) {
  const name = `candidates/round${WHALE_ROUND}-${i + 1}`;
  const { harness, line, number, other } = nudge;
  const { correct, measured } = best.find((one) => one.harness === harness);
  writeFileSync(`${name}.ts`, nudge.source);
  writeFileSync(
    `${name}.json`,
    JSON.stringify({
      parent: json(`harnesses/${harness}/score.json`).id,
      hypothesis: `${other} instead of ${number} serves the model better; refuted unless more than ${correct} of ${measured} tasks come out correct.`,
      changes: [`line ${line}: ${number} → ${other}, now: ${nudge.told}`],
    }),
  );
  console.log(`${name}: ${nudge.told}`);
}
