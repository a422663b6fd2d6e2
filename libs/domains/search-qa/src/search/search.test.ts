import { describe, expect, it } from 'vitest';
import { SearchEngine, searchTools } from './tool.ts';

const documents = [
  { id: 'd1', title: 'Talk', text: 'The search in Tarvel found no mayor.', year: 348 },
  { id: 'd2', title: 'Tarvel', text: 'The mayor of Tarvel is Ux.', year: 312 },
  { id: 'd3', title: 'Tarvel', text: 'The mayor of Tarvel is Dask.', year: 341 },
  { id: 'd4', title: 'Mavina', text: 'Mavina lives in Brumond.', year: 330 },
];
const tools = searchTools(new SearchEngine(documents));
const ids = (args: Record<string, never> | { query: string; k?: number }) =>
  (tools.call('search', args) as { id: string }[]).map((hit) => hit.id);

describe('the search tool is raw', () => {
  it('breaks ties by place, not by year, and gives three at most unless told', () => {
    expect(ids({ query: 'Tarvel mayor' })).toEqual(['d1', 'd2', 'd3']);
    expect(ids({ query: 'Tarvel mayor', k: 2 })).toEqual(['d1', 'd2']);
  });

  it('lets the words of the protocol count', () => {
    const [first, second] = tools.call('search', { query: 'search: Tarvel mayor' }) as { score: number }[];
    expect(first?.score).toBeGreaterThan(second?.score ?? 0);
  });

  it('does not stem', () => {
    expect(ids({ query: 'live' })).toEqual([]);
    expect(ids({ query: 'LIVES?' })).toEqual(['d4']);
  });

  it('finds nothing for nothing', () => {
    expect(ids({ query: '' })).toEqual([]);
    expect(ids({ query: '?! …' })).toEqual([]);
  });

  it('gives what its types promise and nothing of what it knows beside', () => {
    expect(tools.call('search', { query: 'Mavina', k: 1 })).toEqual([{ ...documents[3], score: expect.any(Number) }]);
  });

  it.each([
    [{}],
    [{ query: 7 }],
    [{ query: 'x', k: 0 }],
    [{ query: 'x', k: 21 }],
    [{ query: 'x', k: 2.5 }],
    [{ query: 'x', limit: 3 }],
    [{ query: 'x'.repeat(401) }],
  ])('answers %j with an error', (args) => {
    expect(tools.call('search', args)).toEqual({ error: expect.stringMatching(/^search: /u) });
  });
});
