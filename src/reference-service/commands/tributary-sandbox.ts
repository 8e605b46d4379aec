#!/usr/bin/env node
import { systemCodeOf } from '../../lib/errors.ts';
import { renderFailure, toFailure } from './failure.ts';
import { createSandboxProgram } from './program.ts';

const argv = process.argv.slice(2);

process.stdout.on('error', (error) => {
  // A reader that has gone (`| head`) is no bug. The program ends like one that the kernel ends for
  // this, with 128 + SIGPIPE.
  if (systemCodeOf(error) === 'EPIPE') process.exit(141);
  throw error;
});

try {
  await createSandboxProgram(process.stdout).parseAsync(argv, { from: 'user' });
} catch (error) {
  const failure = toFailure(error);
  if (failure !== undefined) {
    process.stderr.write(renderFailure(failure, { isJson: argv.includes('--json') }));
    process.exitCode = failure.exitCode;
  }
}
