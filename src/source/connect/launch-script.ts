import { attachScript, deviceDescriptor } from './protocol.ts';

/**
 * Lines of perl that become the engine:
 *   CAPSET PRCTL FILTER DEVICE [read:PATH | run:PATH]... -- COMMAND...
 * CAPSET and PRCTL are the numbers of these calls on this processor, FILTER what `toCallFilter`
 * gives. They do what Node cannot: give up every capability, attach to the network device, and give
 * up the file system and most sockets; then they become COMMAND, which finds the device open at the
 * number that the contract with the engine names.
 *
 * Capabilities go first, so that no device can be made here: one that exists and belongs to the
 * user is attached to without any. After `--no-new-privs` no program can have one again, also as
 * root: root in a container may keep its capabilities otherwise, where it is not allowed to change
 * its bounding set.
 *
 * The file system goes by Landlock, whose calls have the same numbers on every processor. From then
 * on this process, and whatever it starts, opens nothing but what is below the named paths, only to
 * read it or to run it, and signals nobody else. What is open stays open. A kernel without Landlock
 * is no reason not to start, and is told; one that has it and refuses is.
 *
 * Sockets go by the filter, last. A kernel without filters (EINVAL, 22) is told as well.
 */
export const launchScript = `
my ($capset, $prctl, $filter, $name) = splice(@ARGV, 0, 4);
my @reach;
while (($_ = shift(@ARGV)) ne "--") { push(@reach, [split(/:/, $_, 2)]) }

my ($call, $whom, $none) = ($capset + 0, pack("L l", 0x20080522, 0), pack("L6", (0) x 6));
syscall($call, $whom, $none) == 0 or die "capset: $!\\n";

$^F = ${deviceDescriptor};
if (open(my $other, "<&=", $^F)) { close($other) }
sysopen(my $tun, "/dev/net/tun", 2) or die "opening /dev/net/tun: $!\\n";
fileno($tun) == $^F or die "opening /dev/net/tun: it is another descriptor\\n";
eval {${attachScript}; 1 } or die "opening the device $name: $@";

my ($create, $add, $restrict) = (444, 445, 446);
my $version = syscall($create, 0, 0, 1);
if ($version > 0) {
  my $handled = $version < 2 ? 0x1fff : $version < 3 ? 0x3fff : $version < 5 ? 0x7fff : 0xffff;
  my $attributes = $version < 6 ? pack("Q", $handled) : pack("QQQ", $handled, 0, 3);
  my $rules = syscall($create, $attributes, length($attributes), 0);
  $rules >= 0 or die "restricting the file system: $!\\n";
  for (@reach) {
    my ($right, $path) = @$_;
    sysopen(my $place, $path, 0) or next;
    my $rights = 4 | (-d $place ? 8 : 0) | ($right eq "run" ? 1 : 0);
    my ($below, $rule) = (1, pack("Q l", $rights, fileno($place)));
    syscall($add, $rules, $below, $rule, 0) == 0 or die "restricting the file system: $path: $!\\n";
  }
  syscall($restrict, $rules, 0) == 0 or die "restricting the file system: $!\\n";
} else {
  print STDERR "this kernel does not restrict what the engine may read (no Landlock: $!)\\n";
}

my $calls = join("", map { pack("SCCL", split(/,/)) } split(/;/, $filter));
my $program = pack("S x![L!] P", length($calls) / 8, $calls);
my ($attach, $by) = ($prctl + 0, 2);
if (syscall($attach, 22, $by, $program) != 0) {
  $! == 22 or die "restricting sockets: $!\\n";
  print STDERR "this kernel does not restrict the engine's sockets (no filter of calls: $!)\\n";
}
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
`;
