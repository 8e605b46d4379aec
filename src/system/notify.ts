import type { Exec } from './exec.ts';

/** What systemd understands of what it is told; `STATUS` is one line for `systemctl status`. */
export type Notice = {
  readonly [word in 'READY' | 'RELOADING' | 'STOPPING' | 'WATCHDOG']?: '1';
} & {
  readonly STATUS?: string;
};

/** Tells the supervisor. @throws missing-program, command-failed */
export type Notify = (notice: Notice) => Promise<void>;

/**
 * By systemd-notify, which waits until it was heard: Node cannot send on the kind of socket that
 * systemd has.
 */
export function createNotify(exec: Exec, socket: string): Notify {
  return async (notice) => {
    // A line end would begin another assignment.
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
