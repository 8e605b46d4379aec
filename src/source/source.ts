import type { TributaryError } from '../errors/codes.ts';
import type { Interface } from '../system/ip.ts';

/*
 * A source of consumers' traffic: something that brings packets of consumers to this device, and
 * takes the answers back. Whatever it speaks with the world, here it is one network device. All
 * that comes in by that device meets the fence, and only what the fence lets through leaves by the
 * uplink. Two things feed such a device so far: the kernel's WireGuard (or wireguard-go), and a
 * program that writes packets into a TUN device.
 *
 * What is wanted and what is found are data. What acts on them is a `SourceDriver`; what knows
 * whether anybody is at the other end is a `Source`.
 */

/** Where a source's own packets go, outside: the fence lets its answers in. */
export interface OuterEndpoint {
  readonly protocol: 'ip' | 'ip6';
  readonly address: string;
  /** UDP. What a source speaks by TCP is a connection of its own program's and needs no entry. */
  readonly port: number;
}

/** An address of the device itself, without a prefix. */
export interface SourceAddress {
  readonly family: 4 | 6;
  readonly address: string;
}

/** A device that is to be there. */
interface WantedDevice<Settings = unknown> {
  readonly kind: 'present';
  readonly device: string;
  /** At least one. IPv6 is carried where one of them is IPv6. */
  readonly addresses: readonly SourceAddress[];
  /** Bytes. Forwarded connections are told to stay below it. */
  readonly mtu: number;
  readonly outer: OuterEndpoint | undefined;
  /** Bytes that the source puts around each packet of a consumer on the uplink. */
  readonly overheadBytes: number;
  /** What the source's own driver needs to make the device; nobody else looks into it. */
  readonly settings: Settings;
}

/**
 * What a source wants of the machine. `absent` is tear-down; `untouched` leaves the device as it is
 * as long as nothing better is known (a name that does not resolve now). Data: it can be compared,
 * logged and printed.
 */
export type SourceWish<Settings = unknown> =
  | { readonly kind: 'absent' | 'untouched'; readonly device: string }
  | WantedDevice<Settings>;

/** What the machine gives a device to run on. */
export interface Ground {
  readonly hasIpv6: boolean;
  /** Bytes; undefined where there is no uplink. */
  readonly uplinkMtu: number | undefined;
}

/** What a source wants, as far as this machine allows it. */
export interface FittedWish<Settings = unknown> {
  readonly wish: SourceWish<Settings>;
  /** Its IPv6 address, or anything at all; undefined: it has all of it. */
  readonly missing: 'ipv6' | 'everything' | undefined;
}

/** A device as it is found. What a driver finds besides is its own, and only it reads that. */
export type ObservedDevice =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'present';
      readonly isUp: boolean;
      readonly mtu: number;
      /** Link-local addresses are left out. */
      readonly addresses: readonly string[];
    };

/**
 * One change to a device. `make` creates it, down; `change` sets it up while nothing can come
 * through a new one; `raise` brings it up; `remove` takes it away.
 */
export interface DeviceStep<Step = unknown> {
  readonly stage: 'remove' | 'make' | 'change' | 'raise';
  readonly step: Step;
}

/**
 * Makes a source's device what is wanted. The data path calls `observe`, `plan`, then `apply` for
 * all steps but those that raise, closes the fence around a device that was made, and applies the
 * rest. Every call may be repeated, and a list may be cut short anywhere: the next plan goes on
 * from there. Only a step that raises brings a device up.
 */
export interface SourceDriver<
  Settings = unknown,
  Observed extends ObservedDevice = ObservedDevice,
  Step = unknown,
> {
  /** Unique among the sources: `wireguard`. Shown to the owner. */
  readonly name: string;
  /** Its device. Never changes while the agent runs. */
  readonly device: string;
  /**
   * Private prefixes that the addresses of its consumers lie in: answers to these go to its device,
   * and only that device may bring packets from them. undefined: its consumers may have any other
   * address, which one source at most may say. Never changes while the agent runs.
   */
  readonly consumers: readonly string[] | undefined;
  /** Pure. Leaves out what this machine cannot carry. */
  fit(wish: SourceWish<Settings>, ground: Ground): FittedWish<Settings>;
  /** @throws missing-program */
  observe(interfaces: readonly Interface[]): Promise<Observed>;
  /** Pure. Nothing where the device is as it is wanted. */
  plan(wish: SourceWish<Settings>, observed: Observed): readonly DeviceStep<Step>[];
  /** In this order. @throws command-failed, tunnel-failed, state-unwritable, missing-program */
  apply(steps: readonly DeviceStep<Step>[]): Promise<void>;
  /** Pure. A step as the owner would type it, a line each; secrets are hidden. */
  show(step: DeviceStep<Step>): readonly string[];
  /**
   * Pure. The name that the device goes by now, where another program renamed it; undefined: it is
   * not there under another name.
   */
  findRenamed(wish: SourceWish<Settings>, interfaces: readonly Interface[]): string | undefined;
}

/** Whether the source's other end is there. */
export interface SourceLife {
  /** Since when: the last sign of life, or the begin of the connection. */
  readonly since: Date;
  /** Until when it counts as alive without another sign; undefined: until the source denies it. */
  readonly until: Date | undefined;
}

/** What a source carried since its device was made, counted at the device. */
interface SourceTraffic {
  /** From consumers. */
  readonly rxBytes: number;
  /** To consumers. */
  readonly txBytes: number;
}

/** What is known of a source now. */
export interface SourceReport {
  /** True while its device is there, and is what it has to be. */
  readonly isThere: boolean;
  /** undefined: it is not alive. */
  readonly life: SourceLife | undefined;
  /** undefined before the first reading, and while there is no device. */
  readonly traffic: SourceTraffic | undefined;
}

/** What a source wants now, and why that is less than it could be. */
export interface SourceWanted<Settings = unknown> {
  readonly wish: SourceWish<Settings>;
  /** Why there is nothing, or only what was there before; undefined: all is well, or comes. */
  readonly problem: TributaryError | undefined;
}

/**
 * A source with its other end, as the agent holds it. Each pass asks `wanted`, hands the wish to
 * the data path, and then gives what was found to `take`. `report` says at any time what is known.
 */
export interface Source<
  Settings = unknown,
  Observed extends ObservedDevice = ObservedDevice,
  Step = unknown,
> {
  readonly driver: SourceDriver<Settings, Observed, Step>;
  /** Never throws for what the service or the network did: that is the problem in the answer. */
  wanted(): Promise<SourceWanted<Settings>>;
  /** Takes what the pass found of its device. */
  take(observed: Observed): void;
  /**
   * Reads again what it counts, between two passes. What was read is known once the answer is
   * called: a pass that came meanwhile knows better.
   * @throws command-failed, missing-program
   */
  sample(): Promise<() => void>;
  /**
   * What follows from what was found, once the pass is through with it: a tunnel is pointed at the
   * new address of its peer.
   * @throws command-failed, missing-program
   */
  settle(): Promise<void>;
  /** What was last known, by the clock of now; asks nothing. */
  report(): SourceReport;
  /**
   * Ends what runs beside the agent for it (a program), for the agent's end. The device is not its
   * concern: the data path removes it.
   */
  close(): Promise<void>;
}

/** True where consumers can be behind a source now. What seems to lie ahead counts as now. */
export function isAlive(life: SourceLife | undefined, now: Date): boolean {
  return life !== undefined && (life.until === undefined || now <= life.until);
}
