import { expect, test } from 'vitest';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('the sample of the W3C recommendation, there and back', () => {
  const text = `00-${TRACE}-${SPAN}-01`;
  const context = parseTraceparent(text);
  expect(context).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true });
  expect(context && formatTraceparent(context)).toBe(text);
});

test('a later version may say more, and flags that are not known are left out', () => {
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-ff-more`)).toMatchObject({ traceId: TRACE, traceFlags: 1 });
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)).toMatchObject({ traceFlags: 0 });
});

test.each([
  undefined,
  '',
  'x',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
])('%s names no span', (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});
