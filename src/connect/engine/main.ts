import { checkTun } from '../tun/check-tun.ts';
import { createTunDevice } from '../tun/tun-device.ts';
import { deviceDescriptor } from './messages.ts';
import { runEngine } from './run-engine.ts';

/*
 * The engine's process: `messages.ts` says what it is told, and what it says. The agent starts it
 * with one open device and with the right to no other thing.
 */
const terminated = new AbortController();
process.on('SIGTERM', () => terminated.abort());
// They go to everything that was started from a terminal: the agent says what is to be done.
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);
process.on('uncaughtException', (error) => end(error));

runEngine({
  input: process.stdin,
  output: process.stdout,
  takeDevice: () => createTunDevice(checkTun(deviceDescriptor)),
  terminated: terminated.signal,
  random: Math.random,
}).then(() => end(), end);

/**
 * Ends this process, whatever still runs. A read of the device is pending as long as the device is
 * there, and Node waits for it without end when it exits, also after an error; the kernel does not.
 */
function end(error?: unknown): void {
  if (error === undefined) process.kill(process.pid, 'SIGKILL');
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`, () => process.kill(process.pid, 'SIGKILL'));
}
