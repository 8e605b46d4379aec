import type { Exec } from './exec.ts';

/** What systemd understands of what it is told. */
export interface Notice {
  readonly READY?: '1';
  readonly RELOADING?: '1';
  readonly STOPPING?: '1';
  readonly WATCHDOG?: '1';
  /** One line for `systemctl status`. */
  readonly STATUS?: string;
}

/** Tells the supervisor. @throws missing-program, command-failed */
export type Notify = (notice: Notice) => Promise<void>;

/**
 * Through the program systemd-notify, which every systemd has and which waits until it was heard: Node cannot send on the
 * kind of socket that systemd listens on.
 */
export function createNotify(exec: Exec, socket: string): Notify {
  return async (notice) => {
    const args = Object.entries(notice).map(([name, value]) => `${name}=${toOneLine(value)}`);
    const env = { NOTIFY_SOCKET: socket };
    await exec({ program: 'systemd-notify', args: ['--', ...args], doing: 'telling systemd', env, timeoutMs: 10_000 });
  };
}

/** A line end would begin another assignment. */
function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 500);
}
