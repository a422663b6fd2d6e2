import { embedded } from '@whale/service-host';
import { expect, test } from 'vitest';
import { scratchFolder, whale } from '../support/whale-process.ts';
import { scriptedData } from '../support/scripted-data.ts';
import { reportText } from './rebuild.ts';

const part = (name: string, more: object) => ({
  part: name,
  rebuilt: '3fa9c1d2e4b5a697'.repeat(4),
  live: '3fa9c1d2e4b5a697'.repeat(4),
  equal: true,
  restored: false,
  differences: [],
  ...more,
});

test('the report is a small table', () => {
  const parts = [part('scheduler', {}), part('read models', { live: null, equal: false, restored: true })];
  const report = { experimentId: 'atlas-1', equal: true, decisions: { remade: 1234, disagreements: [] }, parts };
  expect(reportText(report, { location: embedded('here') }).split('\n')).toEqual([
    'atlas-1: 1,234 decisions made again from the log',
    '',
    'part         rebuilt           live              equal',
    'scheduler    3fa9c1d2e4b5a697  3fa9c1d2e4b5a697  yes',
    'read models  3fa9c1d2e4b5a697  –                 was missing, put back',
  ]);
});

test('what differs is told, and what to do about it', () => {
  const parts = [part('scheduler', { live: 'f'.repeat(64), equal: false, differences: ['steps: live 7,\nrebuilt 6'] })];
  const decisions = {
    remade: 1,
    disagreements: ['whale.cycle.ended.v1 of x\nis on the log and does not follow from it'],
  };
  const text = reportText({ experimentId: 'x', equal: false, decisions, parts }, { location: embedded('here') });
  expect(text).toContain('scheduler  3fa9c1d2e4b5a697  ffffffffffffffff  NO');
  expect(text).toContain('Nothing was changed. What differs:');
  expect(text).toContain('  log: whale.cycle.ended.v1 of x is on the log');
  expect(text).toContain('  scheduler: steps: live 7, rebuilt 6');
  expect(text).toMatch(/read-models\.sqlite below .*here\./u);
});

test('a data folder of which only the log is left is rebuilt whole by the command, and equal the second time', async () => {
  const folder = scratchFolder('rebuild');
  try {
    const { experimentId } = await scriptedData(folder.path);
    const first = await whale(['rebuild', 'scripted', '--data', folder.path]);
    expect(first.stderr).toBe('');
    expect(first.code).toBe(0);
    expect(first.stdout.match(/was missing, put back/g)).toHaveLength(4);
    const second = await whale(['rebuild', '--data', folder.path, '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject({ experimentId, equal: true });
    expect(second.code).toBe(0);
    const unknown = await whale(['rebuild', 'nobody', '--data', folder.path]);
    expect(unknown.code).toBe(2);
  } finally {
    folder.remove();
  }
}, 60_000);
