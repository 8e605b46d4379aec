import type { Config } from '../config/schema.ts';
import type { DataPath } from '../data-path/reconcile.ts';
import { openUsageAccounting, type UsageAccounting } from '../data-path/usage-accounting.ts';
import type { TributaryError } from '../errors/codes.ts';
import type { Facts, Silence } from '../health/facts.ts';
import type { ForwardDecision } from '../health/may-forward.ts';
import type { Problem } from '../health/problem.ts';
import type { EarnedDays, Provided, ServiceFigures } from '../health/service-figures.ts';
import type { Names } from '../lib/connect-in-turn.ts';
import type { LineLimit } from '../provide/line-limit.ts';
import type { Logger } from '../report/logger.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Profile, ProvideMode } from '../service/profiles.ts';
import type { Source } from '../source/source.ts';
import type { WireGuardSource } from '../source/wireguard/wireguard-source.ts';
import type { AddressList } from '../system/address-list.ts';
import type { LogOutput } from '../system/log-output.ts';
import type { OnSetAside } from '../system/state-file.ts';
import { version } from '../version.ts';
import { createSections } from './create-sections.ts';
import type { Failures } from './failures.ts';
import {
  type ConfirmedMode,
  type Overrides,
  openConfirmedMode,
  openOverrides,
} from './kept-choices.ts';
import type { SelfTestState } from './pass/note-self-test.ts';
import type { SourceNotes } from './pass/note-sources.ts';
import type { WayNotes } from './pass/note-way.ts';
import type { Wakeups } from './run-loop.ts';
import type { SystemZone } from './system-zone.ts';
import type { ServiceState } from './talk/service-state.ts';
import type { ServiceTime } from './talk/service-time.ts';
import type { FailingReceiver } from './tell/deliveries.ts';
import { collectFacts } from './to-facts.ts';

/** Each section, as its one writer is handed it. Where a field is absent, nothing is known yet. */
export interface Sections {
  /** The configuration in force. Written by `reload.ts`. */
  readonly configuration: {
    config: Config;
    certificateAuthority?: string | undefined;
    /** Why the last reload was refused; the former configuration is still in force then. */
    problem?: Problem | undefined;
  };
  /** Whether the service answers. Written by `talk/create-talk.ts`. */
  readonly contact: {
    isReachable?: boolean | undefined;
    lastContactAt?: Date | undefined;
    serviceTime?: ServiceTime | undefined;
    /** How many requests ended how since the start: `ok`, or the code of the error. */
    readonly requests: Record<string, number>;
  };
  /** The conversation with the service. Written by `talk/service-loop.ts`. */
  readonly service: ServiceState;
  /** Tunnel and gateway as the last pass left them. Written by `pass/pass.ts`. */
  readonly path: {
    observed?: DataPath | undefined;
    /**
     * When the last permit runs out, by `performance.now()`; undefined where traffic may not pass.
     */
    openUntilMs?: number | undefined;
    /**
     * When the observed table was read, by `performance.now()`, and how many bytes the sources had
     * carried by then (undefined without a device). undefined if the table has to be read again.
     */
    tableRead?: { readonly atMs: number; readonly carriedBytes: number | undefined } | undefined;
    uplinkMissingSince?: Date | undefined;
    wayNotes?: WayNotes | undefined;
    /**
     * By a source's name, when its life began (ms since 1970, 0 for none) at the time when the
     * service was asked because of it.
     */
    rungForMs?: Readonly<Record<string, number>> | undefined;
    /** What passes noted of each source, by its name. */
    sourceNotes?: Readonly<Record<string, SourceNotes>> | undefined;
    gatewayProblem?: Problem | undefined;
    /** What the last self-test showed; undefined before one could be judged. */
    selfTest?: SelfTestState | undefined;
    usageProblem?: Problem | undefined;
  };
  /** Destinations that the owner or the strict rules deny. Written by `pass/denied-lists.ts`. */
  readonly denied: {
    lists: readonly AddressList[];
    /** Why a list could never be read. Nothing may be forwarded then. */
    missing?: TributaryError | undefined;
    /** Lists of bad addresses, for the strict rules. */
    badAddresses: readonly AddressList[];
    /** Why a list of bad addresses could never be read. It counts where the strict rules hold. */
    missingBad?: TributaryError | undefined;
    problem?: Problem | undefined;
  };
  /** The home as the Internet sees it. Written by `pass/outside-loop.ts`. */
  readonly outside: {
    /** Public IPv4 addresses of the home; undefined before the first answer. */
    addresses?: readonly string[] | undefined;
    problem?: Problem | undefined;
  };
  /** The tables of connections on consumers' way. Written by `pass/connections-loop.ts`. */
  readonly connections: {
    /** In the agent's own network. */
    tracked?: number | undefined;
    problem?: Problem | undefined;
  };
  /** What the kernel counts, forwarded bytes (`usage`) apart. Written by `pass/meter.ts`. */
  readonly counters: { refusedPackets?: Readonly<Record<string, number>> | undefined };
  /** Where consumers' traffic comes from. Written by `pass/create-pass.ts`, once. */
  readonly sources: {
    all: readonly Source[];
    /** What only one source has; undefined before the sources are opened, and without it. */
    wireGuard?: Pick<WireGuardSource, 'tunnel'> | undefined;
  };
  /** The mode that the last pass decided. Written by `pass/gate-keeper.ts`. */
  readonly mode: {
    scheduled?: ProvideMode | undefined;
    /** Decided before the pass; undefined without a limit. */
    limit?: LineLimit | undefined;
    decision?: ForwardDecision | undefined;
    capReachedSince?: Date | undefined;
    clockUnsetSince?: Date | undefined;
    /** Since when the service has a mode that lets in more people than the wanted one. */
    widerSince?: Date | undefined;
    /** Since when only open connections go on. */
    capEndingSince?: Date | undefined;
  };
  /** How far sharing yields to the household. Written by `pass/household-loop.ts`. */
  readonly household: Omit<Facts['provide']['household'], 'mode'>;
  /** How telling the service the mode goes. Written by `talk/announce-loop.ts`. */
  readonly announcement: {
    problem?: Problem | undefined;
    /** Whether the service lets a device set its mode; undefined before it was first asked. */
    isServed?: boolean | undefined;
  };
  /** The service's own statistics. Written by `tell/report-loop.ts`. */
  readonly figures: {
    service?: ServiceFigures | undefined;
    provided?: Provided | undefined;
  };
  /** What the ledger says about the present. Written by `tell/ledger-loop.ts`. */
  readonly ledger: {
    silence?: Silence | undefined;
    /** Both by the service's figures; undefined before the ledger was read, and without one. */
    monthUsdc?: EarnedDays['monthUsdc'];
    total?: EarnedDays['total'];
  };
  /** Who gets no reports. Written by `tell/deliveries.ts`. */
  readonly deliveries: { failing: readonly FailingReceiver[] };
  /** The agent's start and end. Written by `create-agent.ts`. */
  readonly life: {
    readonly startedAt: Date;
    stoppingSince?: Date | undefined;
  };
}

