import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A port of 127.0.0.1 whose program accepts nothing, and whose queue is full: the kernel answers
 * nobody there until the program is woken.
 */
export async function listenInSilence(): Promise<{ readonly port: number; wake(): void }> {
  const program =
    "const s = require('net').createServer(); s.listen(0, '127.0.0.1', 1, () => console.log(s.address().port))";
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  const port = Number(said);
  const waiting = Array.from({ length: 8 }, () =>
    connect({ port, host: '127.0.0.1' }).on('error', () => undefined),
  );
  onTestFinished(() => {
    for (const socket of waiting) socket.destroy();
  });
  await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, 'connect')));
  return { port, wake: () => void child.kill('SIGCONT') };
}
