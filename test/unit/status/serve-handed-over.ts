// Serves the page on the listening socket that this process was given as its file 3, until it is
// ended.
import { createStatusFixture } from './status-fixture.ts';

const fixture = await createStatusFixture({ fileDescriptor: 3 });
process.once('SIGTERM', async () => {
  await fixture[Symbol.asyncDispose]();
  process.exit();
});
await fixture.start();
process.stdout.write('listening\n');