/** Everything that is known now, in the form in which everyone reads it. */
export interface AgentState
  extends Readonly<{ [Name in keyof Sections]: Readonly<Sections[Name]> }> {
  readonly overrides: Pick<Overrides, 'current' | 'load'>;
  readonly confirmedMode: Pick<ConfirmedMode, 'current'>;
  readonly usage: Pick<UsageAccounting, 'counted' | 'current'>;
  readonly log: Pick<LogOutput, 'trouble' | 'droppedLines'>;
  readonly failures: Pick<Failures, 'counts' | 'missingPart'>;
  readonly zone: SystemZone['facts'];
}

/** What the agent's parts are made from. Each part names what it uses. */
export interface Shared {
  readonly state: AgentState;
  readonly wakeups: Wakeups;
  readonly client: Pick<ServiceClient, 'call'>;
  readonly profile: Profile;
  readonly facts: () => Facts;
  readonly log: Logger;
  readonly now: () => Date;
  readonly random: () => number;
  /** How names are resolved; their last good addresses outlive a restart. */
  readonly names: Names;
  readonly directory: string;
  readonly onSetAside: OnSetAside;
}

export interface StateOptions
  extends Pick<Sections['configuration'], 'config' | 'certificateAuthority'>,
    Pick<Shared, 'directory' | 'onSetAside' | 'now'> {
  /** Where the log goes; what it cannot say never happens to it. */
  readonly logOutput?: Partial<AgentState['log']> | undefined;
  /** undefined where nothing notes failures. */
  readonly failures?: AgentState['failures'] | undefined;
  /** undefined where nobody follows the system's. */
  readonly zone?: AgentState['zone'] | undefined;
}

export interface OpenedState {
  /** The state in the form in which everyone reads it. */
  readonly state: AgentState;
  /** The sections. Each is given to its only writer and to no other part. */
  readonly sections: Sections;
  readonly usage: UsageAccounting;
  readonly overrides: Overrides;
  readonly confirmedMode: ConfirmedMode;
  /** The state as status, metrics and health check see it; computed each time it is called. */
  readonly facts: () => Facts;
}

/**
 * The state for everyone to read, and the sections for their writers. The data path loads later
 * what traffic has to wait for.
 */
export async function openState({
  config,
  certificateAuthority,
  logOutput: { trouble = () => undefined, droppedLines = () => 0 } = {},
  failures = { counts: () => ({}), missingPart: () => undefined },
  zone = (name) => ({ name, problem: undefined }),
  now,
  ...kept
}: StateOptions): Promise<OpenedState> {
  const sections = createSections(config, now(), certificateAuthority);
  const usage = openUsageAccounting({
    ...kept,
    now,
    limits: () => sections.configuration.config.provide,
  });
  const overrides = openOverrides({ ...kept, now });
  const confirmedMode = await openConfirmedMode({
    ...kept,
    clientId: () => sections.service.registration?.clientId,
  });
  const state: AgentState = {
    ...sections,
    usage,
    overrides,
    confirmedMode,
    log: { trouble, droppedLines },
    failures,
    zone,
  };
  return {
    state,
    sections,
    usage,
    overrides,
    confirmedMode,
    facts: () => collectFacts(state, version),
  };
}
