import type {
  DeviceStep,
  ObservedDevice,
  SourceDriver,
  SourceWish,
} from '../../../../src/source/source.ts';
import type { Exec } from '../../../../src/system/exec.ts';

/** One command of `ip`, and what it does. */
interface ProgramStep {
  readonly doing: string;
  readonly args: readonly string[];
}

export interface ProgramSettings {
  readonly device: string;
  /** Prefixes of its consumers, one of each family. */
  readonly consumers: readonly string[];
}

/** What a program wants whose device has these addresses. */
export function wantProgram(device: string, addresses: readonly string[]): SourceWish {
  return {
    kind: 'present',
    device,
    addresses: addresses.map((address) => ({ family: address.includes(':') ? 6 : 4, address })),
    mtu: 1400,
    outer: undefined,
    overheadBytes: 100,
    settings: undefined,
  };
}

/**
 * The second source, which only tests have: a TUN device that a program feeds. It has no tunnel, no
 * handshake and no end that the fence has to let in.
 */
export function createProgramDriver(
  exec: Exec,
  { device, consumers }: ProgramSettings,
): SourceDriver<unknown, ObservedDevice, ProgramStep> {
  return {
    name: 'program',
    device,
    consumers,
    fit(wish, { hasIpv6 }) {
      if (wish.kind !== 'present' || hasIpv6) return { wish, missing: undefined };
      const addresses = wish.addresses.filter(({ family }) => family === 4);
      return { wish: { ...wish, addresses }, missing: 'ipv6' };
    },
    async observe(interfaces) {
      const link = interfaces.find(({ name }) => name === device);
      if (link === undefined) return { kind: 'absent' };
      const addresses = link.addresses.map(({ address }) => address);
      return {
        kind: 'present',
        isUp: link.isUp,
        mtu: link.mtu,
        addresses: addresses.filter((address) => !address.startsWith('fe80:')),
      };
    },
    plan(wish, observed) {
      switch (wish.kind) {
        case 'untouched':
          return [];
        case 'absent':
          return observed.kind === 'absent' ? [] : [toStep('remove', `link delete ${device}`)];
        case 'present':
          return planDevice(wish, observed);
        default:
          return wish satisfies never;
      }
    },
    async apply(steps) {
      for (const { step } of steps) await exec({ program: 'ip', ...step });
    },
    show: ({ step }) => [['ip', ...step.args].join(' ')],
    findRenamed: () => undefined,
  };
}

function planDevice(
  wish: SourceWish & { readonly kind: 'present' },
  observed: ObservedDevice,
): readonly DeviceStep<ProgramStep>[] {
  const { device, mtu } = wish;
  const found =
    observed.kind === 'present' ? observed : { isUp: false, mtu: 0, addresses: [] as string[] };
  const wanted = wish.addresses.map(({ address }) => address);
  const prefix = (address: string) => `${address}/${address.includes(':') ? 128 : 32}`;
  return [
    ...(observed.kind === 'absent' ? [toStep('make', `tuntap add dev ${device} mode tun`)] : []),
    ...wanted
      .filter((address) => !found.addresses.includes(address))
      .map((address) =>
        toStep('change', `address add ${prefix(address)} dev ${device} noprefixroute`),
      ),
    ...found.addresses
      .filter((address) => !wanted.includes(address))
      .map((address) => toStep('change', `address delete ${prefix(address)} dev ${device}`)),
    ...(found.mtu === mtu ? [] : [toStep('change', `link set ${device} mtu ${mtu}`)]),
    ...(found.isUp ? [] : [toStep('raise', `link set ${device} up`)]),
  ];
}

function toStep(stage: DeviceStep['stage'], line: string): DeviceStep<ProgramStep> {
  return { stage, step: { doing: `ip ${line}`, args: line.split(' ') } };
}
