import { readlinkSync, statSync } from 'node:fs';
import { findZoneWarnings } from '../config/system-zone.ts';
import type { Facts } from '../health/facts.ts';
import type { Logger } from '../report/logger.ts';
import { every, type Loop } from './run-loop.ts';

/** The system's time zone, which counts where `provide.time_zone` names none. */
export interface SystemZone {
  /** For the status; `configured` is `provide.time_zone`. */
  facts(configured: string | undefined): Facts['zone'];
  readonly loop: Loop;
}

export interface SystemZoneParts {
  /** By default this process's own, whose TZ wins over the file. */
  readonly environment?: { TZ?: string | undefined };
  /** The system's choice: a link into the folder of zones, or a copy of a file from there. */
  readonly path?: string;
  readonly log: Pick<Logger, 'info'>;
  readonly now: () => Date;
}

const lookEveryMs = 30_000;

/** A change by `timedatectl` counts within half a minute: Node reads the zone once and keeps it. */
export function followSystemZone(parts: SystemZoneParts): SystemZone {
  const { environment = process.env, path = '/etc/localtime', log, now } = parts;
  const since = now();
  const isUnknown = findZoneWarnings(environment, undefined).length > 0;
  let before = readZone(path);
  const look = () => {
    if (environment.TZ) return;
    const present = readZone(path);
    // Between two zones there may be none for a moment.
    if (present === undefined || present.file === before?.file) return;
    before = present;
    // Node forgets the zone where this is set or deleted.
    delete process.env.TZ;
    log.info({ zone: present.name }, "the system's time zone has changed");
  };
  return {
    facts(configured) {
      if (configured !== undefined) return { name: configured, problem: undefined };
      const { TZ: named } = environment;
      if (!named || !isUnknown) return { name: named || before?.name, problem: undefined };
      const message = `The time zone in TZ, ${named.slice(0, 60)}, is not known here, so schedule and cap go by another time.`;
      return { name: undefined, problem: { code: 'zone-unknown', message, since } };
    },
    loop: every({
      name: 'time zone',
      isOptional: true,
      isOnBeat: true,
      firstAfterMs: lookEveryMs,
      waitMs: lookEveryMs,
      work: look,
    }),
  };
}

/** The zone's name, where the file is a link; `file` tells it from others. */
function readZone(path: string): { readonly name?: string; readonly file: string } | undefined {
  try {
    const target = readlinkSync(path);
    const name = /zoneinfo\/(.+)$/.exec(target)?.[1];
    return name === undefined ? { file: target } : { name, file: target };
  } catch {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { file: [found.dev, found.ino, found.mtimeMs].join() };
  }
}
