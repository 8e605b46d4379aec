import { fstatSync } from 'node:fs';

/** What a supervisor, usually systemd, asks of the agent and hands over to it. */
export interface Supervision {
  /**
   * Where the supervisor is told about readiness, state and end; undefined if it does not want to
   * be told.
   */
  readonly notifySocket: string | undefined;
  /**
   * Milliseconds of silence after which the supervisor ends the agent; undefined if it does not
   * watch.
   */
  readonly watchdogMs: number | undefined;
  /** A listening socket for the status page; undefined if none was handed over. */
  readonly pageDescriptor: number | undefined;
  /** True where standard output goes to systemd's journal. */
  readonly isJournal: boolean;
  /**
   * A folder for this run of the agent alone, in which the host sees what it is asked; undefined
   * without one.
   */
  readonly runtimeDirectory: string | undefined;
}

const firstDescriptor: number = 3;

/**
 * Reads the variables of sd_notify, sd_watchdog_enabled and sd_listen_fds. WATCHDOG_PID is ignored,
 * because below pasta it names another process.
 */
export function readSupervision(environment: NodeJS.ProcessEnv, processId: number): Supervision {
  const notifySocket = environment.NOTIFY_SOCKET || undefined;
  const watchdogUs = toCount(environment.WATCHDOG_USEC);
  const isForUs =
    toCount(environment.LISTEN_PID) === processId && toCount(environment.LISTEN_FDS) !== undefined;
  return {
    notifySocket,
    watchdogMs:
      notifySocket !== undefined && watchdogUs !== undefined ? watchdogUs / 1000 : undefined,
    pageDescriptor: isForUs ? firstDescriptor : undefined,
    isJournal: leadsToJournal(environment, 1),
    runtimeDirectory: environment.RUNTIME_DIRECTORY?.split(':')[0] || undefined,
  };
}

/** True where standard output (1) or error (2) goes to systemd's journal. */
export function leadsToJournal(
  { JOURNAL_STREAM: stream }: NodeJS.ProcessEnv,
  descriptor: 1 | 2,
): boolean {
  if (stream === undefined) return false;
  // systemd names the journal's end of the stream by device and inode.
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return stream === `${dev}:${ino}`;
}

function toCount(text: string | undefined): number | undefined {
  const count = /^\d{1,15}$/.test(text ?? '') ? Number(text) : 0;
  return count > 0 ? count : undefined;
}
