import type { Exec } from './exec.ts';

/** The notices that systemd understands; `STATUS` is one line for `systemctl status`. */
export type Notice = {
  readonly [word in 'READY' | 'RELOADING' | 'STOPPING' | 'WATCHDOG']?: '1';
} & {
  readonly STATUS?: string;
};

/**
 * Sends a notice to the supervisor.
 * @throws missing-program, command-failed
 */
export type Notify = (notice: Notice) => Promise<void>;

/**
 * Notifies through systemd-notify, which waits until systemd has received it: Node cannot send on
 * this kind of socket.
 */
export function createNotify(exec: Exec, socket: string): Notify {
  return async (notice) => {
    // A line break would begin another assignment.
    const args = Object.entries(notice).map(
      ([name, value]) => `${name}=${value.replace(/\s+/g, ' ').slice(0, 500)}`,
    );
    const env = { NOTIFY_SOCKET: socket };
    await exec({
      program: 'systemd-notify',
      args: ['--', ...args],
      doing: 'telling systemd',
      env,
      timeoutMs: 10_000,
    });
  };
}
