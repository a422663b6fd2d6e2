export { OtlpReceiver, type ReceivedAttributes, type ReceivedPoint, type ReceivedSpan } from './otlp-receiver.ts';
