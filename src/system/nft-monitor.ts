/*
 * `nft monitor` keeps every element of every set of the network namespace in memory: 84 MB for
 * 64,000 denied prefixes. What the agent wants to know is only which table a transaction touched,
 * and the transaction's number. These lines of perl read that from the kernel and keep nothing.
 *
 * From linux/netlink.h, linux/netfilter/nfnetlink.h and nf_tables.h: family 16 with the protocol
 * NETLINK_NETFILTER (12), group NFNLGRP_NFTABLES (bit 6). Each message has a header of 16 bytes
 * (length, type), then 4 bytes that begin with the table's family (`inet` is 1), then attributes;
 * the first names the table, in NFT_MSG_NEWGEN (15) it is the number. Socket option 33 is
 * SO_RCVBUFFORCE: a list of thousands of prefixes comes as a burst. Where some of it was lost all
 * the same, NFT_MSG_GETGEN (16) asks for the present number, which shows how much.
 */
/** Printed where the kernel had more to tell than it kept for the listener. */
export const lostLine = 'something was lost';

/**
 * Printed, with the name of a table behind it, at the packet that uses a quota of the table up. The
 * kernel sends NFT_MSG_NEWOBJ (18) then, of no program and of no transaction, with the packet's
 * family. nft's own monitor does not show that it is one.
 */
export const usedUpLine = 'a quota is used up in';

/** EINTR and ENOBUFS, by number: not every perl comes with the module that knows them by name. */
const interrupted = 4;
const overrun = 105;

const script = `
$| = 1;
socket(my $kernel, 16, 3, 12) or die "socket: $!\\n";
setsockopt($kernel, 1, 33, pack("i", 4194304));
bind($kernel, pack("S S L L", 16, 0, 0, 64)) or die "bind: $!\\n";
my %told;
while (1) {
  if (!defined recv($kernel, my $bytes, 65536, 0)) {
    next if $! == ${interrupted};
    $! == ${overrun} or die "recv: $!\\n";
    print "${lostLine}\\n";
    send($kernel, pack("L S S L L C C n", 20, 0xa10, 1, 0, 0, 0, 0, 0), 0);
  } else {
    while (length $bytes >= 24) {
      my ($length, $type, $sender) = unpack("L S x6 L", $bytes);
      last if $length < 20;
      my ($family, $size) = unpack("C x3 S", substr($bytes, 16));
      my $value = substr($bytes, 24, $size - 4);
      substr($bytes, 0, ($length + 3) & ~3) = "";
      next if $type >> 8 != 10;
      if (($type & 255) == 15) {
        print "# new generation ", unpack("N", $value), "\\n";
        %told = ();
        next;
      }
      $value =~ s/\\0.*//s;
      if (($type & 255) == 18 && $sender == 0) {
        print "${usedUpLine} $value\\n";
        next;
      }
      my $table = ($family == 1 ? "inet" : "family$family") . " $value";
      print "message about $table\\n" unless $told{$table}++;
    }
  }
}
`;

/**
 * Prints a line for each table that a transaction of nft touched, `message about inet tributary`,
 * and at its end the kernel's number of it, `# new generation 7`, which begins as in `nft monitor`.
 * Where there is no perl, that monitor is taken, with all that it keeps.
 */
export const nftMonitor = {
  program: 'sh',
  args: ['-c', 'command -v perl > /dev/null && exec perl -e "$1"; exec nft monitor', 'sh', script],
} as const;
