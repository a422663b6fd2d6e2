// Brings here what a broker of tests is made of, where Java runs it: `npm test` does so while it looks at the sources.
import { brokerAvailability } from '../src/index.ts';
import { kafkaJars } from '../src/distribution.ts';

const availability = brokerAvailability();
if (availability.available && availability.how === 'java') {
  await kafkaJars(console.log).catch((error: Error) => console.log(error.message));
}
