import type { LineLimit } from '../provide/line-limit.ts';
import type { LinePlace, PingProblem } from '../provide/line-places.ts';
import type { ProfileName, ProvideMode } from '../service/profiles.ts';
import type { SourceReport } from '../source/source-report.ts';
import type { TunnelFacts } from '../source/wireguard/wireguard-source.ts';
import type { Problem } from './problem.ts';
import type { Earned, Provided, ServiceFigures } from './service-figures.ts';

/** A source of consumers' traffic, as everyone but the source itself sees it. */
export interface SourceFacts extends SourceReport {
  /** `wireguard`. */
  readonly name: string;
  readonly device: string;
  /** Why it has nothing, or is not as the service wants it. */
  readonly problem: Problem | undefined;
  /** What it lacks, although it works. */
  readonly shortfall: Problem | undefined;
  /**
   * Since when its device has been there with nobody at its other end, as the passes found it;
   * undefined while it is alive or has no device.
   */
  readonly silentSince: Date | undefined;
}

/** Time in which the device provided and not one byte was forwarded, as the ledger counts it. */
export interface Silence {
  readonly since: Date;
  readonly providingSeconds: number;
  /** All bytes forwarded until then. The silence is over once more than this has been forwarded. */
  readonly totalBytes: number;
}

/** What the self-test of the fence found. */
export interface SelfTestFacts {
  /** undefined before the first self-test. */
  readonly lastHeldAt: Date | undefined;
  /** How often the fence was found open, or the test packets gone, since the start. */
  readonly failures: number;
  /**
   * A packet passed that has to be refused, or the probes no longer arrive although they did
   * before. Nothing may be forwarded then.
   */
  readonly failure: Problem | undefined;
  readonly note: Problem | undefined;
}

/**
 * Everything from which status, page, metrics and health check are made. The phase is computed from
 * it and nowhere else.
 */
