import { InputError } from '@whale/kernel';
import { expect, test } from 'vitest';
import { signalsOf } from './settings.ts';

const COMMON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

test.each([
  ['nothing is on by default', {}, false, false],
  ['an empty variable says nothing', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: ' ' }, false, false],
  ['what only describes turns nothing on', { OTEL_SERVICE_NAME: 'x', OTEL_RESOURCE_ATTRIBUTES: 'a=b' }, false, false],
  ['the common endpoint turns on both', COMMON, true, true],
  ['an endpoint of one signal turns on that one', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t' }, true, false],
  ['so does an exporter', { OTEL_METRICS_EXPORTER: 'console' }, false, true],
  ['none turns one off', { ...COMMON, OTEL_METRICS_EXPORTER: 'none' }, true, false],
  ['disabled turns off all', { ...COMMON, OTEL_SDK_DISABLED: 'True' }, false, false],
  ['only true disables', { ...COMMON, OTEL_SDK_DISABLED: 'false' }, true, true],
])('%s', (_, environment, traces, metrics) => {
  expect(signalsOf(environment)).toEqual({ traces, metrics });
});

test('an exporter that there is not is bad input, with those that there are', () => {
  expect(() => signalsOf({ OTEL_TRACES_EXPORTER: 'otpl' })).toThrow(InputError);
  expect(() => signalsOf({ OTEL_TRACES_EXPORTER: 'console,prometheus' })).toThrow(
    'OTEL_TRACES_EXPORTER: "prometheus" is no exporter. There are: otlp, console, none',
  );
});
