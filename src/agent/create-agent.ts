import type { LoadedConfig } from '../config/load.ts';
import type { DataPathHost } from '../data-path/state.ts';
import type { UsageAccounting } from '../data-path/usage-accounting.ts';
import type { Facts } from '../health/facts.ts';
import type { Machine } from '../identity/load.ts';
import type { Names } from '../lib/connect-in-turn.ts';
import type { Exec } from '../system/exec.ts';
import { giveBackMemory } from '../system/give-back-memory.ts';
import type { KeepProgram } from '../system/kept-program.ts';
import { openKeptNames } from '../system/open-kept-names.ts';
import type { Overrides } from './kept-choices.ts';
import { type CreatePassParts, createPass } from './pass/create-pass.ts';
import type { DataPathLoop } from './pass/data-path-loop.ts';
import type { Meter } from './pass/meter.ts';
import { createReload } from './reload.ts';
import { createWakeups, every, type Loop } from './run-loop.ts';
import { openState, type Shared, type StateOptions } from './state.ts';
import { followSystemZone } from './system-zone.ts';
import { createTalk } from './talk/create-talk.ts';
import { createTell } from './tell/create-tell.ts';
import { createNoteDelivery, type NoteDelivery } from './tell/deliveries.ts';
import type { LedgerLoop } from './tell/ledger-loop.ts';
import type { PhaseNotes } from './tell/phase-notes.ts';
import { logSetAside } from './tell/set-aside.ts';

export interface AgentParts extends Pick<Shared, 'log' | 'now' | 'random'> {
  readonly loaded: LoadedConfig;
  /** Reads the configuration again. @throws configuration-invalid */
  readonly load: () => Promise<LoadedConfig>;
  readonly exec: Exec;
  /** undefined where no program is kept running; then no changes are reported. */
  readonly keepProgram: KeepProgram | undefined;
  readonly machine?: Machine;
  readonly logOutput?: StateOptions['logOutput'];
  readonly failures?: StateOptions['failures'];
  /** By default the sources that the configuration asks for. */
  readonly openSources?: CreatePassParts['openSources'];
  readonly runtimeDirectory?: CreatePassParts['runtimeDirectory'];
}

/**
 * The agent without its lifetime: its loops, and everything that commands, page and publishers are
 * given of it. Its maker runs the loops; at the end `beginStop` comes first, then the loops
 * end, then `endSources`, then the data path is taken down with `host` and `keepTotals`, and
 * `close` is last.
 */
export interface Agent {
  readonly loops: readonly Loop[];
  /** What the tear-down works on. */
  readonly host: DataPathHost;
  /** The present, computed each time it is called. */
  readonly facts: () => Facts;
  readonly recent: PhaseNotes['recent'];
  readonly health: PhaseNotes['health'];
  readonly overrides: Overrides;
  /** Takes a changed configuration into force. @throws configuration-invalid */
  readonly reload: () => Promise<void>;
  /** Reads the counters again. Never throws. */
  readonly sample: Meter['sample'];
  /** Resolves when a change is written and in force. The loops have to run meanwhile. */
  readonly enforce: DataPathLoop['enforce'];
  /** The ledger's rows; undefined without a ledger. */
  readonly history: LedgerLoop['history'] | undefined;
  /** Notes for the status how each delivery of the notifiers ended. */
  readonly noteDelivery: NoteDelivery;
  /** How names are resolved, also for the receivers of notifications. */
  readonly names: Names;
  /** Stops forwarding. From now on status says that the agent is stopping. */
  beginStop(): void;
  /** Writes the last totals, as the tear-down read them. @throws state-unwritable */
  readonly keepTotals: UsageAccounting['close'];
  /**
   * Ends the permit, then what runs beside the agent for its sources; called once, after all loops
   * and before the tear-down.
   */
  readonly endSources: () => Promise<void>;
  /** Ends the ledger, keeps the events, and the connections to the service; called once, last. */
  close(): Promise<void>;
}

/**
 * Starting leaves most of the garbage behind, so memory is given back soon after it, and later
 * seldom, for what the ticks leave (ms).
 */
const firstGarbageMs = 10_000;
const garbageMs = 900_000;

/**
 * Composes the agent, beginning with what earlier runs kept. It asks and changes nothing yet.
 * @throws insecure-url
 */
export async function createAgent(parts: AgentParts): Promise<Agent> {
  const { loaded, load, exec, keepProgram, machine = {}, log, now, random } = parts;
  const { config, stateDirectory: directory } = loaded;
  const onSetAside = logSetAside(log);
  const certificateAuthority = loaded.service.certificateAuthority?.();
  const { logOutput, failures } = parts;
  const zone = followSystemZone({ log, now });
  const kept = { config, certificateAuthority, directory, onSetAside, now, logOutput, failures };
  const opened = await openState({ ...kept, zone: zone.facts });
  const { sections, usage, overrides, facts } = opened;
  const wakeups = createWakeups();
  const names = await openKeptNames({ directory, onSetAside });
  /** What each of the three groups is given. */
  const common = { opened, wakeups, facts, log, now, random, names, directory, onSetAside };
  const talk = await createTalk({ ...common, loaded, machine });
  const tell = await createTell({ ...common, config, client: talk.client, profile: talk.profile });
  const pass = await createPass({
    ...common,
    exec,
    keepProgram,
    openSources: parts.openSources,
    runtimeDirectory: parts.runtimeDirectory,
    notePhase: tell.phaseNotes.note,
  });
  const memory = every({
    name: 'memory',
    isOptional: true,
    firstAfterMs: firstGarbageMs,
    waitMs: garbageMs,
    work: giveBackMemory,
  });
  return {
    loops: [...pass.loops, ...talk.loops, ...tell.loops, zone.loop, memory],
    host: pass.host,
    facts,
    recent: tell.phaseNotes.recent,
    health: tell.phaseNotes.health,
    overrides,
    reload: createReload({ configuration: sections.configuration, wakeups, load, log, now }),
    sample: pass.sample,
    enforce: pass.enforce,
    history: tell.ledger?.history,
    beginStop() {
      sections.life.stoppingSince = now();
    },
    keepTotals: usage.close,
    noteDelivery: createNoteDelivery(sections.deliveries, now),
    names,
    endSources: pass.close,
    async close() {
      // Each of them begins: one may wait for a disk, or fail.
      await Promise.all([names.close(), talk.client.close(), tell.close()]);
    },
  };
}
