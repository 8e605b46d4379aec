# write_check_unit ROOT COMMAND: the unit that runs COMMAND (bash, in /root) in the machine once it is up, then powers it off.
write_check_unit() {
  units=$1/etc/systemd/system
  mkdir -p "$units/default.target.wants" "$1/root"
  sed "s|COMMAND|$2|" >"$units/check.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
# Its start is over at once, so that the boot is complete while it runs.
Type=exec
ExecStart=/bin/bash -c 'cd /root; COMMAND'
ExecStopPost=/usr/bin/systemctl poweroff --no-block
UNIT
  ln -sf ../check.service "$units/default.target.wants/check.service"
  # A machine of its own, and none that waits for a first-boot wizard.
  : >"$1/etc/machine-id"
}
