import { includesIpv6 } from '../../lib/addresses.ts';
import type { Exec } from '../../system/exec.ts';
import type { Interface } from '../../system/ip.ts';
import { toObservedDevice } from '../observed-device.ts';
import { connectOverheadBytes } from '../packet-bytes.ts';
import {
  type DeviceStep,
  type ObservedDevice,
  type SourceDriver,
  toPresent,
  type WantedDevice,
} from '../source.ts';
import type { EngineUser } from './engine-user.ts';

/** What the device needs beside what every source's device has. */
export interface EngineDevice {
  /** Who attaches to it. */
  readonly user: Pick<EngineUser, 'uid' | 'name'>;
}

/** The device as observed. */
export type ObservedEngineDevice =
  | { readonly kind: 'absent' }
  | (ObservedDevice & {
      readonly kind: 'present';
      /** True where it is a TUN device with virtio headers. */
      readonly takesOffloads: boolean;
      /** Who may attach to it, as `ip` prints it; undefined for root alone. */
      readonly user: string | undefined;
      /** Packets that wait for the engine; undefined where nobody knows. */
      readonly queueLength: number | undefined;
    });

/** One command of `ip`, and what it does in words. */
interface EngineDeviceStep {
  readonly doing: string;
  readonly args: readonly string[];
}

/** Makes the TUN device that the engine attaches to. */
export type EngineDriver = SourceDriver<EngineDevice, ObservedEngineDevice, EngineDeviceStep>;

export const connectName = 'connect';

/**
 * In bytes. No packet to a consumer is longer than 1,100: the engine cuts what the kernel hands
 * over, and connections are told so. The device itself takes what any path brings.
 */
const consumersMtu = 1100;
const deviceMtu = 1500;
/**
 * A packet that finds so many waiting for the engine is lost. On a busy machine the engine may have
 * to wait for a tenth of a second: the kernel's own 500 packets are too few for twenty downloads
 * then, and each of them loses some.
 */
const deviceQueue = 2000;

/** The wish for a device with these addresses. */
export function wantEngineDevice(
  device: string,
  addresses: readonly string[],
  settings: EngineDevice,
): WantedDevice<EngineDevice> {
  return {
    kind: 'present',
    device,
    addresses: addresses.map((address) => ({ family: includesIpv6([address]) ? 6 : 4, address })),
    mtu: consumersMtu,
    // What the engine sends are connections of its own program.
    outer: undefined,
    overheadBytes: connectOverheadBytes,
    settings,
  };
}

/** @param consumers the prefixes that consumers' addresses lie in */
export function createEngineDriver(
  exec: Exec,
  { device, consumers }: { readonly device: string; readonly consumers: readonly string[] },
): EngineDriver {
  return {
    name: connectName,
    device,
    consumers,
    fit(wish, { hasIpv6 }) {
      const present = toPresent(wish);
      if (present === undefined || hasIpv6) return { wish, missing: undefined };
      const addresses = present.addresses.filter(({ family }) => family === 4);
      return { wish: { ...present, addresses }, missing: 'ipv6' };
    },
    observe: async (interfaces) => observe(interfaces.find(({ name }) => name === device)),
    plan(wish, observed) {
      switch (wish.kind) {
        case 'untouched':
          return [];
        case 'absent':
          return planRemoval(device, observed);
        case 'present':
          return planPresent(wish, observed);
        default:
          return wish satisfies never;
      }
    },
    async apply(steps) {
      for (const { step } of steps) await exec({ program: 'ip', ...step });
    },
    show: ({ step }) => [['ip', ...step.args].join(' ')],
    findRenamed(wish, interfaces) {
      const present = toPresent(wish);
      return present && findRenamed(present, interfaces);
    },
  };
}

/** True where the engine can attach to the device that was observed. */
export function fitsEngine({ user }: EngineDevice, observed: ObservedEngineDevice): boolean {
  if (observed.kind === 'absent' || !observed.takesOffloads) return false;
  return observed.user === String(user.uid) || observed.user === user.name;
}

function observe(link: Interface | undefined): ObservedEngineDevice {
  const device = toObservedDevice(link);
  if (link === undefined || device.kind === 'absent') return { kind: 'absent' };
  return {
    ...device,
    takesOffloads: link.tun?.hasVnetHeader === true,
    user: link.tun?.user,
    queueLength: link.tun?.queueLength,
  };
}

type Step = DeviceStep<EngineDeviceStep>;

function planRemoval(device: string, observed: ObservedEngineDevice): readonly Step[] {
  if (observed.kind === 'absent') return [];
  return [toStep('remove', `removing the interface ${device}`, `link delete ${device}`)];
}

const newDevice: Omit<
  ObservedEngineDevice & { readonly kind: 'present' },
  'takesOffloads' | 'user'
> = { kind: 'present', isUp: false, mtu: 0, addresses: [], queueLength: 0 };

/** A device that the engine cannot attach to is made again: nothing of it can be changed. */
function planPresent(
  { device, addresses, settings }: WantedDevice<EngineDevice>,
  observed: ObservedEngineDevice,
): readonly Step[] {
  const isFitting = fitsEngine(settings, observed);
  const making = `tuntap add dev ${device} mode tun vnet_hdr user ${settings.user.uid}`;
  const found = isFitting && observed.kind === 'present' ? observed : newDevice;
  const wanted = addresses.map(({ address }) => address);
  const add = (address: string) =>
    // A single address makes no connected route: only the gateway's own table leads into it.
    toStep(
      'change',
      `adding ${address}`,
      `address add ${toHostPrefix(address)} dev ${device} noprefixroute`,
    );
  const remove = (address: string) =>
    toStep(
      'change',
      `removing address ${address}`,
      `address delete ${toHostPrefix(address)} dev ${device}`,
    );
  return [
    ...(isFitting
      ? []
      : [
          ...planRemoval(device, observed),
          toStep('make', `making the interface ${device}`, making),
        ]),
    ...wanted.filter((address) => !found.addresses.includes(address)).map(add),
    ...found.addresses.filter((address) => !wanted.includes(address)).map(remove),
    ...(found.mtu === deviceMtu
      ? []
      : [toStep('change', `setting the MTU of ${device}`, `link set ${device} mtu ${deviceMtu}`)]),
    ...((found.queueLength ?? deviceQueue) === deviceQueue
      ? []
      : [
          toStep(
            'change',
            `setting the queue of ${device}`,
            `link set ${device} txqueuelen ${deviceQueue}`,
          ),
        ]),
    ...(found.isUp ? [] : [toStep('raise', `bringing ${device} up`, `link set ${device} up`)]),
  ];
}

/** By its kind and its address alone: nothing else of ours has both. */
function findRenamed(
  { device, addresses }: WantedDevice<EngineDevice>,
  interfaces: readonly Interface[],
): string | undefined {
  if (interfaces.some(({ name }) => name === device)) return undefined;
  const ours = addresses.map(({ address }) => address);
  return interfaces.find(
    (own) => own.kind === 'tun' && own.addresses.some(({ address }) => ours.includes(address)),
  )?.name;
}

function toStep(stage: Step['stage'], doing: string, line: string): Step {
  return { stage, step: { doing, args: line.split(' ') } };
}

function toHostPrefix(address: string): string {
  return `${address}/${includesIpv6([address]) ? 128 : 32}`;
}
