"""as-a-unit.py PROGRAM [ARGUMENT...]: runs it with the system calls refused that systemd refuses the project's units
(SystemCallFilter=~@privileged @resources, then setuid setresuid setresgid capset; SystemCallErrorNumber=EPERM): those of them that a program
comes by easily."""
import ctypes
import errno
import os
import struct
import sys

# By asm/unistd.h; arm64 has no calls of its own for names without an open folder.
REFUSED = {
    "x86_64": {
        "chown": 92, "fchown": 93, "lchown": 94, "fchownat": 260, "setreuid": 113, "setgroups": 116,
        "setfsuid": 122, "setpriority": 141, "sched_setparam": 142,
        "sched_setscheduler": 144, "setrlimit": 160, "chroot": 161, "sched_setaffinity": 203, "ioprio_set": 251,
    },
    "aarch64": {
        "ioprio_set": 30, "chroot": 51, "fchownat": 54, "fchown": 55, "sched_setparam": 118,
        "sched_setscheduler": 119, "sched_setaffinity": 122, "setpriority": 140, "setreuid": 145,
        "setfsuid": 151, "setgroups": 159, "setrlimit": 164,
    },
}
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2

numbers = list(REFUSED[os.uname().machine].values())
steps = [(LOAD, 0, 0, 0)]
steps += [(JUMP_IF_EQUAL, len(numbers) - place, 0, number) for place, number in enumerate(numbers)]
steps += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, FAIL | errno.EPERM)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))

library = ctypes.CDLL(None, use_errno=True)
for arguments in [(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)]:
    if library.prctl(*arguments) != 0:
        sys.exit(f"as-a-unit: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[1], sys.argv[1:])
