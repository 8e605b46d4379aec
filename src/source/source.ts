import type { TributaryError } from '../errors/codes.ts';
import type { ProvideMode } from '../service/profiles.ts';
import type { Interface } from '../system/ip.ts';
import type { SourceReport } from './source-report.ts';

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

/** The outer address of a source's own packets; the fence lets their answers in. */
export interface OuterEndpoint {
  readonly protocol: 'ip' | 'ip6';
  readonly address: string;
  /**
   * A UDP port. What a source sends by TCP is a connection of its own program and needs no entry.
   */
  readonly port: number;
}

/** An address of the device itself, without a prefix. */
export interface SourceAddress {
  readonly family: 4 | 6;
  readonly address: string;
}

/** A device that has to exist. */
export interface WantedDevice<Settings = unknown> {
  readonly kind: 'present';
  readonly device: string;
  /** At least one. The device carries IPv6 if one of them is an IPv6 address. */
  readonly addresses: readonly SourceAddress[];
  /** In bytes. Forwarded connections are told to stay below it. */
  readonly mtu: number;
  readonly outer: OuterEndpoint | undefined;
  /** Bytes that the source puts around each packet of a consumer on the uplink. */
  readonly overheadBytes: number;
  /** What the source's own driver needs to make the device; no other part reads it. */
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

/** The device that a wish asks for; undefined where it asks for none, or for no change. */
export function toPresent<Settings>(
  wish: SourceWish<Settings>,
): WantedDevice<Settings> | undefined {
  switch (wish.kind) {
    case 'absent':
    case 'untouched':
      return undefined;
    case 'present':
      return wish;
    default:
      return wish satisfies never;
  }
}

/** True where a device that is there now may stay. */
export function keepsDevice(wish: SourceWish): boolean {
  switch (wish.kind) {
    case 'absent':
      return false;
    case 'untouched':
    case 'present':
      return true;
    default:
      return wish satisfies never;
  }
}

/** What the machine offers to a device. */
export interface Ground {
  readonly hasIpv6: boolean;
  /** In bytes; undefined without an uplink. */
  readonly uplinkMtu: number | undefined;
}

/** What a source wants, as far as this machine allows it. */
export interface FittedWish<Settings = unknown> {
  readonly wish: SourceWish<Settings>;
  /** What is missing: its IPv6 address, or all of it; undefined if nothing is. */
  readonly missing: 'ipv6' | 'everything' | undefined;
}

/** A device as observed. What else a driver observes is its own, and only the driver reads it. */
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
  /**
   * Observes the device among these interfaces; changes nothing.
   * @throws command-failed, missing-program
   */
  observe(interfaces: readonly Interface[]): Promise<Observed>;
  /** Pure. The steps to the wanted device; empty if it is as wanted. */
  plan(wish: SourceWish<Settings>, observed: Observed): readonly DeviceStep<Step>[];
  /**
   * Applies the steps in this order.
   * @throws command-failed, tunnel-failed, state-unwritable, missing-program
   */
  apply(steps: readonly DeviceStep<Step>[]): Promise<void>;
  /** Pure. A step as an owner would type it, one command on each line; secrets are hidden. */
  show(step: DeviceStep<Step>): readonly string[];
  /**
   * Pure. The present name of the device, if another program renamed it; undefined if it is not
   * found under another name.
   */
  findRenamed(wish: SourceWish<Settings>, interfaces: readonly Interface[]): string | undefined;
}

/** What a source wants now, and why that may be less than it should. */
export interface SourceWanted<Settings = unknown> {
  readonly wish: SourceWish<Settings>;
  /**
   * Why the source wants nothing, or only what it had before; undefined if all is well or on its
   * way.
   */
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
  /**
   * True if it is made from the tunnel that the service issues to a registered device. Never
   * changes while the agent runs.
   */
  readonly wantsIssuedTunnel: boolean;
  /**
   * The present wish. What the service or the network did is never thrown; it is the problem in the
   * answer. What is thrown concerns this source alone, and its device stays as it is.
   */
  wanted(): Promise<SourceWanted<Settings>>;
  /** Takes what the pass observed of its device; left out where its driver could not observe it. */
  take(observed: Observed): void;
  /**
   * Reads its counters again, between two passes. The result counts once the returned function is
   * called, because a pass that came meanwhile knows more.
   * @throws command-failed, missing-program
   */
  sample(): Promise<() => void>;
  /**
   * What follows from what was found, once the pass is through with it: a tunnel is pointed at the
   * new address of its peer, and what was counted is written down.
   * @throws command-failed, missing-program, state-unwritable
   */
  settle(): Promise<void>;
  /**
   * Takes the mode that holds from now on, as soon as it is decided and not only with the next
   * pass; undefined before it was first decided. A source that offers this device to consumers, in
   * place of the service, offers it to others now, or to nobody. What has to be done for that goes
   * on beside the caller; nothing is thrown.
   */
  follow(mode: ProvideMode | undefined): void;
  /** What was last known, by the present clock; nothing is asked. */
  report(): SourceReport;
  /**
   * Ends what runs beside the agent for it (a program), for the agent's end: the permit is over by
   * then, and the device is still there. The data path removes it afterwards.
   */
  close(): Promise<void>;
}

/** True if one of these needs the tunnel that the service issues; only then is it asked for. */
export function wantIssuedTunnel(sources: readonly Pick<Source, 'wantsIssuedTunnel'>[]): boolean {
  return sources.some(({ wantsIssuedTunnel }) => wantsIssuedTunnel);
}
