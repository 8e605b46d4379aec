/**
 * Lines of perl that attach the open /dev/net/tun in `$tun` to the device `$name`: TUNSETIFF with a
 * TUN without packet information, with virtio headers; TUNSETOFFLOAD with checksums and segments of
 * TCP in both families. They die with the call's name and the kernel's reason.
 */
export const attachScript = `
my $request = pack("a16 s x22", $name, 0x5001);
ioctl($tun, 0x400454ca, $request) or die "TUNSETIFF: $!\\n";
ioctl($tun, 0x400454d0, 0x07) or die "TUNSETOFFLOAD: $!\\n";
`;
