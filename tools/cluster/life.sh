# shellcheck shell=bash
# How a cluster of tools/minicluster comes up and goes, whole and host by host.

# Prints why this machine cannot be a cluster, and nothing when it can.
what_is_missing() {
  local program
  [ "$(id -u)" = 0 ] || { echo "it takes root"; return; }
  for program in slurmctld slurmd srun munged ip nsenter unshare setsid pgrep mount; do
    command -v "$program" >/dev/null || { echo "$program is missing: tools/packages.sh install cluster"; return; }
  done
  unshare --net --uts --pid --ipc --mount --fork --mount-proc \
    sh -c 'hostname minicluster && mount -t tmpfs none /run && ip link add br0 type bridge' 2>&1 |
    sed 's/^/this machine gives no namespaces of its own: /;q'
}

check() {
  local why
  why=$(what_is_missing)
  [ -z "$why" ] || { echo "minicluster: not on this machine: $why" >&2; exit 77; }
}

up() { # N OPTIONS...
  local hosts=${1:-} cpus=4 gpus=0 until_pid='' number
  [[ $hosts =~ ^[1-9][0-9]?$ ]] || usage_error "up takes a number of hosts, 1 to 99"
  shift
  while [ $# -gt 0 ]; do
    [[ ${2:-} =~ ^[0-9]+$ ]] || usage_error "$1 takes a number"
    case $1 in
      --cpus) cpus=$2 ;;
      --gpus) gpus=$2 ;;
      --until) until_pid=$2 ;;
      *) usage_error "up knows no option '$1'" ;;
    esac
    shift 2
  done
  check
  claim
  trap down_unless_up EXIT
  trap 'exit 130' INT TERM HUP
  mkdir -p "$dir"/{etc,hosts,log,spool,state}
  write_configuration "$hosts" "$cpus" "$gpus"
  for ((number = 0; number <= hosts; number++)); do start_host "h$number"; done
  for ((number = 0; number <= hosts; number++)); do wait_for_host "h$number"; done
  make_bridge
  for ((number = 1; number <= hosts; number++)); do plug_in "$number"; done
  start_slurm "$hosts"
  if [ -n "$until_pid" ]; then
    setsid "$self" --dir "$dir" down-after "$until_pid" </dev/null >/dev/null 2>&1 &
    echo $! >"$dir/watcher"
    disown $!
  fi
}

down_unless_up() {
  local status=$?
  [ $status = 0 ] || down
  exit $status
}

# Makes DIR this cluster's, or says whose it is. What a dead cluster has left there goes.
claim() {
  local name
  if mkdir "$dir" 2>/dev/null; then
    echo "process $PPID of $(id -un), $(date '+%F %T')" >"$dir/owner"
    return
  fi
  [ -e "$dir/owner" ] || fail "$dir is there and is no cluster; --dir names another folder"
  for name in $(names); do
    ! is_up "$name" || fail "there is a cluster in $dir, brought up by $(cat "$dir/owner"); down ends it, --dir DIR is another"
  done
  down
  claim
}

down() {
  local name holder pid watcher
  [ -e "$dir/owner" ] || return 0
  for name in $(names); do
    holder=$(cat "$dir/hosts/$name/holder" 2>/dev/null) || continue
    is_holder "$holder" || continue
    # The kernel ends every process of a host with its process 1; network and mounts go with the last.
    pid=$(pgrep -P "$holder") && kill -KILL "$pid" 2>/dev/null
    kill -KILL "$holder" 2>/dev/null || true
    while is_holder "$holder"; do sleep 0.02; done
  done
  watcher=$(cat "$dir/watcher" 2>/dev/null) || watcher=$$
  rm -rf "$dir"
  while [ "$watcher" != $$ ] && is_ours "$watcher" down-after; do
    kill -KILL -- "-$watcher" 2>/dev/null || true
    sleep 0.02
  done
}

# A cluster that belongs to a process which may be killed: it is taken down when that process is gone.
down_after() { # PID
  local owner
  owner=$(cat "$dir/owner")
  tail --pid="$1" -f /dev/null
  [ "$(cat "$dir/owner" 2>/dev/null)" != "$owner" ] || down
}

crash() { # HOST
  local pid
  pid=$(pid_of "$1") || fail "there is no host $1 up in $dir"
  kill -KILL "$pid"
  while is_up "$1"; do sleep 0.02; done
}

# Slurm takes a host that went and came within SlurmdTimeout for one that never was away, and jobs hang on it.
boot() { # HOST
  local deadline=$((SECONDS + up_deadline_s))
  is_compute_host "$1" || fail "there is no host $1 in $dir that could be booted"
  ! is_up "$1" || fail "$1 is up"
  enter h0 scontrol update nodename="$1" state=down reason=crash
  start_host "$1"
  wait_for_host "$1"
  ip_of h0 link del "v${1#h}" 2>/dev/null || true
  plug_in "${1#h}"
  start_slurmd "$1"
  until enter h0 sinfo -h -N -n "$1" -t idle,alloc,mix,comp -o %N | grep -q .; do
    [ $SECONDS -lt $deadline ] || fail "$1 did not join Slurm in $up_deadline_s s; its logs are in $dir/log"
    sleep 0.1
  done
}

link_host() { # HOST up|down
  is_compute_host "${1:-}" || usage_error "link takes a host other than h0"
  [[ ${2:-} =~ ^(up|down)$ ]] || usage_error "link takes up or down"
  ip_of h0 link set "v${1#h}" "$2"
}
