# shellcheck shell=bash
# A host of tools/minicluster: its namespaces, its cable, and how to get in. $dir is the cluster, $self the command.

# Runs as process 1 of a host. Everything mounted here is gone with the host.
be_host() { # NAME
  local name=$1
  hostname "$name"
  mount -t tmpfs -o mode=1777 shm /dev/shm
  mount -t tmpfs -o mode=0755 run /run
  mkdir -m 1777 /run/tmp /run/lock
  mkdir -m 0755 /run/munge
  mount --bind "$dir/etc/hosts" /etc/hosts
  ip link set lo up
  touch "$dir/hosts/$name/ready"
  # A shell that waits also takes the exit codes of processes whose parents are gone.
  trap : CHLD
  while :; do sleep 3600 & wait $!; done
}

# The pid, on the machine, of process 1 of a host; fails when the host is not up.
pid_of() { # NAME
  local holder
  holder=$(cat "$dir/hosts/$1/holder" 2>/dev/null) || return
  is_holder "$holder" && pgrep -P "$holder"
}

# Whether a pid is still that of the process of this cluster which was started for that.
is_ours() { # PID VERB
  { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null | grep -qF -- "--dir $dir $2 "
}
is_holder() { is_ours "$1" be-host; } # PID

is_up() { # NAME
  pid_of "$1" >/dev/null
}

is_compute_host() { # NAME
  [[ $1 =~ ^h[1-9][0-9]?$ ]] && [ -d "$dir/hosts/$1" ]
}

names() { # of all hosts, h0 first
  find "$dir/hosts" -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null | sort -V
}

start_host() { # NAME
  local name=$1 host=$dir/hosts/$1
  rm -rf "$host" && mkdir -p "$host"
  setsid unshare --net --uts --pid --ipc --mount --propagation private --fork --kill-child --mount-proc \
    "$self" --dir "$dir" be-host "$name" </dev/null >"$dir/log/$name.log" 2>&1 &
  echo $! >"$host/holder"
  disown $!
}

wait_for_host() { # NAME
  local deadline=$((SECONDS + up_deadline_s))
  until [ -e "$dir/hosts/$1/ready" ]; do
    if ! kill -0 "$(cat "$dir/hosts/$1/holder")" || [ $SECONDS -ge $deadline ]; then
      fail "host $1 did not come up: $(tail -n 3 "$dir/log/$1.log")"
    fi
    sleep 0.02
  done
}

# The cable from h0's bridge to a host.
plug_in() { # NUMBER
  local number=$1
  ip_of h0 link add "v$number" type veth peer name eth0 netns "$(pid_of "h$number")"
  ip_of h0 link set "v$number" master br0 up
  ip_of "h$number" addr add "$subnet.$((10 + number))/24" dev eth0
  ip_of "h$number" link set eth0 up
}

make_bridge() {
  ip_of h0 link add br0 type bridge
  ip_of h0 addr add "$subnet.1/24" dev br0
  ip_of h0 link set br0 up
}

# `ip` in the network of a host and among the processes of the machine, whose numbers name networks.
ip_of() { # NAME ARGUMENTS...
  local pid
  pid=$(pid_of "$1") || fail "there is no host $1 up in $dir"
  shift
  nsenter -t "$pid" -n ip "$@"
}

# Runs a command on a host, in the current folder. Private /run/tmp as TMPDIR, because hosts of two clusters
# have the same names; no binding and yielding, because each host believes that it has core 0 to itself.
enter() { # NAME COMMAND...
  local pid
  pid=$(pid_of "$1") || fail "there is no host $1 up in $dir"
  shift
  TMPDIR=/run/tmp SLURM_CONF=$dir/etc/slurm.conf OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 \
    nsenter -t "$pid" -n -u -p -i -m --wdns="$PWD" -- "$@"
}
