// The test command: formatting, event documents, lint with boundaries, types, unit tests, end-to-end tests. All steps run
// even when one fails, and the last line is `N passed, N failed`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'whale-verify-'));
const bin = (name) => join('node_modules', '.bin', name);
const totals = { passed: 0, failed: 0, skipped: 0 };

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
      shell: process.platform === 'win32',
    });
    child.on('error', () => resolve(1));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

async function check(name, command, args) {
  const started = Date.now();
  const code = await run(command, args);
  totals[code === 0 ? 'passed' : 'failed']++;
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

async function tests(name, config) {
  const report = join(scratch, `${name}.json`);
  const code = await run(bin('vitest'), [
    'run',
    '--config',
    config,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    totals.passed += numPassedTests;
    totals.skipped += numPendingTests;
    // A file that does not even load has no failed test, and still fails.
    totals.failed += Math.max(numFailedTests, code === 0 ? 0 : Math.max(1, Math.min(numFailedTestSuites, 1)));
  } catch {
    totals.failed++;
    console.log(`✗ ${name}: vitest wrote no report`);
  }
}

// Whatever comes of it: the tests that need it say so.
const fetched = run(bin('tsx'), ['libs/event-log/kafka-broker/bin/fetch.ts']);
await Promise.all([
  check('lint and boundaries', bin('eslint'), ['.', '--max-warnings', '0']),
  check('types', bin('tsc'), ['-p', 'tsconfig.json']),
  check('formatting', bin('prettier'), ['--check', '--log-level', 'warn', '.']),
  check('event documents', bin('tsx'), ['tools/event-docs/generate.ts', '--check']),
  check('project graph', bin('nx'), ['show', 'projects']),
]);
await fetched;
await tests('unit', 'vitest.config.ts');
await tests('end-to-end', 'vitest.e2e.config.ts');

rmSync(scratch, { recursive: true, force: true });
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(totals.failed === 0 ? 0 : 1);
