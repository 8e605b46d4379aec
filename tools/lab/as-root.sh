# as-root.sh, to be sourced: `as_root` is what a command that needs root begins with, as it is printed for a person to run.
# Nothing for root; "sudo " where there is sudo; else the word that somebody has to be root.
if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo "
else
  as_root="as root: "
fi
