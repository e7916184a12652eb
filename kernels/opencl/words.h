/* OpenCL C 1.2 definitions (with fp64) of numbers, threads and atomics for the entry files
 * pixels.cl and reduce.cl. */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
/* The bits of every pixel depend on this: operations are fused only where the source says so. */
#pragma OPENCL FP_CONTRACT OFF

#define TS_U32 uint
#define TS_U64 ulong
#define TS_FN static
#define TS_REAL double
#define TS_MASK int
#define TS_BITS ulong

#define ts_real(k) ((double)(k))
#define ts_add(a, b) ((a) + (b))
#define ts_sub(a, b) ((a) - (b))
#define ts_mul(a, b) ((a) * (b))
#define ts_div(a, b) ((a) / (b))
#define ts_sqrt(a) sqrt(a)
#define ts_abs(a) fabs(a)
#define ts_neg(a) (-(a))
#define ts_less(a, b) ((a) < (b))
#define ts_both(a, b) ((a) && (b))
#define ts_either(a, b) ((a) || (b))
#define ts_none(a) (!(a))
#define ts_if(mask, yes, no) ((mask) ? (yes) : (no))
#define ts_fma(a, b, c) fma((a), (b), (c))
#define ts_fnma(a, b, c) fma(-(a), (b), (c))
#define ts_bits(k) ((ulong)(k))
#define ts_to_bits(v) as_ulong(v)
#define ts_from_bits(b) as_double(b)
#define ts_bits_sub(a, b) ((a) - (b))
#define ts_bits_and(a, b) ((a) & (b))
#define ts_bits_or(a, b) ((a) | (b))
#define ts_bits_xor(a, b) ((a) ^ (b))
#define ts_bits_shift_52(a) ((a) >> 52)
#define ts_leading_zeros(a) ((int)clz((ulong)(a)))

#define TS_KERNEL_OF(size) __kernel __attribute__((reqd_work_group_size(size, 1, 1)))
#define TS_KERNEL_WITH(size, blocks) TS_KERNEL_OF(size)
#define TS_KERNEL_AT_ONCE(size, blocks) TS_KERNEL_OF(size)
#define TS_KERNEL TS_KERNEL_OF(TS_BLOCK_SIZE)
#define TS_APART __attribute__((noinline)) static
#define TS_BY_ADDRESS
#define TS_GLOBAL __global
#define TS_LOCAL __local
#define TS_IN_LOCAL __local
#define TS_BLOCK() get_group_id(0)
#define TS_BLOCKS() get_num_groups(0)
#define TS_THREAD() ((uint)get_local_id(0))
#define TS_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define TS_ATOMIC_ADD(p, v) atomic_add((p), (v))
#define TS_ATOMIC_MIN(p, v) atomic_min((p), (v))
#define TS_ATOMIC_MAX(p, v) atomic_max((p), (v))
#define TS_ATOMIC_ADD_LOCAL(p, v) atomic_add((p), (v))
#define TS_ATOMIC_MIN_LOCAL(p, v) atomic_min((p), (v))
#define TS_ATOMIC_MAX_LOCAL(p, v) atomic_max((p), (v))
#define TS_ATOMIC_SET_IF(p, expected, v) atomic_cmpxchg((p), (expected), (v))
#define TS_FLOAT_BITS(v) as_uint(v)
