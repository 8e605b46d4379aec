import type { LineLimit } from '../provide/line-limit.ts';
import type { ProfileName, ProvideMode } from '../service/profiles.ts';
import type { HandshakeFacts } from '../source/wireguard/fresh-handshake.ts';
import type { Backend } from '../source/wireguard/state.ts';
import type { Problem } from './problem.ts';
import type { Earned, ServiceFigures } from './service-figures.ts';

/** Time in which the device provided and not one byte was forwarded, as the ledger counts it. */
export interface Silence {
  readonly since: Date;
  readonly providingSeconds: number;
  /** What was ever forwarded; once more than this is, the silence is over. */
  readonly totalBytes: number;
}

/** How the fence did when the agent tried it with packets of its own. */
export interface SelfTestFacts {
  /** undefined before it was first tried. */
  readonly lastHeldAt: Date | undefined;
  /**
   * What must be refused was not, or the probes vanish where they came through before: nothing may
   * be forwarded.
   */
  readonly failure: Problem | undefined;
  readonly note: Problem | undefined;
}

/**
 * Everything that the status, the page, the metrics and the health check are made from; nobody else
 * computes a phase.
 */
export interface Facts {
  readonly version: string;
  readonly startedAt: Date;
  readonly stoppingSince: Date | undefined;
  /** The owner's (`provide.time_zone`); undefined: the system's. */
  readonly timeZone: string | undefined;
  readonly residentBytes: number;
  /** A reload that was refused; the configuration before it is in force. */
  readonly configurationProblem: Problem | undefined;
  readonly stateProblem: Problem | undefined;
  /** Nothing valid to sign in with. A service that cannot be asked is not this. */
  readonly signInProblem: Problem | undefined;
  readonly registration:
    | { readonly clientId: string; readonly description: string | undefined }
    | undefined;
  readonly registrationProblem: Problem | undefined;
  /**
   * The service as seen from here; `isReachable` is undefined before the first answer or failure.
   */
  readonly service: {
    readonly baseUrl: string;
    readonly profile: ProfileName;
    readonly isReachable: boolean | undefined;
    readonly lastContactAt: Date | undefined;
    /** Why the last contact failed; undefined when it went well. */
    readonly lastError: Problem | undefined;
    /** The interval in force, after default, floor and ceiling. */
    readonly keepaliveSeconds: number | undefined;
    readonly nextKeepaliveAt: Date | undefined;
  };
  /** The WireGuard interface as observed; `backend` is undefined while there is no interface. */
  readonly tunnel: HandshakeFacts & {
    readonly interface: string;
    readonly backend: Backend | undefined;
    readonly endpoint: string | undefined;
    /** Both undefined before the first reading, and while there is no tunnel. */
    readonly rxBytes: number | undefined;
    readonly txBytes: number | undefined;
    readonly problem: Problem | undefined;
    /** What the tunnel does without; it works all the same. */
    readonly shortfall: Problem | undefined;
  };
  /**
   * The mode by every source; `effective` is what is enforced here, undefined before it was first
   * decided.
   */
  readonly provide: {
    readonly configured: ProvideMode;
    readonly scheduled: ProvideMode | undefined;
    /** `until` undefined: until it is cleared. */
    readonly override: { readonly mode: ProvideMode; readonly until: Date | undefined } | undefined;
    readonly effective: ProvideMode | undefined;
    readonly confirmed: ProvideMode | undefined;
    /** Why the agent itself holds the mode at none, whatever the owner's mode is. */
    readonly pause: Problem<'cap-reached'> | undefined;
    /** Why the service does not take the mode; it is enforced here all the same. */
    readonly confirmationProblem: Problem | undefined;
    /** undefined: no limit, or not decided yet. */
    readonly lineLimit: LineLimit | undefined;
    /**
     * How far sharing yields: what is left to it each way; undefined: nothing beyond the owner's
     * limit.
     */
    readonly household: {
      readonly mode: 'first' | 'off';
      readonly bitsPerSecond: number | undefined;
      /**
       * What would be left without it: the owner's limit or the line, the smaller one; undefined:
       * not known yet.
       */
      readonly ceilingBitsPerSecond: number | undefined;
      readonly yieldingSince: Date | undefined;
    };
  };
  /** The forwarding as observed. */
  readonly gateway: {
    readonly isEnabled: boolean;
    /** True while the permit lives and consumers' traffic is forwarded. */
    readonly isOpen: boolean;
    readonly uplink: string | undefined;
    /** Set if the agent looked for an uplink and found none. */
    readonly uplinkMissingSince: Date | undefined;
    /** How a limit on the line is held; undefined before the first pass. */
    readonly lineHeldBy: 'one-tree' | 'two-trees' | 'policer' | undefined;
    /**
     * Ever counted on this device: `up` leaves for the Internet, `down` comes back; undefined
     * before the first reading.
     */
    readonly forwardedBytes: { readonly up: number; readonly down: number } | undefined;
    /** undefined: none, not looked for yet, or no ledger is kept. */
    readonly silence: Silence | undefined;
    readonly outsideProblem: Problem | undefined;
    /** A list of denied destinations that cannot be read now. */
    readonly listProblem: Problem | undefined;
    /** Since the agent's table was made; undefined before the first reading. */
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
    /** `line`: as a provider counts that counts both ways. */
    readonly counts: 'share' | 'line';
    /** Since when new connections are refused, because the cap is almost used up. */
    readonly endingSince: Date | undefined;
    readonly resetsAt: Date | undefined;
    /**
     * When the cap will be reached at the pace of this period; undefined where that cannot be said,
     * or it will not be.
     */
    readonly reachedAt?: Date | undefined;
  };
  /** The service's own statistics of this client; undefined before they were first read. */
  readonly serviceFigures: ServiceFigures | undefined;
  /** By the service's figures; undefined before it said anything of a payout. */
  readonly earned: Earned | undefined;
}
