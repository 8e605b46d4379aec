import type { CallNumbers } from './call-filter.ts';

/**
 * Calls with the same number on every processor: io_uring_setup, then fchmodat2, setxattrat and
 * file_setattr, which are younger than many a kernel.
 */
const everywhere = [425, 452, 463, 469];

/**
 * Refused, in each row: socketpair, and socketcall where there is one; then those that change who
 * may read a file: fchmod, fchmodat, fchown, fchownat, and chmod, chown and lchown where they are
 * calls of their own; setxattr, lsetxattr and fsetxattr.
 */
const generic = {
  capset: 91,
  prctl: 167,
  socket: 198,
  refused: [199, 52, 53, 55, 54, 5, 6, 7, ...everywhere],
};

/** By the names that Node has for processors. */
export const callNumbers: Readonly<Partial<Record<NodeJS.Architecture, CallNumbers>>> = {
  arm: {
    audit: 0x40000028,
    capset: 185,
    prctl: 172,
    socket: 281,
    refused: [288, 94, 333, 95, 207, 325, 15, 182, 212, 16, 198, 226, 227, 228, ...everywhere],
  },
  arm64: { ...generic, audit: 0xc00000b7 },
  loong64: { ...generic, audit: 0xc0000102 },
  ppc64: {
    // Little-endian: Node has no other there any more.
    audit: 0xc0000015,
    capset: 184,
    prctl: 171,
    socket: 326,
    refused: [333, 102, 94, 297, 95, 289, 15, 181, 16, 209, 210, 211, ...everywhere],
  },
  riscv64: { ...generic, audit: 0xc00000f3 },
  s390x: {
    audit: 0x80000016,
    capset: 185,
    prctl: 172,
    socket: 359,
    refused: [360, 102, 94, 299, 207, 291, 15, 212, 198, 224, 225, 226, ...everywhere],
  },
  x64: {
    audit: 0xc000003e,
    capset: 126,
    prctl: 157,
    socket: 41,
    refused: [53, 91, 268, 93, 260, 90, 92, 94, 188, 189, 190, ...everywhere],
  },
};
