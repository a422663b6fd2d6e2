import { expect, it } from 'vitest';
import { returnable, textOf, type Block } from './blocks.ts';

const text = (said: string): Block => ({ type: 'text', text: said });
const thinking = (signature: string): Block => ({ type: 'thinking', thinking: 'Hm.', signature });
const redacted: Block = { type: 'redacted_thinking', data: 'x' };
const call: Block = { type: 'tool_use', id: 't', name: 'grep', input: {} };

it('sends back what was thought as it came, and what was said', () => {
  const blocks = [thinking('s'), redacted, text('Look.'), thinking('s2'), call];
  expect(returnable(blocks)).toEqual(blocks);
});

it.each([
  ['thinking that was cut before it was signed', [thinking(''), text('Look.')], [text('Look.')]],
  ['thinking at the end', [text('Look.'), thinking('s'), redacted], [text('Look.')]],
  ['text without a word', [text(' \n'), call], [call]],
  ['the reasons of a refusal', [text('No.'), { type: 'refusal', category: null }], [text('No.')]],
])('leaves out %s', (_, blocks, kept) => {
  expect(returnable(blocks)).toEqual(kept);
});

it('reads the text of a reply', () => {
  expect(textOf([thinking('s'), text(' One.'), call, text('Two. ')])).toBe('One.\nTwo.');
});