export interface Facts {
  readonly version: string;
  readonly startedAt: Date;
  readonly stoppingSince: Date | undefined;
  /** The owner's time zone (`provide.time_zone`); undefined for the system's. */
  readonly timeZone: string | undefined;
  /** The zone in force for schedule, cap and page; `name` is undefined where it is not known. */
  readonly zone: {
    readonly name: string | undefined;
    /** Why it is not the zone that its owner means. */
    readonly problem: Problem<'zone-unknown'> | undefined;
  };
  /** undefined while it cannot be read. */
  readonly residentBytes: number | undefined;
  /** Why the last reload was refused; the former configuration is still in force then. */
  readonly configurationProblem: Problem | undefined;
  /** Whether the log can be written, and how many of its lines were dropped since the start. */
  readonly log: {
    readonly problem: Problem<'log-unwritten'> | undefined;
    readonly droppedLines: number;
  };
  /** How often each part has failed without which the agent shares on, since the start. */
  readonly failures: Readonly<Record<string, number>>;
  /** Why the agent lacks a part of its program until it is started again. */
  readonly missingPart: Problem<'program-replaced'> | undefined;
  /** Why a receiver of reports that the owner configured gets none. */
  readonly undelivered: Problem<'report-undelivered'> | undefined;
  readonly stateProblem: Problem | undefined;
  /**
   * Why there is nothing valid to sign in with. A service that cannot be asked is not a sign-in
   * problem.
   */
  readonly signInProblem: Problem | undefined;
  /** The end of what the device signs in with; undefined where it is not known. */
  readonly signIn: {
    readonly endsAt: Date | undefined;
    /** Why its owner has to act: it ends soon, and the service has not renewed it. */
    readonly ending: Problem<'sign-in-ending'> | undefined;
  };
  readonly registration:
    | { readonly clientId: string; readonly description: string | undefined }
    | undefined;
  readonly registrationProblem: Problem | undefined;
  /** Other clients that the service lists for this very device. */
  readonly secondClient: Problem<'second-client'> | undefined;
  /**
   * The service as seen from here; `isReachable` is undefined before the first answer or failure.
   */
  readonly service: {
    readonly baseUrl: string;
    readonly profile: ProfileName;
    readonly isReachable: boolean | undefined;
    readonly lastContactAt: Date | undefined;
    /** Why the last contact failed; undefined after a good one. */
    readonly lastError: Problem | undefined;
    /** The interval in force, after default, least and most were applied. */
    readonly renewSeconds: number | undefined;
    readonly nextRenewalAt: Date | undefined;
    /** How many requests ended how since the start: `ok`, or the code of the error. */
    readonly requests: Readonly<Record<string, number>>;
  };
  /** Each source of consumers' traffic, in their order. */
  readonly sources: readonly SourceFacts[];
  /** What only a WireGuard tunnel has. Whether it is alive is in `sources`, as for every source. */
  readonly tunnel: TunnelFacts;
  /**
   * The mode by every source. `effective` is the one that is enforced here; undefined before it was
   * first decided.
   */
  readonly provide: {
    readonly configured: ProvideMode;
    readonly scheduled: ProvideMode | undefined;
    /** Without `until` the override holds until it is cleared. */
    readonly override: { readonly mode: ProvideMode; readonly until: Date | undefined } | undefined;
    readonly effective: ProvideMode | undefined;
    readonly confirmed: ProvideMode | undefined;
    /** Why the agent itself sets the mode to none, whatever the owner's mode is. */
    readonly pause: Problem<'cap-reached' | 'clock-unset'> | undefined;
    /** Why nothing passes: the service has a wider mode than the one that is wanted. */
    readonly wider: Problem<'mode-not-applied'> | undefined;
    /** Why the service does not accept the mode, which is enforced here nevertheless. */
    readonly confirmationProblem: Problem | undefined;
    /** undefined without a limit, and before it was first decided. */
    readonly lineLimit: LineLimit | undefined;
    /**
     * How far sharing yields to the household: the rate that is left for it, each way. undefined
     * where only the owner's limit holds.
     */
    readonly household: {
      readonly mode: 'first' | 'off';
      readonly bitsPerSecond: number | undefined;
      /**
       * The rate without yielding, which is the owner's limit or the line's, whichever is smaller;
       * undefined while unknown.
       */
      readonly ceilingBitsPerSecond: number | undefined;
      readonly yieldingSince: Date | undefined;
      /** How often sharing began to yield since the start. */
      readonly yields: number;
      /** Whom delays on the line were measured to last; undefined before that. */
      readonly measuredTo: LinePlace | undefined;
      /** Why delays are not measured by ping; undefined where they are, and while unknown. */
      readonly pingProblem: PingProblem | undefined;
    };
  };
  /** The forwarding as observed. */
  readonly gateway: {
    readonly isEnabled: boolean;
    /** True while the permit is valid and consumers' traffic is forwarded. */
    readonly isOpen: boolean;
    readonly uplink: string | undefined;
    /** Since when no uplink was found; undefined with one, and before the first look. */
    readonly uplinkMissingSince: Date | undefined;
    /** Why consumers' packets do not leave by the uplink, and are refused. */
    readonly wayProblem?: Problem<'not-uplink'> | undefined;
    /** How a limit on the line is held; undefined before the first pass. */
    readonly lineHeldBy: 'one-tree' | 'two-trees' | 'policer' | undefined;
    /**
     * All bytes ever forwarded by this device: `up` goes to the Internet, `down` comes back.
     * undefined before the first reading.
     */
    readonly forwardedBytes: { readonly up: number; readonly down: number } | undefined;
    /** undefined without a silence, before the first look, and without a ledger. */
    readonly silence: Silence | undefined;
    /** Public IPv4 addresses of the home; undefined before the first answer. */
    readonly outsideAddresses?: readonly string[] | undefined;
    readonly outsideProblem: Problem | undefined;
    /** What the kernel tracks in the agent's network; undefined before the first look. */
    readonly connections: number | undefined;
    /** Why a table of connections is almost full, or keeps them for too long. */
    readonly connectionsProblem: Problem | undefined;
    /** Why a list of denied or bad addresses cannot be read now, or not all of it. */
    readonly listProblem: Problem | undefined;
    /** Counted since the agent's table was made; undefined before the first reading. */
    readonly refusedPackets: Readonly<Record<string, number>> | undefined;
    readonly problem: Problem | undefined;
    readonly selfTest: SelfTestFacts;
  };
  /**
   * What counts against the cap in this period; `capBytes` and `resetsAt` are undefined without a
   * cap.
   */
  readonly usage: {
    readonly periodStart: Date | undefined;
    readonly bytes: number;
    readonly capBytes: number | undefined;
    /** `line` counts both ways, as an Internet provider does that counts both. */
    readonly counts: 'share' | 'line';
    /** Since when new connections are refused because the cap is almost used up. */
    readonly endingSince: Date | undefined;
    readonly resetsAt: Date | undefined;
    /**
     * When the cap will be reached at the pace of this period; undefined where that cannot be told
     * or will not happen.
     */
    readonly reachedAt?: Date | undefined;
  };
  /** The service's own statistics of this client; undefined before they were first read. */
  readonly serviceFigures: ServiceFigures | undefined;
  /** For payouts; undefined before it was first read, and where no source needs it. */
  readonly provided: Provided | undefined;
  /** Earnings by the service's figures; undefined before the service named a payout. */
  readonly earned: Earned | undefined;
}
