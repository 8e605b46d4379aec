# A world with two boards, each a network namespace for a machine to boot in: sourced on a stage (stage.sh).
#   board-1 eth0 192.168.71.10 -- 192.168.71.1 internet (the rest: world.sh)
#   board-2 eth0 192.168.72.10 -- 192.168.72.1 internet
. "$(dirname "$0")/world.sh"

make_world
for number in 1 2; do
  board=board-$number
  ip netns add $board && ip -netns $board link set lo up
  ip link add eth0 netns $board type veth peer name to-$board netns internet
  ip -netns internet address add 192.168.7$number.1/24 dev to-$board && ip -netns internet link set to-$board up
  ip -netns $board address add 192.168.7$number.10/24 dev eth0 && ip -netns $board link set eth0 up
  ip -netns $board route add default via 192.168.7$number.1
done
