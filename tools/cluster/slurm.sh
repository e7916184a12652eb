# shellcheck shell=bash
# Slurm on the hosts of tools/minicluster: its configuration, its daemons, what it says of hosts and jobs.

cgroup_plugin() { # as this Slurm and this machine have it; nothing is put under control of cgroups
  if dpkg --compare-versions "$(slurmd -V | cut -d' ' -f2)" ge 24.05; then
    echo disabled
  elif [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    echo cgroup/v2
  else
    echo cgroup/v1
  fi
}

write_configuration() { # HOSTS CPUS GPUS
  local hosts=$1 cpus=$2 gpus=$3 gres='' number
  [ "$gpus" = 0 ] || gres="Gres=gpu:fake:$gpus"
  {
    echo "127.0.0.1 localhost"
    echo "$subnet.1 h0"
    for ((number = 1; number <= hosts; number++)); do echo "$subnet.$((10 + number)) h$number"; done
  } >"$dir/etc/hosts"
  {
    slurm_conf
    for ((number = 1; number <= hosts; number++)); do
      echo "NodeName=h$number NodeAddr=$subnet.$((10 + number)) CPUs=$cpus RealMemory=1000 $gres State=UNKNOWN"
    done
    echo "PartitionName=normal Nodes=h[1-$hosts] Default=YES MaxTime=INFINITE State=UP PriorityTier=1"
    echo "PartitionName=urgent Nodes=h[1-$hosts] MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF"
  } >"$dir/etc/slurm.conf"
  printf '%s\n' "CgroupPlugin=$(cgroup_plugin)" IgnoreSystemd=yes ConstrainCores=no ConstrainRAMSpace=no \
    >"$dir/etc/cgroup.conf"
  echo "PMIxCliTmpDirBase=/run/tmp" >"$dir/etc/mpi.conf"
  echo "AutoDetect=off" >"$dir/etc/gres.conf"
  if [ "$gpus" != 0 ]; then # Slurm wants devices: these are the null device
    for ((number = 0; number < gpus; number++)); do mknod "$dir/gpu$number" c 1 3; done
    echo "NodeName=h[1-$hosts] Name=gpu Type=fake File=$dir/gpu[0-$((gpus - 1))]" >>"$dir/etc/gres.conf"
  fi
}

# A requeued job waits cred_expire seconds, of which less than 5 count as 120; a host counts as lost after SlurmdTimeout.
slurm_conf() {
  cat <<END
ClusterName=mini
SlurmctldHost=h0($subnet.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=/run/munge/munge.sock,cred_expire=5
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,requeue_delay=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
GresTypes=gpu
MpiDefault=pmix
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
KillWait=5
MessageTimeout=5
SlurmdTimeout=8
TCPTimeout=2
END
}

start_munge() { # HOST
  enter "$1" munged --force --key-file="$dir/munge.key" --socket=/run/munge/munge.sock \
    --pid-file=/run/munge/munged.pid --log-file="$dir/log/munge.$1.log" --seed-file=/run/munge/seed
}

start_slurmd() { # HOST
  start_munge "$1"
  # What a job left there before a crash would stop the same job from starting again.
  rm -rf "$dir/spool/$1" && mkdir -p "$dir/spool/$1"
  enter "$1" slurmd </dev/null >>"$dir/log/$1.log" 2>&1
}

idle_hosts() {
  enter h0 sinfo -h -N -p normal -t idle -o %N 2>/dev/null | sort -u | wc -l
}

slurm_failed() {
  tail -n 4 "$dir"/log/slurmctld.log "$dir/log/slurmd.h1.log" >&2 || true
  # Never tried: where this was written there is cgroup/v1.
  if [ "$(cgroup_plugin)" = cgroup/v2 ]; then
    echo "minicluster: not on this machine: Slurm does not come up with cgroup/v2" >&2
    exit 77
  fi
  fail "Slurm did not come up in $up_deadline_s s"
}

start_slurm() { # HOSTS
  local number deadline=$((SECONDS + up_deadline_s))
  head -c 128 /dev/urandom >"$dir/munge.key"
  chmod 0600 "$dir/munge.key"
  start_munge h0
  enter h0 slurmctld -c -i </dev/null >>"$dir/log/h0.log" 2>&1
  for ((number = 1; number <= $1; number++)); do start_slurmd "h$number" & done
  wait
  until [ "$(idle_hosts)" = "$1" ]; do
    [ $SECONDS -lt $deadline ] || slurm_failed
    sleep 0.05
  done
}

job_state() { # JOB
  enter h0 squeue -h -j "$1" -t all -o %T 2>/dev/null | sort -u | paste -sd,
}

wait_for_job() { # JOB SECONDS
  local state deadline=$((SECONDS + $2))
  while :; do
    state=$(job_state "$1") || true
    case $state in
      *PENDING* | *RUNNING* | *COMPLETING* | *CONFIGURING* | *REQUEUE* | *SUSPENDED* | *PREEMPTED*) ;;
      '') fail "Slurm knows no job $1" ;;
      *) echo "$state"; return ;;
    esac
    [ $SECONDS -lt $deadline ] || { echo "$state"; exit 4; }
    sleep 0.2
  done
}
