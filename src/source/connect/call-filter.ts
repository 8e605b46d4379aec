import { endianness } from 'node:os';

/** Numbers of calls of the kernel, which differ between processors. */
export interface CallNumbers {
  readonly capset: number;
  readonly prctl: number;
  /** The kernel's name for the processor that a call was made for (AUDIT_ARCH). */
  readonly audit: number;
  readonly socket: number;
  /** What the engine is refused altogether. */
  readonly refused: readonly number[];
}

/** One instruction of the kernel's packet filter: what it does, two ways to jump, and a value. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const give = 0x06;
/** Offsets in what the kernel shows of a call. */
const numberAt = 0;
const auditAt = 4;
const firstArgumentAt = { LE: 16, BE: 20 } as const;
const allow = 0x7fff0000;
/** As if the right to it was missing: EPERM. */
const refuse = 0x00050001;
/** Above it are the calls of x32, the other way into the same kernel on x86-64. */
const otherWays = 0x40000000;
/** AF_INET and AF_INET6. */
const families = [2, 10] as const;

/**
 * A filter for the calls of a process (seccomp) that leaves it sockets of the Internet's protocols
 * alone. Otherwise the sockets of the agent, and of whatever else runs as the same user, would be
 * open to it, because Landlock knows no rule for them. What is open already goes on.
 *
 * The queue of calls (io_uring) makes sockets that no filter sees, and a pair of sockets sends to
 * any other, so both are refused. So is what changes the rights to a file, which Landlock knows no
 * rule for either.
 */
export function toCallFilter(
  { audit, socket, refused }: CallNumbers,
  order: ReturnType<typeof endianness> = endianness(),
): readonly Instruction[] {
  // The end: allow, look at the family, refuse, allow. Jumps are counted from the next instruction.
  const atFamily = refused.length + 1;
  const atRefusal = atFamily + families.length + 1;
  return [
    [load, 0, 0, auditAt],
    [jumpIfEqual, 0, atRefusal + 3, audit],
    [load, 0, 0, numberAt],
    [jumpIfAtLeast, atRefusal + 1, 0, otherWays],
    [jumpIfEqual, atFamily, 0, socket],
    ...refused.map((number, at): Instruction => [jumpIfEqual, atRefusal - at - 1, 0, number]),
    [give, 0, 0, allow],
    [load, 0, 0, firstArgumentAt[order]],
    ...families.map((family, at): Instruction => [jumpIfEqual, families.length - at, 0, family]),
    [give, 0, 0, refuse],
    [give, 0, 0, allow],
  ];
}
