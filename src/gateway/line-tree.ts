/*
 * Every byte of a consumer crosses the owner's line once each way. One tree holds both directions,
 * with a class for each consumer: it is fed by what goes into the tunnel and by what is forwarded
 * out of the uplink.
 */

/**
 * The device that both directions pass through. It is in the agent's own namespace, where no other
 * program has a device of this name.
 */
export const lineDevice = 'tributary-line';
/** The mark of consumers' packets on their way out of the uplink. */
export const lineMark = '0x54';
export const lineClasses = { first: 0x100, count: 128 } as const;

export interface DesiredLine {
  /** Names of the sources' devices that are there. */
  readonly devices: readonly string[];
  readonly uplink: string;
  /** The rate on the owner's line, each way, including the bytes around each packet there. */
  readonly bitsPerSecond: number;
  /** Bytes that the line carries around each packet of a consumer. */
  readonly overheadBytes: number;
  /**
   * The queue of each class: fair among the connections of one consumer, or a plain one where the
   * kernel lacks the fair kind.
   */
  readonly leaf: 'fq_codel' | 'bfifo';
  /** `two-trees`: without such a device, each device and the uplink has its part of the rate. */
  readonly kind: 'one-tree' | 'two-trees';
}

/** Where it is held. */
export type LinePlace = Pick<DesiredLine, 'devices' | 'uplink'>;

const filterPreference = 20;
/** Classic BPF that compares the packet's mark; every kernel's filters know it. */
export const isMarked = `'4,32 0 0 4294963220,21 0 1 ${Number(lineMark)},6 0 0 4294967295,6 0 0 0'`;

/** Questions of `tc` whose answers `matchesLine` reads. */
export function listLineQuestions(line: DesiredLine): readonly string[] {
  const filtered = line.kind === 'one-tree' ? [...line.devices, line.uplink] : [];
  return [
    ...listTreeDevices(line).flatMap((device) => [
      `qdisc show dev ${device}`,
      `class show dev ${device}`,
    ]),
    ...filtered.map((device) => `filter show dev ${device} egress`),
  ];
}

/** True where `tc` shows the tree, its rate and the way into it as `renderLine` would make them. */
export function matchesLine(said: string, line: DesiredLine): boolean {
  const count = (pattern: RegExp) => said.match(pattern)?.length ?? 0;
  const trees = listTreeDevices(line).length;
  const rates = [...said.matchAll(/^class htb 1:2 root rate (\d+)(K|M|G)?bit /gm)].map(
    ([, rate, unit = '']) => Number(rate) * factors[unit as keyof typeof factors],
  );
  const wanted = toTreeBits(line);
  return (
    rates.length === trees &&
    rates.every((rate) => Math.abs(rate - wanted) <= wanted / 50) &&
    count(/^class htb 1:[0-9a-f]+ parent 1:2 leaf /gm) === trees * (lineClasses.count + 1) &&
    count(new RegExp(`^qdisc ${line.leaf} .*parent 1:`, 'gm')) ===
      trees * (lineClasses.count + 1) &&
    (line.kind === 'two-trees' ||
      count(new RegExp(`Egress Redirect to device ${lineDevice}\\) stolen`, 'g')) ===
        line.devices.length + 1)
  );
}

const factors = { '': 1, K: 1e3, M: 1e6, G: 1e9 } as const;

/**
 * Lines for `tc -batch` that make the tree. Nothing of an earlier one may be left, and the device
 * has to be up.
 */
export function renderLine(line: DesiredLine): readonly string[] {
  const { devices, uplink } = line;
  if (line.kind === 'two-trees') {
    // On the uplink, packets without a class are this machine's own and pass beside the tree.
    return [
      ...devices.flatMap((device) => renderTree(device, line)),
      ...renderTree(uplink, line, 0),
    ];
  }
  const redirect = (device: string, match: string) =>
    `filter add dev ${device} egress protocol all pref ${filterPreference} ${match} action mirred egress redirect dev ${lineDevice}`;
  return [
    ...renderTree(lineDevice, line),
    ...devices.map((device) => redirect(device, 'u32 match u32 0 0')),
    redirect(uplink, `bpf bytecode ${isMarked}`),
  ];
}

/**
 * Lines that remove what leads traffic into the tree. Each may fail, because its part may be
 * missing.
 */
export function listLineRemovals(
  { devices, uplink }: LinePlace,
  kind: DesiredLine['kind'],
): readonly string[] {
  return [...devices, uplink].map((device) =>
    kind === 'one-tree'
      ? `filter delete dev ${device} egress protocol all pref ${filterPreference}`
      : `qdisc delete dev ${device} root handle 1: htb`,
  );
}

/**
 * Lines that change the rate, and the plain queues whose length no longer fits it. `queuedFor` is
 * the line that the queues were made for.
 */
export function renderRate(line: DesiredLine, queuedFor: DesiredLine): readonly string[] {
  return listTreeDevices(line).flatMap((device) => [
    `class change ${renderRoot(device, line)}`,
    ...(fitsQueues(line, queuedFor)
      ? []
      : listClasses().map((id) => `qdisc change ${renderLeaf(device, id, line)}`)),
  ]);
}

/** True where plain queues that were made for one rate fit the other. */
export function fitsQueues(line: DesiredLine, queuedFor: DesiredLine): boolean {
  const ratio = toQueueBytes(line) / toQueueBytes(queuedFor);
  return line.leaf !== 'bfifo' || (ratio > 0.6 && ratio < 1.7);
}

function listTreeDevices({ kind, devices, uplink }: DesiredLine): readonly string[] {
  return kind === 'one-tree' ? [lineDevice] : [...devices, uplink];
}

function renderTree(device: string, line: DesiredLine, defaultClass = 3): readonly string[] {
  const terms = `rate 8kbit ceil 10gbit burst 3100 cburst 5000 quantum 1514 overhead ${line.overheadBytes}`;
  return [
    `qdisc add dev ${device} root handle 1: htb default ${defaultClass}`,
    `class add ${renderRoot(device, line)}`,
    ...listClasses().flatMap((id) => [
      `class add dev ${device} parent 1:2 classid 1:${id} htb ${terms}`,
      `qdisc add ${renderLeaf(device, id, line)}`,
    ]),
  ];
}

/**
 * The minor numbers of the classes in hexadecimal; the first is the class for packets of no
 * consumer.
 */
function listClasses(): readonly string[] {
  const own = Array.from({ length: lineClasses.count }, (_, index) => lineClasses.first + index);
  return [3, ...own].map((id) => id.toString(16));
}

function renderLeaf(device: string, id: string, line: DesiredLine): string {
  const queue =
    line.leaf === 'bfifo'
      ? `bfifo limit ${toQueueBytes(line)}`
      : 'fq_codel flows 32 limit 1000 memory_limit 1Mb';
  return `dev ${device} parent 1:${id} handle ${id}: ${queue}`;
}

function renderRoot(device: string, line: DesiredLine): string {
  const bits = toTreeBits(line);
  // A millisecond's worth, so that the kernel's clock need not run for each packet of a fast line.
  const burst = Math.max(5_000, Math.round(bits / 8_000));
  const rate = `rate ${bits}bit ceil ${bits}bit burst ${burst} cburst ${burst} quantum 3028`;
  return `dev ${device} parent 1: classid 1:2 htb ${rate} overhead ${line.overheadBytes}`;
}

function toTreeBits(line: DesiredLine): number {
  return Math.max(8_000, Math.round(line.bitsPerSecond / listTreeDevices(line).length));
}

/** 25 ms of the rate. With less, a few connections would stop each other. */
function toQueueBytes({ bitsPerSecond }: DesiredLine): number {
  return Math.max(30_000, Math.round((bitsPerSecond / 8) * 0.025));
}
